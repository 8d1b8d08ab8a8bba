import type { Duplex, Readable, Writable } from "node:stream";
import { checkSignal } from "../src/check_signal.ts";
import { FirstFailure } from "../src/engine/first_failure.ts";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { hasEndedEarly, wasStopped } from "./early_end.ts";
import { isStandard } from "../src/standard_stream.ts";
import type { ReaderSource } from "../src/sources/batch_source.ts";
import { notePlace } from "./note_place.ts";
import { reporter } from "./run_channel.ts";
import { reader } from "./reader.ts";
import { NodeSink } from "./node_sink.ts";
import { sinkWritable } from "./sink_side.ts";
import { toError } from "../src/source/stage_error.ts";
import { destroyStream, onStreamEnd, prematureClose } from "../src/source/node_stream_end.ts";
import { transformer } from "./transformer.ts";
import { writer } from "./writer.ts";
import type { Transformer } from "../src/web_types.ts";
import { watchSignal } from "../src/watch_signal.ts";
import { problemOf } from "../src/engine/plan_stages.ts";
import { findSource } from "../src/source/find_source.ts";

/** Options of {@linkcode pipeline}. */
export interface PipelineOptions {
  /** Destroys every stream with its reason once it aborts; the run then rejects within a turn, even if something hangs. */
  signal?: AbortSignal | undefined;
}

/** A stage or the sink of a {@linkcode pipeline}. */
export type PipelinePart =
  | Duplex
  | Writable
  // deno-lint-ignore no-explicit-any -- of any chunk types
  | Transformer<any, any>
  // deno-lint-ignore no-explicit-any -- of any chunk types
  | ((chunk: any) => unknown);

const action = "run pipeline";

/** Makes the streams of the parts; destroys them if that fails midway. */
function toStreams(parts: readonly unknown[]): NodeStream[] {
  const streams: NodeStream[] = [];
  const sink = parts.at(-1) as Writable | ((chunk: unknown) => unknown);
  try {
    streams.push(isNodeStream(parts[0]) ? parts[0] : reader(parts[0] as ReaderSource<unknown>));
    for (const stage of parts.slice(1, -1)) {
      streams.push(isNodeStream(stage) ? stage : transformer(stage as Transformer));
    }
    if (typeof sink === "function") streams.push(writer(sink));
    else streams.push(isStandard(sink) ? sinkWritable(new NodeSink(sink), 1, true) : sink);
  } catch (reason) {
    for (const stream of streams) stream.on("error", () => {}).destroy(toError(reason));
    throw reason;
  }
  return streams;
}

/**
 * Connects node streams with `pipe`, in the order of events that has, and settles once all of them are closed.
 * It fails with the very value that a stage threw, `undefined` included, after it has destroyed every stream with it.
 * A stage that ends early by `terminate` is a success; a stream that others end before all was piped into it fails with
 * `ERR_STREAM_PREMATURE_CLOSE`. A source that is not a stream is read by {@linkcode reader}, a dictionary runs in a
 * {@linkcode transformer}, and a function is the `write` of a {@linkcode writer}. The process's own streams stay open.
 * All parts are checked before any is touched; like the Web's it rejects for a bad one, and never throws in the same
 * step.
 *
 * @throws {TypeError} If a part is none of these (the message names its place) or has ended, or an option is unknown.
 *
 * @example
 * ```ts
 * import { pipeline, reader, transformer, writer } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * const written: string[] = [];
 * await pipeline(
 *   reader(["a", "b"], { highWaterMark: 2 }),
 *   transformer<string, string>({ transform: (chunk, controller) => controller.enqueue(chunk + "!") }),
 *   writer((chunk: string) => void written.push(chunk), { concurrency: 2 }),
 * );
 * assert.deepEqual(written, ["a!", "b!"]);
 * ```
 */
export async function pipeline(
  source: Readable | ReaderSource<unknown>,
  ...stagesThenSinkThenOptions: (PipelinePart | PipelineOptions)[]
): Promise<void> {
  const parts: unknown[] = [source, ...stagesThenSinkThenOptions];
  const last = parts.at(-1);
  const hasOptions = parts.length > 2 && typeof last !== "function" && !isNodeStream(last);
  const options = (hasOptions ? parts.pop() : undefined) as PipelineOptions | undefined;
  checkParts(parts);
  checkOptions(action, options, ["signal"]);
  const signal = options?.signal;
  if (signal !== undefined) checkSignal(action, "signal", signal);
  if (!reporter.isHeard) return await run(parts, signal);
  const call = { action, source, stages: parts.slice(1, -1), sink: parts.at(-1) };
  await reporter.report(call, () => run(parts, signal));
}

