import type { FileHead } from "./file_head.ts";
import type { FileAnswer, FileRequest } from "./file_request.ts";
import { type ByteRange, parseRange } from "./parse_range.ts";
import { plainAnswer } from "./plain_answer.ts";
import { preconditions, rangeApplies } from "./preconditions.ts";

/** An answer, and what of a file is its body: a range, several, or nothing. */
export interface Decision extends Omit<FileAnswer, "body"> {
  readonly body?: string;
  readonly ranges?: readonly ByteRange[];
}

/** Which answer a request for a file gets. */
export function decide({ method, header }: FileRequest, head: FileHead): Decision {
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
