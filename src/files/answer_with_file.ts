import { chooseCodings, type Coding } from "./choose_coding.ts";
import type { FileFacts } from "./file_facts.ts";
import { type FileHead, fileHead } from "./file_head.ts";
import { type FileAnswer, type FileRequest, plainAnswer } from "./file_request.ts";
import { type KeptFile, type KeptFiles, largestKept } from "./kept_files.ts";
import type { Opened } from "./open_served_file.ts";
import { memoryFile, readWhole, type SentFile } from "./sent_file.ts";
import type { Settings } from "./read_settings.ts";
import { ServedFile } from "./served_file.ts";
import { Buffer } from "node:buffer";
import { type ByteRange, parseRange } from "./parse_range.ts";
import { preconditions, rangeApplies } from "./preconditions.ts";

/** A piece of the body: a text, or a range of the file. */
type Piece =
  & { readonly at: number; readonly end: number }
  & (
    | { readonly text: Uint8Array }
    | { readonly start: number }
  );

/** Where the pieces of a body lie in it. */
function layOut(ranges: readonly ByteRange[], contentType: string, size: number, boundary: string) {
  const pieces: Piece[] = [];
  let at = 0;
  const addText = (words: string) => {
    const text = Buffer.from(words);
    pieces.push({ at, end: at += text.length, text });
  };
  for (const { start, end } of ranges) {
    addText(
      `${at === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Type: ${contentType}\r\n` +
        `Content-Range: bytes ${start}-${end - 1}/${size}\r\n\r\n`,
    );
    pieces.push({ at, end: at += end - start, start });
  }
  addText(`\r\n--${boundary}--\r\n`);
  return pieces;
}

/**
 * Puts ranges of a file together as `multipart/byteranges`, to be read like a file: it is read, and memory is taken, as
 * for one range.
 */
function multipartOf(
  file: SentFile,
  ranges: readonly ByteRange[],
  contentType: string,
): { file: SentFile; contentType: string } {
  // Nothing in a file can be made to look like what is chosen only now.
  const boundary = crypto.randomUUID();
  const pieces = layOut(ranges, contentType, file.facts.size, boundary);
  const size = pieces.at(-1)!.end;
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    file: {
      facts: { ...file.facts, size },
      read(buffer, position) {
        const piece = pieces.find(({ end }) => position < end)!;
        const part = buffer.subarray(0, piece.end - position);
        if ("start" in piece) return file.read(part, piece.start + position - piece.at);
        part.set(piece.text.subarray(position - piece.at).subarray(0, part.length));
        return Promise.resolve(part.length);
      },
      whenClosed: (callback) => file.whenClosed(callback),
      close: () => file.close(),
    },
  };
}

/** An answer, and what of a file is its body: a range, several, or nothing. */
interface Decision extends Omit<FileAnswer, "body"> {
  readonly body?: string;
  readonly ranges?: readonly ByteRange[];
}

/** Which answer a request for a file gets. */
function decide({ method, header }: FileRequest, head: FileHead): Decision {
  const { size, validators, shared, whole } = head;
  const isHead = method === "HEAD";
  const status = preconditions(header, validators);
  if (status === 304) return { status, headers: shared };
  if (status === 412) return plainAnswer(412, isHead);

  const rangeHeader = isHead ? undefined : header("range");
  const ranges = rangeHeader !== undefined && rangeApplies(header, validators)
    ? parseRange(rangeHeader, size)
    : undefined;
  if (ranges === "unsatisfiable") {
    const contentRange = `bytes */${size}`;
    return plainAnswer(416, false, { "accept-ranges": "bytes", "content-range": contentRange });
  }
  if (ranges === undefined) {
    const hasBody = !isHead && size > 0;
    return {
      status: 200,
      headers: whole,
      ...(hasBody ? { ranges: [{ start: 0, end: size }] } : {}),
    };
  }
  const [{ start, end }] = ranges as readonly [ByteRange, ...ByteRange[]];
  // Of several, the length and the type are those of all parts together.
  const headers = ranges.length > 1 ? whole : {
    ...whole,
    "content-range": `bytes ${start}-${end - 1}/${size}`,
    "content-length": String(end - start),
  };
  return { status: 206, headers, ranges };
}

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
  const { file: parts, contentType } = multipartOf(file(), ranges, head.contentType);
  const { size } = parts.facts;
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

/** What a client takes in place of the plain bytes, the best first. */
function codingsFor({ header }: FileRequest, { precompressed }: Settings): Coding[] {
  return precompressed ? chooseCodings(header("accept-encoding")) : [];
}

/** Answers with a file in memory, or with what lies beside it encoded; `undefined` if a file has to be opened. */
export async function recallFile(
  kept: KeptFiles,
  request: FileRequest,
  path: string,
  settings: Settings,
): Promise<FileAnswer | undefined> {
  const plain = await kept.find(path);
  if (typeof plain !== "object") return undefined;
  for (const { name, ending } of codingsFor(request, settings)) {
    const encoded = await kept.find(path + ending);
    if (encoded === undefined) return undefined;
    if (encoded !== "absent" && !isOutdated(encoded.facts, plain.facts)) {
      return answerKept(request, encoded, path, name, settings);
    }
  }
  return answerKept(request, plain, path, undefined, settings);
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
    for (const one of codingsFor(request, settings)) {
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
