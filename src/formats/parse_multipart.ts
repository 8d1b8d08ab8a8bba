import { abandonAll, SourceReader } from "../sources/source_reader.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { type MultipartPart, MultipartReader } from "./multipart_reader.ts";
import { isWithBody } from "../body_of.ts";
import { describeValue, throwTypeError } from "../errors.ts";
import { anything, integer, readOptions } from "../read_options.ts";
import type { Source } from "../source_types.ts";
import { checkOneSource } from "../sources/open_sources.ts";
import { headerParameters } from "./header_parameters.ts";

/** How `parseMultipart` works. */
export interface ParseMultipartOptions {
  /** What stands between the parts, 1 to 70 characters. Default: that of the request's `content-type`. */
  boundary?: string | undefined;
  /** What happens to a part whose body has not been read, nor cancelled, when the next is asked for. Default: `"skip"`. */
  unread?: "skip" | "refuse" | undefined;
  /** How many parts there may be. Default: 1,000. */
  maxParts?: number | undefined;
  /** How many of them may be files, with a name of a file; 0 for none. Default: `Infinity`, as far as there may be parts. */
  maxFiles?: number | undefined;
  /** How many may be fields, without one; 0 for none. Default: `Infinity`, as far as there may be parts. */
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
 * @throws {RangeError} If `boundary` is none, `unread` is neither, or a limit is neither a positive integer nor `Infinity`; `maxFiles` and `maxFields` may be 0.
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
  const { boundary: given, unread, ...limits } = readOptions(action, options, {
    boundary: anything(),
    unread: anything("skip"),
    maxParts: integer(1000, 1, true),
    maxFiles: integer(Infinity, 0, true),
    maxFields: integer(Infinity, 0, true),
    maxHeaderBytes: integer(16_384, 1, true),
    maxPartBytes: integer(Infinity, 1, true),
    maxFileBytes: integer(Infinity, 1, true),
    maxFieldBytes: integer(Infinity, 1, true),
    maxTotalBytes: integer(Infinity, 1, true),
  });
  const found = checkOneSource(action, source);
  if (unread !== "skip" && unread !== "refuse") {
    throw new RangeError(
      `Cannot ${action}: unread must be "skip" or "refuse", got ${describeValue(unread)}`,
    );
  }
  const boundary = given ?? boundaryOf(source);
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

type Part = MultipartPart;
type BodyController = ReadableStreamDefaultController<Uint8Array>;

/** The body of the part that is read. */
interface OpenBody {
  readonly controller: BodyController;
  isCancelled: boolean;
}

/** The underlying source of parts: each is read to its end, or skipped, before the next. */
class MultipartParts implements UnderlyingDefaultSource<Part> {
  readonly #source: SourceReader<Uint8Array>;
  readonly #reader: MultipartReader;
  readonly #skipsUnread: boolean;
  #isAtStart = true;
  #body: OpenBody | undefined;
  /** What is being read for a body. */
  #reading: Promise<void> = Promise.resolve();
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: SourceReader<Uint8Array>, reader: MultipartReader, skipsUnread: boolean) {
    this.#source = source;
    this.#reader = reader;
    this.#skipsUnread = skipsUnread;
  }

  async pull(controller: ReadableStreamDefaultController<Part>): Promise<void> {
    try {
      if (this.#isAtStart) {
        this.#isAtStart = false;
        await this.#reader.skipPreamble();
      } else await this.#finishBody();
      const head = await this.#reader.readHeaders();
      if (this.#failure !== undefined) return;
      if (head === undefined) controller.close();
      else controller.enqueue({ ...head, body: this.#openBody() });
    } catch (reason) {
      this.#fail(reason);
      throw this.#failure!.reason;
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#failure ??= { reason };
    this.#body?.controller.error(reason);
    this.#body = undefined;
    return this.#source.cancel(reason);
  }

  #openBody(): ReadableStream<Uint8Array> {
    let body: OpenBody;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = body = { controller, isCancelled: false };
      },
      pull: () => this.#reading = this.#readBody(body),
      cancel() {
        body.isCancelled = true;
      },
    }, { highWaterMark: 0 });
  }

  async #readBody(body: OpenBody): Promise<void> {
    try {
      const bytes = await this.#reader.readBody();
      // It may have been cancelled, or skipped, meanwhile.
      if (bytes === undefined) this.#body = undefined;
      if (body.isCancelled || this.#failure !== undefined) return;
      if (bytes === undefined) body.controller.close();
      else body.controller.enqueue(bytes);
    } catch (reason) {
      this.#fail(reason);
    }
  }

  /** Lets the next part come: what was not read of the last is skipped, or refused. */
  async #finishBody(): Promise<void> {
    // A read that was asked for meanwhile comes first.
    let reading;
    do await (reading = this.#reading); while (reading !== this.#reading);
    if (this.#failure !== undefined) throw this.#failure.reason;
    const body = this.#body;
    if (body === undefined) return;
    if (!body.isCancelled) {
      const reason = new TypeError(
        "Cannot read a part: the next one was asked for before its body had been read",
      );
      if (!this.#skipsUnread) throw reason;
      body.isCancelled = true;
      body.controller.error(reason);
    }
    while (this.#body !== undefined) {
      if (await this.#reader.readBody() === undefined) this.#body = undefined;
    }
  }

  /** Fails the part that is read, and all that follow. */
  #fail(reason: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { reason };
    const body = this.#body;
    this.#body = undefined;
    if (body !== undefined && !body.isCancelled) body.controller.error(reason);
    abandonAll([this.#source], reason);
  }
}