async function run(parts: readonly unknown[], signal: AbortSignal | undefined): Promise<void> {
  const streams = toStreams(parts);
  await new Promise<void>((resolve, reject) => {
    const first = new FirstFailure();
    const forgets: (() => void)[] = [];

    const settle = (): void => {
      unwatch?.();
      if (first.failure === undefined) resolve();
      else reject(first.failure.reason);
    };
    /** Settles once `those` are closed. */
    const end = async (those: readonly NodeStream[], error?: Error): Promise<void> => {
      await Promise.allSettled(those.map((stream) => destroyStream(stream, error)));
      settle();
      // A stream that was over when it was destroyed emits its error only after this: listen until then.
      setImmediate(() => forgets.forEach((forget) => forget()));
    };
    const fail = (reason: unknown, index?: number): void => {
      if (first.failure !== undefined) return;
      first.note(reason);
      if (index !== undefined) notePlace(reason, parts, index, streams[index]!);
      // A source that is left open must give no more.
      (streams[0] as Partial<Readable>).unpipe?.(streams[1] as Writable);
      void end(streams, toError(reason));
    };
    const onAbort = (): void => {
      fail(signal!.reason);
      // A part that hangs is left behind.
      setImmediate(settle);
    };

    /** Of each pipe the readable side, and the writable one. */
    const sides = streams.flatMap((stream, index) => [
      { stream, index, readable: false, writable: true, isOver: index === 0 },
      { stream, index, readable: true, writable: false, isOver: index === streams.length - 1 },
    ]).filter(({ isOver }) => !isOver);
    sides.forEach((side, place) => {
      const { stream, index, readable, writable } = side;
      forgets.push(onStreamEnd(stream, { readable, writable }, (failure) => {
        side.isOver = true;
        if (first.failure !== undefined) return;
        if (failure !== undefined) {
          if (!wasStopped(stream)) fail(failure.reason, index);
        } else if (readable) {
          // Closed with all of it read, but without its end event: node calls that finished, and pipes no end.
          const next = streams[index + 1] as Writable;
          if (stream.closed && !next.writableEnded) next.end();
        } else {
          const before = sides[place - 1]!;
          const hasEnded = before.isOver || (before.stream as Readable).readableEnded;
          if (!hasEnded && !wasStopped(before.stream)) fail(prematureClose(), index);
        }
        const isOver = sides.every((side) => side.isOver || wasStopped(side.stream));
        if (isOver && first.failure === undefined) void end(streams.filter(wasStopped));
      }));
    });
    for (let index = 1; index < streams.length; index++) {
      (streams[index - 1] as Readable).pipe(streams[index] as Writable);
    }
    const unwatch = signal && watchSignal(signal, onAbort);
    if (signal?.aborted) onAbort();
  });
}

/** Any node stream. */
export type NodeStream = Readable | Writable | Duplex;

/** Tells whether `value` is a node stream. */
export function isNodeStream(value: unknown): value is NodeStream {
  const { on, pipe, write } = Object(value) as Partial<Duplex>;
  return typeof on === "function" && (typeof pipe === "function" || typeof write === "function");
}

function isWritable(stream: NodeStream): boolean {
  return typeof (stream as Partial<Duplex>).write === "function";
}

/** What is old enough to have no `read` is readable unless it is a `Writable`, which has a `pipe` that fails. */
function isReadable(stream: NodeStream): boolean {
  return typeof (stream as Partial<Duplex>).read === "function" || !isWritable(stream);
}

/** Whether what is piped into `part` would be lost, without an event that says so. */
function hasEnded(part: unknown): boolean {
  const { writableEnded, destroyed } = Object(part) as Partial<Writable>;
  // A stage such as `take(0)` ends before it begins.
  return writableEnded === true && (destroyed || !hasEndedEarly(part as object));
}

function isWebStream(value: unknown): boolean {
  const { getReader, getWriter, readable } = Object(value);
  return typeof (getReader ?? getWriter ?? readable?.getReader) === "function";
}

/** What is wrong with a stage, and what to do about it; nothing if it can stand between two others. */
function problemHere(stage: unknown): string | undefined {
  if (isWebStream(stage)) return "a Web stream; use toNode(stream)";
  if (!isNodeStream(stage)) return problemOf(stage);
  if (!isReadable(stage)) return "a Writable; only the last part is a sink";
  return isWritable(stage) ? undefined : "a Readable; only the first part is a source";
}

/** Throws unless each part can stand where it does; touches none: "Cannot run pipeline: stage 1 is …". */
export function checkParts(parts: readonly unknown[]): void {
  if (parts.length < 2) {
    throw new TypeError(`Cannot ${action}: it takes a source and a sink at least`);
  }
  const [source, sink] = [parts[0], parts.at(-1)];
  const isSource = isNodeStream(source)
    ? isReadable(source)
    : typeof source === "function" || findSource(action, source, "source") !== undefined;
  if (!isSource) {
    throwTypeError(action, "source", "a node Readable or what reader() reads", source);
  }
  for (const [index, stage] of parts.slice(1, -1).entries()) {
    const problem = problemHere(stage);
    if (problem === undefined) continue;
    throw new TypeError(`Cannot ${action}: stage ${index + 1} is ${problem}`);
  }
  if (isWebStream(sink)) {
    throw new TypeError(`Cannot ${action}: sink is a Web stream; use toNode(stream)`);
  }
  if (isNodeStream(sink) ? !isWritable(sink) : typeof sink !== "function") {
    throwTypeError(action, "sink", "a node Writable or a function", sink);
  }
  const ended = parts.findIndex((part, index) => index > 0 && hasEnded(part));
  if (ended > 0) {
    const name = ended === parts.length - 1 ? "sink" : `stage ${ended}`;
    throw new TypeError(`Cannot ${action}: ${name} has ended and takes no more`);
  }
  const streams = parts.filter(isNodeStream);
  if (new Set(streams).size < streams.length) {
    throw new TypeError(`Cannot ${action}: a stream stands in it twice`);
  }
}
