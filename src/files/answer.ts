import { answerGet } from "./answer_get.ts";
import { checkHost } from "./check_host.ts";
import { chooseCodings, type Coding } from "./choose_coding.ts";
import { entityTag, formatEntityTag } from "./entity_tag.ts";
import { limitOpenFiles } from "./limit_open_files.ts";
import { listFolder } from "./list_folder.ts";
import { openChosenFile, type Opened, openServedFile } from "./open_served_file.ts";
import type { Answerer, FileAnswer, FileRequest } from "./file_request.ts";
import { parseRange } from "./parse_range.ts";
import { plainAnswer } from "./plain_answer.ts";
import { preconditions, rangeApplies } from "./preconditions.ts";
import type { Settings } from "./read_settings.ts";
import { queryOf, resolveTarget } from "./resolve_target.ts";
import { ServedFile } from "./served_file.ts";
import { trimBlanks } from "./trim_blanks.ts";

/** A file to answer with. */
interface Found {
  readonly file: ServedFile;
  /** What it is called, from the root. */
  readonly path: string;
  readonly coding?: Coding;
}

/** A name that begins with a dot is hidden, except `.well-known`, which is public. */
function isHidden(names: readonly string[]): boolean {
  return names.some((name, index) =>
    name.startsWith(".") && !(index === 0 && name === ".well-known")
  );
}

/** A `Vary` that names `Accept-Encoding` too. */
function addToVary(own = ""): string {
  const names = own.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.some((name) => /^(?:\*|accept-encoding)$/i.test(name))) return own;
  return [...names, "Accept-Encoding"].join(", ");
}

function decide(request: FileRequest, { file, path, coding }: Found, settings: Settings) {
  const { method, header } = request;
  const { size, modifiedMs } = file.facts;
  const now = Date.now();
  const tag = entityTag(file.facts, now, coding?.name);
  // A file may come from the future; its answer must not claim to.
  const lastModified = Math.floor(Math.min(modifiedMs, now) / 1000);
  const validators = { tag, lastModified };
  const own = settings.headers(path);
  const shared = {
    ...own,
    ...(settings.precompressed ? { vary: addToVary(own["vary"]) } : {}),
    "etag": formatEntityTag(tag),
    "last-modified": new Date(lastModified * 1000).toUTCString(),
  };
  const status = preconditions(header, validators);
  if (status === 304) return { status, headers: shared };
  if (status === 412) return plainAnswer(412, method === "HEAD");

  const common = { ...shared, "accept-ranges": "bytes" };
  const rangeHeader = method === "GET" ? header("range") : undefined;
  const range = rangeHeader !== undefined && rangeApplies(header, validators)
    ? parseRange(rangeHeader, size)
    : undefined;
  if (range === "unsatisfiable") {
    const contentRange = `bytes */${size}`;
    return plainAnswer(416, false, { "accept-ranges": "bytes", "content-range": contentRange });
  }
  const { start, end } = range ?? { start: 0, end: size };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...common,
      ...(coding === undefined ? {} : { "content-encoding": coding.name }),
      ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` }),
      "content-type": settings.contentType(path),
      "content-length": String(end - start),
      "x-content-type-options": "nosniff",
    },
    ...(method === "HEAD" || start === end ? {} : { body: { file, range: { start, end } } }),
  };
}

/** Answers with a file, or with what lies beside it encoded; what is not passed on is closed. */
async function answerWith(
  request: FileRequest,
  file: ServedFile,
  path: string,
  open: (ending: string) => Promise<Opened>,
  settings: Settings,
): Promise<FileAnswer> {
  let found: Found = { file, path };
  let isHandedOn = false;
  try {
    const codings = settings.precompressed ? chooseCodings(request.header("accept-encoding")) : [];
    for (const coding of codings) {
      const encoded = await open(coding.ending);
      if (!(encoded instanceof ServedFile)) continue;
      found = { file: encoded, path, coding };
      await file.close();
      break;
    }
    const answer: FileAnswer = decide(request, found, settings);
    isHandedOn = answer.body !== undefined && typeof answer.body !== "string";
    return answer;
  } finally {
    if (!isHandedOn) await found.file.close();
  }
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

/** Finds answers in a folder; a file that they do not pass on is closed. */
export function answerFromFolder(root: string, settings: Settings): Answerer {
  const { index, spa, listing, allowsDotfiles } = settings;

  const withNames = (request: FileRequest, file: ServedFile, names: readonly string[]) => {
    const openBeside = (ending: string) =>
      openServedFile(root, [...names.slice(0, -1), names.at(-1) + ending]);
    return answerWith(request, file, names.join("/"), openBeside, settings);
  };

  async function hasIndex(names: readonly string[]): Promise<boolean> {
    if (index === undefined) return false;
    const opened = await openServedFile(root, [...names, index]);
    if (!(opened instanceof ServedFile)) return false;
    await opened.close();
    return true;
  }

  /** The answer to a target, if there is something there. */
  async function find(request: FileRequest): Promise<FileAnswer | undefined> {
    const isHead = request.method === "HEAD";
    const target = resolveTarget(request.target);
    if (target === undefined) return undefined;
    const { names, isFolder } = target;
    if (!allowsDotfiles && isHidden(names)) return undefined;
    if (!isFolder) {
      const opened = await openServedFile(root, names);
      if (opened instanceof ServedFile) return await withNames(request, opened, names);
      if (opened === "folder" && (listing || await hasIndex(names))) {
        return toFolder(names.at(-1)!, request.target, isHead);
      }
    } else {
      if (request.mountName !== undefined && (listing || await hasIndex(names))) {
        return toFolder(request.mountName, request.target, isHead);
      }
      const page = index && await openServedFile(root, [...names, index]);
      if (page instanceof ServedFile) return await withNames(request, page, [...names, index!]);
      const text = listing ? await listFolder(root, names, allowsDotfiles) : undefined;
      if (text !== undefined) return listingAnswer(text, isHead);
    }
    if (spa === undefined || !wantsPage(request, names)) return undefined;
    const page = await openServedFile(root, spa);
    return page instanceof ServedFile ? await withNames(request, page, spa) : undefined;
  }

  const answer = limitOpenFiles((request) => answerGet(request, find), settings);
  return checkHost(answer, settings.allowedHosts);
}

/** Finds the answer with one file that no client has chosen. */
export function answerWithFile(path: string, settings: Settings): Answerer {
  const answer = limitOpenFiles((asked) =>
    answerGet(asked, async (request) => {
      const file = await openChosenFile(path);
      const openBeside = (ending: string) => openChosenFile(path + ending);
      return file && await answerWith(request, file, path, openBeside, settings);
    }), settings);
  return checkHost(answer, settings.allowedHosts);
}
