import { Transform } from "node:stream";
import { checkFunction, checkOptions, throwTypeError } from "../src/errors.ts";
import { isPromiseLike } from "../src/is_promise_like.ts";
import { callBack } from "./call_back.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import { endEarly, trackSources } from "./early_end.ts";
import { toError, toReason } from "./stage_error.ts";
import type { Transformer } from "../src/web_types.ts";

/** Options of {@linkcode transformer}. */
export interface TransformerOptions {
  /** The threshold, in chunks, of both buffers. @default {1} */
  highWaterMark?: number;
  /** The threshold, in chunks, of the outgoing buffer. @default {highWaterMark} */
  readableHighWaterMark?: number;
  /** The threshold, in chunks, of the incoming buffer. @default {highWaterMark} */
  writableHighWaterMark?: number;
}

const action = "create transformer";
const methods = ["start", "transform", "flush", "cancel"] as const;

/**
 * The twin of `new TransformStream(dictionary)` on `node:stream`: an object-mode `Transform` driven by a
 * WHATWG transformer. A `transform` that answers synchronously is exactly a hand-written `_transform` that
 * calls its callback before it returns. `enqueue` goes through the stream's own `push`.
 *
 * `terminate` ends the output, stops and destroys what is piped in, and finishes the input. Node's own
 * `pipeline` takes that for a premature close; the {@linkcode pipeline} of this module does not.
 *
 * @throws {TypeError} If `dictionary` is not a transformer, or an option is of the wrong type or unknown.
 * @throws {RangeError} If a high-water mark is out of range, or `readableType` or `writableType` is given.
 *
 * @example
 * ```ts
 * import { reader, transformer } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 *
 * const double = transformer<number, number>({
 *   transform: (chunk, controller) => controller.enqueue(chunk * 2),
 * });
 * assertEquals(await reader([1, 2, 3]).pipe(double).toArray(), [2, 4, 6]);
 * ```
 */
// deno-lint-ignore no-explicit-any -- as `TransformStream` does, so that any dictionary fits
export function transformer<Input = any, Output = any>(
  dictionary: Transformer<Input, Output>,
  options: TransformerOptions = {},
): Transform {
  if (dictionary === null || typeof dictionary !== "object") {
    throwTypeError(action, "dictionary", "a transformer", dictionary);
  }
  for (const name of methods) {
    if (dictionary[name] !== undefined) checkFunction(action, name, dictionary[name]);
  }
  for (const name of ["readableType", "writableType"] as const) {
    if (dictionary[name] !== undefined) {
      throw new RangeError(`Cannot ${action}: ${name} must be undefined`);
    }
  }
  checkOptions(action, options, [
    "highWaterMark",
    "readableHighWaterMark",
    "writableHighWaterMark",
  ]);
  const highWaterMark = checkHighWaterMark(action, options.highWaterMark);
  const { start, transform, flush, cancel } = dictionary;

  let starting: PromiseLike<unknown> | undefined;
  // Once the output is complete or failed, chunks are dropped and `cancel` has nobody to tell.
  let state: "open" | "flushing" | "ended" | "failed" = "open";

  const stream = new Transform({
    objectMode: true,
    readableHighWaterMark: checkHighWaterMark(
      action,
      options.readableHighWaterMark,
      highWaterMark,
      "readableHighWaterMark",
    ),
    writableHighWaterMark: checkHighWaterMark(
      action,
      options.writableHighWaterMark,
      highWaterMark,
      "writableHighWaterMark",
    ),
    transform(chunk, _encoding, callback) {
      const method = (): unknown => {
        if (state !== "open") return;
        if (transform === undefined) return controller.enqueue(chunk);
        return transform.call(dictionary, chunk, controller);
      };
      callBack(method, (error) => {
        if (error) state = "failed";
        callback(error);
      }, starting);
    },
    flush(callback) {
      const method = (): unknown => {
        if (state !== "open") return;
        state = "flushing";
        return flush?.call(dictionary, controller);
      };
      callBack(method, (error) => {
        if (error) state = "failed";
        else if (state === "flushing") state = "ended";
        callback(error);
      }, starting);
    },
    destroy(error, callback) {
      if (state !== "open") return callback(error);
      state = "failed";
      const reason = toReason(error ?? undefined);
      callBack(
        () => cancel?.call(dictionary, reason),
        (failure) => callback(error ?? failure ?? null),
      );
    },
  });
  trackSources(stream);

  const controller: TransformStreamDefaultController<Output> = {
    get desiredSize() {
      if (state === "failed") return null;
      return state === "ended" ? 0 : stream.readableHighWaterMark - stream.readableLength;
    },
    enqueue(chunk?: Output) {
      if (state === "ended" || state === "failed") {
        throw new TypeError("Cannot enqueue: the transformer has ended or failed");
      }
      if (chunk === null) {
        throw new TypeError("Cannot enqueue: a node stream cannot carry null, which is its end");
      }
      stream.push(chunk);
    },
    error(reason?: unknown) {
      if (state === "ended" || state === "failed") return;
      state = "failed";
      stream.destroy(toError(reason));
    },
    terminate() {
      if (state === "ended" || state === "failed") return;
      state = "ended";
      stream.push(null);
      endEarly(stream);
    },
  };

  const started: unknown = start?.call(dictionary, controller);
  if (isPromiseLike(started)) {
    starting = started;
    started.then(() => starting = undefined, (reason) => controller.error(reason));
  }
  return stream;
}
