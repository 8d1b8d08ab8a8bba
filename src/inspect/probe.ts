import type { ChainStage } from "../chain_types.ts";
import { throwTypeError } from "../errors.ts";
import type { BatchFunction } from "../sources/batch_source.ts";
import type { ProbedSink, ProbeOutput } from "./probe_output.ts";
import { addStage } from "./add_stage.ts";
import { createOutput } from "./create_output.ts";
import { probeUnderlyingSink, probeWrite } from "./probe_writer.ts";
import { probeSource } from "./probe_reader.ts";
import { Recorder } from "./recorder.ts";
import { checkTransformer, probeTransformer } from "./probe_transformer.ts";
import type { ProbeOptions, ProbeTransformerOptions, RecorderOptions } from "./types.ts";
import type {
  Transformer,
  UnderlyingByteSource,
  UnderlyingDefaultSource,
  UnderlyingSink,
} from "../web_types.ts";

/**
 * A wrapped function that answers batches. Were it a function's type and no more, the compiler would put off every
 * call of `reader` among other arguments, and take the chunks for `unknown` meanwhile.
 */
export type ProbedBatches<T> = BatchFunction<T> & { readonly name: string };

/** Watches one pipeline: wraps its stages, and shows what happens in them. */
export interface Probe extends ProbeOutput {
  /** Wraps what `new ReadableStream()` takes. */
  reader<T>(
    source: UnderlyingDefaultSource<T>,
    options?: ProbeOptions<T>,
  ): UnderlyingDefaultSource<T>;
  /** Wraps a source of bytes. */
  reader(
    source: UnderlyingByteSource,
    options?: ProbeOptions<ArrayBufferView>,
  ): UnderlyingByteSource;
  /** Wraps a function that answers batches, for `reader`. */
  reader<T>(source: BatchFunction<T>, options?: ProbeOptions<T>): ProbedBatches<T>;
  /** Wraps an iterable, for `pipeline` and `reader`. */
  reader<T>(source: Iterable<T>, options?: ProbeOptions<T>): Iterable<T>;
  /** Wraps an async iterable or a `ReadableStream`, for `pipeline` and `reader`. */
  reader<T>(source: AsyncIterable<T>, options?: ProbeOptions<T>): AsyncIterable<T>;
  /** Wraps what `new TransformStream()`, `fuse` and `pipeline` take. */
  transformer<I, O>(
    transformer: ChainStage<I, O>,
    options?: ProbeTransformerOptions<I, O>,
  ): Transformer<I, O>;
  /** Wraps a function that writes a chunk, for `pipeline` and `writer`. */
  writer<T, Rest extends unknown[]>(
    write: (chunk: T, ...rest: Rest) => unknown,
    options?: ProbeOptions<T>,
  ): (chunk: T, ...rest: Rest) => unknown;
  /** Wraps what `new WritableStream()` takes; its methods may also be handed to `writer`, one by one. */
  writer<T>(sink: UnderlyingSink<T>, options?: ProbeOptions<T>): ProbedSink<T>;
}

type Size = ((chunk: unknown) => number) | undefined;

/**
 * Makes a probe, which watches one pipeline: where its chunks are, what happens, and which stage is the bottleneck.
 *
 * Wrap each stage in the order of the pipeline, with the strategies of its stream, and use the result instead of the
 * stage: one reader, any number of transformers, one writer. A part that is not wrapped costs nothing and is not seen.
 * Occupancy is exact: outgoing queues are read from `desiredSize`, incoming ones follow from the counts on both
 * sides, so chunks on their way through a pipe count as arrived. Only an outgoing queue without a limit hides its
 * content, which then counts as arrived too; so does the queue of `reader` around a probed iterable.
 *
 * A probe changes no chunk, no error and no order of calls. Only this differs: a `pipeline` of which no part waits
 * settles some microtasks later if one of its stages is wrapped.
 *
 * @param options `name`, what the pipeline is called (default `pipeline`); `capacity`, how many events are kept (default 10,000); `identify`, which names a chunk (default: its
 * number); `onEvent`, called with each event (default: none); `onAnswer`, called with what a stage learns by enqueuing
 * (default: none); `now`, a clock in milliseconds (default `performance.now`).
 * @returns The probe. Iterating it gives the events, as they come, until the last stage is over.
 *
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `capacity` is negative or not an integer.
 *
 * @example Where do chunks wait?
 * ```ts
 * import { probe } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * const look = probe();
 * const numbers = new ReadableStream(look.reader<number>({
 *   pull: (controller) => controller.enqueue(1),
 * }), { highWaterMark: 3 });
 * numbers.pipeThrough(new TransformStream(look.transformer({}, {}), { highWaterMark: 2 }));
 *
 * await new Promise((resolve) => setTimeout(resolve, 50));
 * const { readerOut, transformerIn } = look.occupancy();
 * assert.deepEqual([readerOut, transformerIn], [3, 2]);
 * ```
 *
 * @example Which stage is the bottleneck?
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { probe } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * const look = probe();
 * await pipeline(
 *   look.reader([1, 2, 3]),
 *   look.transformer(map((n) => n * 2)),
 *   look.writer(() => new Promise((resolve) => setTimeout(resolve, 100))),
 * );
 * assert.deepEqual(look.bottleneck().kind, "writer");
 * assert.deepEqual(look.occupancy().written, 3);
 * ```
 */
export function probe(options: RecorderOptions = {}): Probe {
  const recorder = new Recorder(options);
  const wrappers = {
    reader(source: unknown, options: ProbeOptions<unknown> = {}): unknown {
      const events = addStage(recorder, "reader", source, options, ["strategy"]);
      const { record } = events;
      const isBytes = (source as UnderlyingByteSource).type === "bytes";
      record.outSize = isBytes
        ? (chunk) => (chunk as ArrayBufferView).byteLength
        : options.strategy?.size as Size;
      return probeSource(source, events);
    },
    transformer(
      transformer: Transformer<unknown, unknown>,
      options: ProbeTransformerOptions<unknown, unknown> = {},
    ): unknown {
      checkTransformer(transformer);
      const known = ["writableStrategy", "readableStrategy"];
      const events = addStage(recorder, "transformer", transformer, options, known);
      const { writableStrategy, readableStrategy } = options;
      events.record.inSize = writableStrategy?.size as Size;
      events.record.inHighWaterMark = writableStrategy?.highWaterMark ?? 1;
      events.record.outSize = readableStrategy?.size as Size;
      return probeTransformer(transformer, events);
    },
    writer(sink: unknown, options: ProbeOptions<unknown> = {}): unknown {
      const events = addStage(recorder, "writer", sink, options, ["strategy"]);
      events.record.inSize = options.strategy?.size as Size;
      events.record.inHighWaterMark = options.strategy?.highWaterMark ?? 1;
      if (typeof sink !== "function") {
        if (typeof (sink as WritableStream).getWriter === "function") {
          throwTypeError("probe writer", "the stage", "an underlying sink or a function", sink);
        }
        return probeUnderlyingSink(sink as UnderlyingSink<unknown>, events);
      }
      events.record.isWriteOnly = true;
      return probeWrite(sink as never, events);
    },
  };
  return createOutput(recorder, wrappers as Pick<Probe, "reader" | "transformer" | "writer">);
}
