import { isWithBody } from "../body_of.ts";
import { checkInteger, checkOptions, describeValue, throwTypeError } from "../errors.ts";
import type { Source } from "../source_types.ts";
import { checkOneSource } from "../sources/open_sources.ts";
import { SourceReader } from "../sources/source_reader.ts";
import { headerParameters } from "./header_parameters.ts";
import type { MultipartPart } from "./multipart_part.ts";
import { MultipartParts } from "./multipart_parts.ts";
import { MultipartReader } from "./multipart_reader.ts";

/** How `parseMultipart` works. */
export interface ParseMultipartOptions {
  /** What stands between the parts, 1 to 70 characters. Default: that of the request's `content-type`. */
  boundary?: string | undefined;
  /** What happens to a part whose body has not been read, nor cancelled, when the next is asked for. Default: `"skip"`. */
  unread?: "skip" | "refuse" | undefined;
  /** How many parts there may be. Default: 1,000. */
  maxParts?: number | undefined;
  /** How many of them may be files, with a name of a file. Default: `Infinity`, as far as there may be parts. */
  maxFiles?: number | undefined;
  /** How many may be fields, without one. Default: `Infinity`, as far as there may be parts. */
  maxFields?: number | undefined;
  /** How many bytes the headers of a part may have, and what stands before and after all parts. Default: 16,384. */
  maxHeaderBytes?: number | undefined;
  /** How many bytes the body of a part may have. Default: `Infinity`. */
  maxPartBytes?: number | undefined;
  /** How many bytes the body of a file may have. Default: `Infinity`, as far as a part may have. */
  maxFileBytes?: number | undefined;
  /** How many bytes the body of a field may have. Default: `Infinity`, as far as a part may have. */
  maxFieldBytes?: number | undefined;
  /** How many bytes all may have together. Default: `Infinity`. */
  maxTotalBytes?: number | undefined;
}

const action = "create parseMultipart";

function boundaryOf(source: unknown): unknown {
  if (source === null || typeof source !== "object" || !isWithBody(source)) {
    throw new TypeError(`Cannot ${action}: without a request, boundary must be given`);
  }
  const type = (source as { readonly headers?: Headers }).headers?.get("content-type") ?? null;
  const parsed = type === null ? undefined : headerParameters(type);
  const boundary = parsed?.parameters.get("boundary");
  if (boundary === undefined || !parsed!.first.startsWith("multipart/")) {
    throw new TypeError(
      `Cannot ${action}: the request must have a multipart type with a boundary, got ${
        describeValue(type)
      }`,
    );
  }
  return boundary;
}

/**
 * Reads a multipart body, such as a form with files, part by part.
 *
 * Nothing is gathered: a part comes as soon as its headers are there, and its body is read from the request as it is
 * asked for. So read or cancel one body before you ask for the next part, as `for await` and `pipeline` do; what is left
 * of it is skipped, or with `unread: "refuse"` fails the stream. A skipped body fails who still reads it.
 *
 * What is no multipart fails the stream, and the body that is read, with a `SyntaxError`: a body that ends before its
 * last boundary, a header that is none. A part over a limit fails it with a `RangeError`. The source is cancelled then.
 *
 * @param source A `Request` or a `Response`, or with `boundary` any source of bytes.
 * @param options The boundary, what becomes of parts that are not read, and limits.
 * @returns A stream of parts with a `highWaterMark` of 0.
 * @throws {TypeError} If `source` is none or locked, has no multipart type, or an option has the wrong type or is
 * unknown.
 * @throws {RangeError} If `boundary` is none, `unread` is neither, or a limit is not a positive integer or `Infinity`.
 *
 * @example A form with a file
 * ```ts
 * import { parseMultipart } from "@hosepipe/streams/formats";
 * import assert from "node:assert/strict";
 *
 * const form = new FormData();
 * form.set("title", "Holidays");
 * form.set("photo", new File(["bytes of a photo"], "beach.jpg", { type: "image/jpeg" }));
 * const request = new Request("http://localhost/", { method: "POST", body: form });
 *
 * const found: Record<string, string> = {};
 * for await (const { name, filename, body } of parseMultipart(request, { maxPartBytes: 1_000_000 })) {
 *   found[filename ?? name!] = await new Response(body).text();
 * }
 * assert.deepEqual(found, { title: "Holidays", "beach.jpg": "bytes of a photo" });
 * ```
 */
export function parseMultipart(
  source: Source<Uint8Array>,
  options: ParseMultipartOptions = {},
): ReadableStream<MultipartPart> {
  checkOptions(action, options, [
    ...["boundary", "unread", "maxParts", "maxHeaderBytes", "maxPartBytes", "maxTotalBytes"],
    ...["maxFiles", "maxFields", "maxFileBytes", "maxFieldBytes"],
  ]);
  const { unread = "skip", maxParts = 1000, maxHeaderBytes = 16_384 } = options;
  const { maxPartBytes = Infinity, maxTotalBytes = Infinity } = options;
  const found = checkOneSource(action, source);
  if (unread !== "skip" && unread !== "refuse") {
    throw new RangeError(
      `Cannot ${action}: unread must be "skip" or "refuse", got ${describeValue(unread)}`,
    );
  }
  const { maxFiles = Infinity, maxFields = Infinity } = options;
  const { maxFileBytes = Infinity, maxFieldBytes = Infinity } = options;
  const limits = {
    maxParts,
    maxFiles,
    maxFields,
    maxHeaderBytes,
    maxPartBytes,
    maxFileBytes,
    maxFieldBytes,
    maxTotalBytes,
  };
  for (const [name, value] of Object.entries(limits)) checkInteger(action, name, value, 1, true);
  const boundary = options.boundary ?? boundaryOf(source);
  if (typeof boundary !== "string") throwTypeError(action, "boundary", "a string", boundary);
  if (!/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) {
    throw new RangeError(
      `Cannot ${action}: boundary must be 1 to 70 characters of ASCII, got ${
        describeValue(boundary)
      }`,
    );
  }
  const opened = new SourceReader<Uint8Array>(found);
  const reader = new MultipartReader(opened, boundary, limits);
  return new ReadableStream(new MultipartParts(opened, reader, unread === "skip"), {
    highWaterMark: 0,
  });
}
