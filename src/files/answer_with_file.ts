import { chooseCodings, type Coding } from "./choose_coding.ts";
import { decide } from "./decide.ts";
import type { FileFacts } from "./file_facts.ts";
import { type FileHead, fileHead } from "./file_head.ts";
import type { FileAnswer, FileRequest } from "./file_request.ts";
import { type KeptFile, type KeptFiles, largestKept } from "./kept_files.ts";
import { multipartOf } from "./multipart_file.ts";
import type { Opened } from "./open_served_file.ts";
import { readWhole } from "./read_whole.ts";
import type { Settings } from "./read_settings.ts";
import { memoryFile, type SentFile } from "./sent_file.ts";
import { ServedFile } from "./served_file.ts";

/** Clocks and copies may set the times of two files so far apart. */
const togetherMs = 1000;

/** Whether what lies encoded beside a file was made of an older state of it. */
function isOutdated(encoded: FileFacts, plain: FileFacts): boolean {
  return encoded.modifiedMs + togetherMs <= plain.modifiedMs;
}

/** Sends what was decided of a file; one that is not needed is left to be closed. */
function answerOf(
  request: FileRequest,
  head: FileHead,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  file: () => SentFile,
): FileAnswer {
  const { ranges, ...answer } = decide(request, head);
  if (ranges === undefined) return answer;
  const [range] = ranges as [typeof ranges[number]];
  if (ranges.length === 1) {
    const body = bytes?.subarray(range.start, range.end) ?? { file: file(), range };
    return { ...answer, body };
  }
  const { file: parts, size, contentType } = multipartOf(file(), ranges, head.contentType);
  const headers = { ...head.whole, "content-length": String(size), "content-type": contentType };
  return { ...answer, headers, body: { file: parts, range: { start: 0, end: size } } };
}

/** Answers with a file in memory. */
function answerKept(
  request: FileRequest,
  { facts, bytes, heads }: KeptFile,
  path: string,
  coding: string | undefined,
  settings: Settings,
): FileAnswer {
  const name = coding ?? "";
  let head = heads.get(name);
  if (head === undefined) {
    head = fileHead(facts, path, coding, settings, bytes);
    // What a function gives may be another each time.
    if (settings.hasFixedHeaders) heads.set(name, head);
  }
  return answerOf(request, head, bytes, () => memoryFile(bytes, facts));
}

/** Answers with a file in memory, or with what lies beside it encoded; `undefined` if a file has to be opened. */
export function recallFile(
  kept: KeptFiles,
  request: FileRequest,
  path: string,
  settings: Settings,
): FileAnswer | undefined | Promise<FileAnswer | undefined> {
  const answer = (found: KeptFile, coding?: Coding) =>
    answerKept(request, found, path, coding?.name, settings);
  const plain = kept.find(path);
  if (!(plain instanceof Promise) && !settings.precompressed) {
    return typeof plain === "object" ? answer(plain) : undefined;
  }
  return (async () => {
    const found = await plain;
    if (typeof found !== "object") return undefined;
    const codings = settings.precompressed ? chooseCodings(request.header("accept-encoding")) : [];
    for (const coding of codings) {
      const encoded = await kept.find(path + coding.ending);
      if (encoded === undefined) return undefined;
      if (encoded !== "absent" && !isOutdated(encoded.facts, found.facts)) {
        return answer(encoded, coding);
      }
    }
    return answer(found);
  })();
}

/** Answers with an open file, or with what lies beside it encoded; what is not passed on is closed. */
export async function answerWithFile(
  request: FileRequest,
  file: ServedFile,
  path: string,
  open: (ending: string) => Promise<Opened>,
  settings: Settings,
  kept?: KeptFiles,
): Promise<FileAnswer> {
  const opened = [file];
  let handedOn: SentFile | undefined;
  /** Reads a small file whole, for its tag too, and keeps it for the next request. */
  const readSmall = async (one: ServedFile, itsPath: string) => {
    if (one.facts.size > largestKept) return undefined;
    const bytes = await readWhole(one, { start: 0, end: one.facts.size });
    if (kept !== undefined && one.identity !== undefined) {
      await kept.keep(itsPath, bytes, { ...one.facts, ...one.identity });
    }
    return bytes;
  };
  try {
    let chosen = file;
    let bytes = await readSmall(file, path);
    let coding: Coding | undefined;
    const codings = settings.precompressed ? chooseCodings(request.header("accept-encoding")) : [];
    for (const one of codings) {
      const encoded = await open(one.ending);
      if (!(encoded instanceof ServedFile)) continue;
      opened.push(encoded);
      if (isOutdated(encoded.facts, file.facts)) continue;
      await file.close();
      chosen = encoded;
      coding = one;
      bytes = await readSmall(encoded, path + one.ending);
      break;
    }
    const head = fileHead(chosen.facts, path, coding?.name, settings, bytes);
    const answer = answerOf(
      request,
      head,
      bytes,
      () => bytes === undefined ? chosen : memoryFile(bytes, chosen.facts),
    );
    if (bytes === undefined && typeof answer.body === "object") handedOn = chosen;
    return answer;
  } finally {
    for (const one of opened) if (one !== handedOn) await one.close();
  }
}
