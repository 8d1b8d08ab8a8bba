import { answerWithFile, recallFile } from "./answer_with_file.ts";
import { checkHost } from "./check_host.ts";
import { type Answerer, type FileAnswer, type FileRequest, plainAnswer } from "./file_request.ts";
import { FolderLists, listFolder, pageOf } from "./list_folder.ts";
import { KeptFiles } from "./kept_files.ts";
import { isHidden, openChosenFile, openServedFile } from "./open_served_file.ts";
import type { Settings } from "./read_settings.ts";
import { queryOf, resolveTarget, type Target } from "./resolve_target.ts";
import { ServedFile } from "./served_file.ts";
import { trimBlanks } from "./trim_blanks.ts";

/** A longer header is read as an empty one: as a list of nothing, which is no condition's match. */
const longestHeader = 8192;

/** Answers what `find` finds for the two methods there are. */
function answerGet(find: (request: FileRequest) => Promise<FileAnswer | undefined>): Answerer {
  return async (request) => {
    const { method, header } = request;
    if (method !== "GET" && method !== "HEAD") {
      return { ...plainAnswer(405, false, { allow: "GET, HEAD" }), isAbsent: true };
    }
    const shortHeader = (name: string) => {
      const value = header(name);
      return value !== undefined && value.length > longestHeader ? "" : value;
    };
    return await find({ ...request, header: shortHeader }) ??
      { ...plainAnswer(404, method === "HEAD"), isAbsent: true };
  };
}

/** Whether a page of the application may stand for what is not there. */
function wantsPage({ header }: FileRequest, names: readonly string[]): boolean {
  if (names.at(-1)?.includes(".")) return false;
  const types = header("accept")?.split(",").map((type) => trimBlanks(type.split(";", 1)[0]!));
  return types?.some((type) => type === "*/*" || type.toLowerCase() === "text/html") ?? true;
}

/** To the same folder with a slash: relative, so that it cannot lead to another host. */
function toFolder(name: string, target: string, isHead: boolean): FileAnswer {
  const query = queryOf(target);
  const location = `./${encodeURIComponent(name)}/${query}`;
  return plainAnswer(301, isHead, { location });
}

/** A list of files is as old as the last of them, which it does not know. */
function listingAnswer(text: string, isHead: boolean): FileAnswer {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
  return plainAnswer(200, isHead, headers, text);
}

/** Lets only so many answers have a file open at once; who waits too long gets a 503. */
async function limitOpenFiles(
  isHead: boolean,
  { slots, queueMs }: Settings,
  answer: () => Promise<FileAnswer | undefined>,
): Promise<FileAnswer | undefined> {
  if (!await slots.take(queueMs)) return plainAnswer(503, isHead, { "retry-after": "1" });
  let isKept = false;
  try {
    const found = await answer();
    const body = found?.body;
    if (typeof body === "object" && "file" in body) {
      slots.hold(body.file);
      isKept = true;
    }
    return found;
  } finally {
    if (!isKept) slots.release();
  }
}

/** Finds answers in a folder; a file that they do not pass on is closed. */
export function answerFromFolder(root: string, settings: Settings): Answerer {
  const { index, extensions, spa, listing, allowsDotfiles, cache } = settings;
  const kept = cache && new KeptFiles(root, cache);
  const lists = new FolderLists((names, numbers) =>
    listFolder(root, names, allowsDotfiles, numbers)
  );

  const openNames = (names: readonly string[]) => openServedFile(root, names, allowsDotfiles);

  const withNames = (request: FileRequest, file: ServedFile, names: readonly string[]) => {
    const openBeside = (ending: string) =>
      openNames([...names.slice(0, -1), names.at(-1) + ending]);
    return answerWithFile(request, file, names.join("/"), openBeside, settings, kept);
  };

  /** The first that is there. */
  async function openFirst(all: readonly (readonly string[])[]) {
    for (const names of all) {
      const file = await openNames(names);
      if (file instanceof ServedFile) return { file, names };
    }
    return undefined;
  }

  async function hasIndex(names: readonly string[]): Promise<boolean> {
    const opened = await openFirst(index.map((name) => [...names, name]));
    await opened?.file.close();
    return opened !== undefined;
  }

  /** The answer with a file in memory, if there is one. */
  async function recall(request: FileRequest, { names, isFolder }: Target) {
    if (kept === undefined) return undefined;
    if (!isFolder) return await recallFile(kept, request, names.join("/"), settings);
    if (request.mountName !== undefined || index[0] === undefined) return undefined;
    return await recallFile(kept, request, [...names, index[0]].join("/"), settings);
  }

  /** The answer to a target, if there is something there. */
  async function open(
    request: FileRequest,
    { names, isFolder }: Target,
  ): Promise<FileAnswer | undefined> {
    const isHead = request.method === "HEAD";
    if (!isFolder) {
      const opened = await openNames(names);
      if (opened instanceof ServedFile) return await withNames(request, opened, names);
      if (opened === "folder" && (listing || await hasIndex(names))) {
        return toFolder(names.at(-1)!, request.target, isHead);
      }
      const longer = extensions.map((ending) => [...names.slice(0, -1), names.at(-1) + ending]);
      const page = await openFirst(longer);
      if (page !== undefined) return await withNames(request, page.file, page.names);
    } else {
      if (request.mountName !== undefined && (listing || await hasIndex(names))) {
        return toFolder(request.mountName, request.target, isHead);
      }
      const page = await openFirst(index.map((name) => [...names, name]));
      if (page !== undefined) return await withNames(request, page.file, page.names);
      const number = pageOf(queryOf(request.target));
      const text = listing ? await lists.read(names, number) : undefined;
      if (text !== undefined) return listingAnswer(text, isHead);
    }
    if (spa === undefined || !wantsPage(request, names)) return undefined;
    const page = await openNames(spa);
    return page instanceof ServedFile ? await withNames(request, page, spa) : undefined;
  }

  const answer = answerGet(async (request) => {
    const target = resolveTarget(request.target);
    if (target === undefined || !allowsDotfiles && isHidden(target.names)) return undefined;
    return await recall(request, target) ??
      await limitOpenFiles(request.method === "HEAD", settings, () => open(request, target));
  });
  return checkHost(answer, settings.allowedHosts);
}

/** Finds the answer with one file that no client has chosen. */
export function answerOneFile(path: string, settings: Settings): Answerer {
  const answer = answerGet((request) =>
    limitOpenFiles(request.method === "HEAD", settings, async () => {
      const file = await openChosenFile(path);
      const openBeside = (ending: string) => openChosenFile(path + ending);
      return file && await answerWithFile(request, file, path, openBeside, settings);
    })
  );
  return checkHost(answer, settings.allowedHosts);
}
