import { Transform } from "node:stream";
import { checkFunction, checkOptions, throwTypeError } from "../src/errors.ts";
import { checkHighWaterMark } from "./check_high_water_mark.ts";
import type { Callback } from "./call_back.ts";
import { endEarly, trackSources } from "./early_end.ts";
import { meaningOf } from "../src/kernels/registry.ts";
import { setChunkIndex } from "./note_place.ts";
import { SinkSide } from "./sink_side.ts";
import { toError } from "../src/source/stage_error.ts";
import type { Transformer } from "../src/web_types.ts";

/** Options of {@linkcode transformer}. */
export interface TransformerOptions {
  /** The threshold, in chunks, of both buffers. @default {1} */
  highWaterMark?: number | undefined;
  /** The threshold, in chunks, of the outgoing buffer. @default {highWaterMark} */
  readableHighWaterMark?: number | undefined;
  /** The threshold, in chunks, of the incoming buffer. @default {highWaterMark} */
  writableHighWaterMark?: number | undefined;
}

const action = "create transformer";

/**
 * The same as `new TransformStream(dictionary)`, on `node:stream`: an object-mode `Transform` driven by a
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
 * import assert from "node:assert/strict";
 *
 * const double = transformer<number, number>({
 *   transform: (chunk, controller) => controller.enqueue(chunk * 2),
 * });
 * assert.deepEqual(await reader([1, 2, 3]).pipe(double).toArray(), [2, 4, 6]);
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
  // Read once and in the standard's order: an operator makes new methods at each reading.
  const { cancel, flush, readableType, start, transform, writableType } = dictionary;
  for (const [name, method] of Object.entries({ cancel, flush, start, transform })) {
    if (method !== undefined) checkFunction(action, name, method);
  }
  for (const [name, type] of Object.entries({ readableType, writableType })) {
    if (type !== undefined) throw new RangeError(`Cannot ${action}: ${name} must be undefined`);
  }
  const names = ["highWaterMark", "readableHighWaterMark", "writableHighWaterMark"] as const;
  checkOptions(action, options, names);
  const [mark, readableHighWaterMark, writableHighWaterMark] = names.map((name) =>
    options[name] === undefined ? undefined : checkHighWaterMark(action, options[name], name)
  );

  let hasEnded = false;
  // To destroy is to cancel the output, and `compose` asks the controller whether that is so.
  let isCancelling = false;
  const isOver = (): boolean => hasEnded || stream.destroyed || input.hasFailed;

  // What a call that is still running enqueues after a destroy is dropped: no failure of the stream.
  let refusal: TypeError | undefined;
  const unlessRefused = (callback: Callback): Callback => (error) =>
    callback(refusal !== undefined && error === refusal ? null : error);

  const stream: Transform = new Transform({
    objectMode: true,
    readableHighWaterMark: readableHighWaterMark ?? mark ?? 1,
    writableHighWaterMark: writableHighWaterMark ?? mark ?? 1,
    transform: (chunk, _encoding, callback) => input.write(chunk, unlessRefused(callback)),
    flush: (callback) =>
      input.close(unlessRefused((error) => {
        hasEnded ||= !error;
        callback(error);
      })),
    destroy: (error, callback) => input.destroy(error, callback),
  });
  trackSources(stream);
  setChunkIndex(stream, () => {
    const operation = transform && meaningOf(transform)?.operationOf?.(controller);
    const index = operation?.failedIndex ?? input.count - 1;
    return index < 0 || input.isClosing ? undefined : index;
  });

  const controller: TransformStreamDefaultController<Output> = {
    get desiredSize() {
      if (hasEnded || isCancelling) return 0;
      return isOver() ? null : stream.readableHighWaterMark - stream.readableLength;
    },
    enqueue(chunk?: Output) {
      if (isOver()) {
        const error = new TypeError("Cannot enqueue: the transformer has ended or failed");
        if (stream.destroyed && !hasEnded) refusal = error;
        throw error;
      }
      if (chunk === null) {
        throw new TypeError("Cannot enqueue: a node stream cannot carry null, which is its end");
      }
      stream.push(chunk);
    },
    error(reason?: unknown) {
      if (!isOver()) input.error(reason);
    },
    terminate() {
      if (isOver()) return;
      hasEnded = true;
      stream.push(null);
      endEarly(stream);
    },
  };

  // What still comes once the output has ended is dropped, and `cancel` has nothing to inform.
  const input: SinkSide = new SinkSide(
    {
      start: () => start?.call(dictionary, controller),
      write(chunk) {
        if (hasEnded) return;
        if (transform === undefined) controller.enqueue(chunk);
        else return transform.call(dictionary, chunk, controller);
      },
      close: () => hasEnded ? undefined : flush?.call(dictionary, controller),
      abort(reason) {
        if (hasEnded || input.isClosing) return;
        isCancelling = true;
        try {
          return cancel?.call(dictionary, reason);
        } finally {
          isCancelling = false;
        }
      },
    },
    (reason) => stream.destroy(toError(reason)),
    true,
  );
  input.start();
  return stream;
}
