import type { Readable, Transform, Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { addStage } from "../src/inspect/add_stage.ts";
import { createOutput } from "../src/inspect/create_output.ts";
import type { RecorderOptions } from "../src/inspect/types.ts";
import type { ProbedSink, ProbeOutput } from "../src/inspect/probe_output.ts";
import { probeUnderlyingSink, probeWrite } from "../src/inspect/probe_writer.ts";
import { Recorder } from "../src/inspect/recorder.ts";
import type { StageEvents } from "../src/inspect/stage_events.ts";
import { watchReadable, watchTransform, watchWritable } from "./watch.ts";
import type { UnderlyingSink } from "../src/web_types.ts";

/** What a probe needs to know of a node stream. */
export interface ProbeStreamOptions {
  /** What the stage is called in events. Default: its kind. */
  name?: string | undefined;
}

/** Watches one pipeline of node streams. */
export interface NodeProbe extends ProbeOutput {
  /** Looks at a `Readable`, and answers that very stream. */
  reader<Stream extends Readable>(stream: Stream, options?: ProbeStreamOptions): Stream;
  /** Looks at a `Transform`, and answers that very stream. */
  transformer<Stream extends Transform>(stream: Stream, options?: ProbeStreamOptions): Stream;
  /** Looks at a `Writable`, and answers that very stream. */
  writer<Stream extends Writable>(stream: Stream, options?: ProbeStreamOptions): Stream;
  /**
   * Wraps a function that writes a chunk, for `writer`, whose writes may overlap. The stream that `writer` makes of it
   * may then be given to this, too, for its buffer and its end.
   */
  writer<Chunk, Rest extends unknown[]>(
    write: (chunk: Chunk, ...rest: Rest) => unknown,
    options?: ProbeStreamOptions,
  ): (chunk: Chunk, ...rest: Rest) => unknown;
  /** Wraps the functions that `writer` takes, in one dictionary. */
  writer<Chunk>(
    sink: { write(chunk: Chunk): unknown; close?(): unknown; abort?(reason?: unknown): unknown },
    options?: ProbeStreamOptions,
  ): ProbedSink<Chunk>;
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function";
}

/**
 * The same as the Web `probe`, on `node:stream`: watches streams in place, before they are piped, no matter what made
 * them, and changes nothing in the order of what they do. Buffers are read off `readableLength` and `writableLength`; a
 * chunk in the hands of a stage, or transformed and still holding its place, is not counted there.
 *
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `capacity` is negative or no integer.
 *
 * @example
 * ```ts
 * import { probe, reader, transformer } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * const look = probe();
 * const numbers = look.reader(reader([1, 2, 3, 4, 5, 6, 7, 8, 9], { highWaterMark: 2 }));
 * numbers.pipe(look.transformer(transformer({}, { highWaterMark: 2 })));
 *
 * await new Promise((resolve) => setTimeout(resolve, 50));
 * const { readerOut, transformerIn, transformerOut } = look.occupancy();
 * assert.deepEqual([readerOut, transformerIn, transformerOut], [2, 1, 2]);
 * ```
 */
export function probe(options: RecorderOptions = {}): NodeProbe {
  const recorder = new Recorder(options);
  let functions: StageEvents | undefined;
  const wrappers = {
    reader(stream: Readable, options?: ProbeStreamOptions): Readable {
      if (!hasMethod(stream, "_read")) {
        throwTypeError("probe reader", "the stage", "a node Readable", stream);
      }
      watchReadable(stream, addStage(recorder, "reader", stream, options, []));
      return stream;
    },
    transformer(stream: Transform, options?: ProbeStreamOptions): Transform {
      if (!hasMethod(stream, "_transform")) {
        throwTypeError("probe transformer", "the stage", "a node Transform", stream);
      }
      watchTransform(stream, addStage(recorder, "transformer", stream, options, []));
      return stream;
    },
    writer(sink: unknown, options?: ProbeStreamOptions): unknown {
      if (hasMethod(sink, "_write")) {
        if (functions === undefined) {
          watchWritable(sink as Writable, addStage(recorder, "writer", sink, options, []));
        } else {
          checkOptions("probe writer", options, []);
          functions.record.isWriteOnly = false;
          watchWritable(sink as Writable, functions, false);
          functions = undefined;
        }
        return sink;
      }
      if (!hasMethod({ sink }, "sink") && !hasMethod(sink, "write")) {
        const need = "a node Writable, a function or functions for one";
        throwTypeError("probe writer", "the stage", need, sink);
      }
      functions = addStage(recorder, "writer", sink, options, []);
      if (typeof sink !== "function") return probeUnderlyingSink(sink as UnderlyingSink, functions);
      functions.record.isWriteOnly = true;
      return probeWrite(sink as (chunk: unknown) => unknown, functions);
    },
  };
  return createOutput(
    recorder,
    wrappers as unknown as Pick<NodeProbe, "reader" | "transformer" | "writer">,
  );
}
