import mime from "mime";
import { entityTag, formatEntityTag } from "./entity_tag.ts";
import { openServedFile } from "./open_served_file.ts";
import { type ByteRange, parseRange } from "./parse_range.ts";
import { type HeaderReader, preconditions, rangeApplies } from "./preconditions.ts";
import { resolveTarget } from "./resolve_target.ts";
import type { ServedFile } from "./served_file.ts";

/** What of a request decides about its answer. */
export interface FileRequest {
  readonly method: string;
  /** The request's target as it came, or its URL. */
  readonly target: string;
  readonly header: HeaderReader;
}

/** What is answered, before any body is read. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A file to send a part of, which the receiver must close; a text; or nothing. */
  readonly body?: string | { readonly file: ServedFile; readonly range: ByteRange };
}

/** The reason phrases, which srvx leaves empty unless it is told. */
export const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  206: "Partial Content",
  304: "Not Modified",
  404: "Not Found",
  405: "Method Not Allowed",
  412: "Precondition Failed",
  416: "Range Not Satisfiable",
  500: "Internal Server Error",
};

/** An answer without a file: its reason in words, which is all that anybody outside is told. */
export function plainAnswer(
  status: number,
  isHead: boolean,
  headers: Readonly<Record<string, string>> = {},
): FileAnswer {
  const text = `${reasons[status]}\n`;
  return {
    status,
    headers: {
      ...headers,
      "content-type": "text/plain; charset=utf-8",
      "content-length": String(text.length),
      "x-content-type-options": "nosniff",
    },
    ...(isHead ? {} : { body: text }),
  };
}

function contentType(name: string): string {
  const type = mime.getType(name) ?? "application/octet-stream";
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

function decide(request: FileRequest, file: ServedFile, name: string): FileAnswer {
  const { method, header } = request;
  const { size, modifiedNs } = file.facts;
  const now = Date.now();
  const tag = entityTag(file.facts, now);
  // A file may come from the future; its answer must not claim to.
  const lastModified = Math.floor(Math.min(Number(modifiedNs / 1_000_000n), now) / 1000);
  const validators = { tag, lastModified };
  const shared = {
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
    return plainAnswer(416, false, { ...common, "content-range": `bytes */${size}` });
  }
  const { start, end } = range ?? { start: 0, end: size };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...common,
      ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` }),
      "content-type": contentType(name),
      "content-length": String(end - start),
      "x-content-type-options": "nosniff",
    },
    ...(method === "HEAD" || start === end ? {} : { body: { file, range: { start, end } } }),
  };
}

/** Finds the answer to a request for a file below `root`; a file that it does not hand on is closed. */
export async function answer(root: string, request: FileRequest): Promise<FileAnswer> {
  const { method, target } = request;
  const isHead = method === "HEAD";
  if (method !== "GET" && !isHead) return plainAnswer(405, false, { allow: "GET, HEAD" });
  const names = resolveTarget(target);
  const file = names && await openServedFile(root, names);
  if (file === undefined) return plainAnswer(404, isHead);
  let handedOn = false;
  try {
    const found = decide(request, file, names!.at(-1)!);
    handedOn = found.body !== undefined && typeof found.body !== "string";
    return found;
  } finally {
    if (!handedOn) await file.close();
  }
}
