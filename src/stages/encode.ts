import { throwTypeError } from "../errors.ts";
import { operator } from "../kernels/operator.ts";
import { delay, integer, readOptions } from "../read_options.ts";
import type { Bytes, Transformer } from "../web_types.ts";
import { HoldTimer } from "./hold_timer.ts";

const action = "create encode";

/** The most bytes of a character: a block must hold one. */
const longestCharacter = 4;

/** How `encode` divides its output. */
export interface EncodeOptions {
  /**
   * The bytes of a block, an integer of at least 4; up to three less where a character would not fit whole, and what
   * there is for the last. Default: 65,536.
   */
  size?: number | undefined;
  /**
   * Milliseconds after which text that fills no block is passed on, from 0 to 2,147,483,647; 0 joins what comes in one
   * turn of the event loop. Default: it is held until a block is full or the stream ends.
   */
  maxWaitMs?: number | undefined;
}

/** Whether a text ends in the first half of a character. */
function endsInHalf(text: string): boolean {
  return text.charCodeAt(text.length - 1) >> 10 === 0xd800 >> 10;
}

/**
 * Makes blocks of UTF-8 of text, however it is divided: what lines should become before a body, a file or a
 * compression, which cost much for each small chunk.
 *
 * It holds less than a block and passes on the rest at the end; before a client that waits for each line, give
 * `maxWaitMs: 0`. Half a surrogate pair becomes U+FFFD, unless the next
 * chunk begins with the other half.
 *
 * @param options How long a block is, and how long text is held.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is not a string fails the
 * stream with a `TypeError`.
 * @throws {TypeError} If a number is not one, or an option is unknown.
 * @throws {RangeError} If `size` is not an integer of at least 4, or `maxWaitMs` not a delay a timer knows.
 *
 * @example Lines for a response
 * ```ts
 * import { encode, formatNdjson, reader } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const body = reader([{ id: 1 }, { id: 2 }])
 *   .pipeThrough(new TransformStream(formatNdjson()))
 *   .pipeThrough(new TransformStream(encode({ maxWaitMs: 0 })));
 *
 * assert.deepEqual(await new Response(body).text(), '{"id":1}\n{"id":2}\n');
 * ```
 */
export function encode(options: EncodeOptions = {}): Transformer<string, Bytes> {
  const readers = { size: integer(65_536), maxWaitMs: delay() };
  const { size, maxWaitMs } = readOptions(action, options, readers);
  if (size < longestCharacter) {
    throw new RangeError(`Cannot ${action}: size must be at least 4, got ${size}`);
  }
  return operator((controller) => {
    const encoder = new TextEncoder();
    let text = "";
    const encodeBlock = (length: number): void => {
      const block = new Uint8Array(length);
      const { read, written } = encoder.encodeInto(text, block);
      text = text.slice(read);
      controller.enqueue(written === length ? block : block.slice(0, written));
    };
    const encodeRest = (): void => {
      // A unit takes three bytes at most.
      while (text.length > 0) encodeBlock(Math.min(size, 3 * text.length + 1));
    };
    const emit = (): void => {
      timer.stop();
      // The other half of a character may follow.
      const half = endsInHalf(text) ? text.slice(-1) : "";
      text = text.slice(0, text.length - half.length);
      encodeRest();
      text = half;
    };
    const timer = new HoldTimer(controller, maxWaitMs, emit);
    return {
      transform(chunk) {
        if (typeof chunk !== "string") {
          timer.stop();
          throwTypeError("encode", "a chunk", "a string", chunk);
        }
        text += chunk;
        // A unit takes a byte at least, so that the last one of a longer text is not reached.
        while (text.length > size || (text.length === size && !endsInHalf(text))) encodeBlock(size);
        timer.setWhile(text.length > 0);
      },
      flush() {
        timer.stop();
        encodeRest();
      },
      flushNow: emit,
      cancel: () => timer.stop(),
    };
  }, { name: "encode", remembers: "record" });
}
