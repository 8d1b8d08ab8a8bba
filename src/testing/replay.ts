import { checkFunction, throwTypeError } from "../errors.ts";
import type { RecordingHeader } from "../inspect/recording.ts";
import type { ProbeEvent } from "../inspect/types.ts";
import { boolean, callback, integer, readOptions } from "../read_options.ts";
import { type CurrentTime, currentTime } from "./current_time.ts";
import { type RecordedChunk, replayChunk } from "./recorded_chunk.ts";
import { virtualTime } from "./virtual_time.ts";

/** An event of a recording, with its chunk if it is a read. */
type RecordedEvent = Pick<ProbeEvent, "seq" | "timeMs" | "event" | "id" | "reason"> & {
  readonly kind: string;
  readonly chunk?: RecordedChunk;
};

const fail = (why: string): never => {
  throw new SyntaxError(`Cannot replay: ${why}`);
};

function parseLine(line: string, place: number): Record<string, unknown> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return fail(`line ${place} is no JSON`);
  }
}

/** Reads the events at the ends of a recording; throws if it is none that can be replayed. */
function readRecording(text: string): RecordedEvent[] {
  const [first = "", ...lines] = text.trim().split("\n");
  const header = parseLine(first, 1) as unknown as RecordingHeader;
  if (header.format !== "hosepipe-probe") fail('the first line is no header of "hosepipe-probe"');
  if (header.version !== 1) fail(`the version is ${header.version}, known is 1`);
  if (header.dropped > 0) {
    fail(`the first ${header.dropped} events are not there; record with more capacity`);
  }
  const kinds = new Map(header.stages.map(({ name, kind }) => [name, kind]));
  return lines.map((line, index) => {
    const event = parseLine(line, index + 2);
    const { seq, timeMs, stage, event: name, chunk } = event;
    if (typeof seq !== "number" || typeof timeMs !== "number" || typeof name !== "string") {
      fail(`line ${index + 2} is no event`);
    }
    const kind = kinds.get(stage as string) ?? fail(`line ${index + 2} has no stage of the header`);
    if (name === "read" && chunk === undefined) {
      fail(`line ${index + 2} has no chunk; only what record() made can be replayed`);
    }
    return { ...event, kind } as unknown as RecordedEvent;
  });
}

/** The ends of a run, as they were recorded. */
export interface ReplayedEnds {
  /** Gives the chunks at the times at which they were read, then ends or fails as it did. */
  // deno-lint-ignore no-explicit-any -- of any chunks
  readonly source: ReadableStream<any>;
  /** Takes chunks, and answers each at the time at which that write was answered. */
  // deno-lint-ignore no-explicit-any -- of any chunks
  readonly sink: (chunk: any) => void | Promise<void>;
  /** What the sink has been given. */
  readonly written: readonly unknown[];
}

/** Events of a coarse clock share a time, and yet have an order. */
const leastMs = 1e-6;
/** No timer takes less. */
const leastTimerMs = 1;

/** The two ends of a recorded run. */
class ReplayedRun implements ReplayedEnds {
  readonly source: ReadableStream<unknown>;
  readonly sink: (chunk: unknown) => void | Promise<void>;
  readonly written: unknown[] = [];
  readonly #time: CurrentTime;
  readonly #startMs: number;

  constructor(
    events: readonly RecordedEvent[],
    decode: ((value: never) => unknown) | undefined,
    time: CurrentTime,
  ) {
    this.#time = time;
    this.#startMs = time.now;
    // Decoded before anything runs, so that what cannot be replayed fails at once.
    const reads = events.filter(({ kind, event }) => kind === "reader" && event === "read")
      .map((event, place) => ({ event, chunk: replayChunk(event.chunk!, place + 1, decode) }));
    this.source = this.#openSource(events, reads);
    this.sink = this.#openSink(events);
  }

  #openSource(
    events: readonly RecordedEvent[],
    reads: readonly { readonly event: RecordedEvent; readonly chunk: unknown }[],
  ): ReadableStream<unknown> {
    const end = events.find(({ kind, event }) => kind === "reader" && isEnd(event));
    let place = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const read = reads[place++];
        if (read !== undefined) {
          await this.#until(read.event);
          controller.enqueue(read.chunk);
          return;
        }
        await this.#until(end);
        if (end!.event === "error") throw new Error(end!.reason ?? "the source failed");
        controller.close();
      },
    }, { highWaterMark: 0 });
  }

  #openSink(events: readonly RecordedEvent[]): ReplayedEnds["sink"] {
    const ofSink = events.filter(({ kind }) => kind === "writer");
    const byId = (name: string) =>
      new Map(ofSink.filter(({ event }) => event === name).map((event) => [event.id, event]));
    const [writes, answers] = [byId("write"), byId("written")];
    const end = ofSink.find(({ event }) => isEnd(event));
    const firstOpen = [...writes.keys()].find((id) => !answers.has(id));
    return (chunk) => {
      this.written.push(chunk);
      const id = String(this.written.length);
      const [write, answer] = [writes.get(id), answers.get(id)];
      // A run that differs may write more than was recorded.
      if (write === undefined) return;
      // Nothing happened in between, and no timer can have fired: it may have been answered at once.
      const isQuick = answer?.seq === write.seq + 1 && answer.timeMs - write.timeMs < leastTimerMs;
      if (isQuick) return;
      if (answer !== undefined) return this.#until(answer);
      if (end?.event !== "error" || id !== firstOpen) return this.#until(end);
      return this.#until(end).then(() => {
        throw new Error(end.reason ?? "the sink failed");
      });
    };
  }

  /** Resolves at the point of the event; never, if it has not happened. */
  #until(event: RecordedEvent | undefined): Promise<void> {
    if (event === undefined) return new Promise(() => {});
    const atMs = this.#startMs + event.timeMs + event.seq * leastMs;
    return new Promise((resolve) => this.#time.at(atMs, resolve));
  }
}

function isEnd(event: string): boolean {
  return event === "end" || event === "error" || event === "cancel";
}

/** Options of `replay`. */
export interface ReplayOptions {
  /** Makes a chunk of what `encode` of `record` made of it. Default: none, and a chunk that needs it fails. */
  // deno-lint-ignore no-explicit-any -- whatever `encode` gave
  readonly decode?: ((value: any) => unknown) | undefined;
  /** Whether the pipeline waits for real I/O, as in `run` of a virtual time. Default: `false`. */
  readonly io?: boolean | undefined;
  /** How many timers may fire beside those of the recording before it fails. A positive integer. Default: 10000. */
  readonly maxTimers?: number | undefined;
}

const action = "replay";

/**
 * Runs a pipeline between ends that do what was recorded, at the same points of time, under virtual time.
 *
 * What is asked for before its time waits until then; what is asked for later is answered at once, and in the recorded
 * order. A write without an answer in the recording never settles, unless the run was stopped. Failures come as an
 * `Error` with the text that was recorded.
 *
 * @typeParam R What the run gives.
 * @param recording What `record` made.
 * @param run Runs a pipeline between the ends that it is given.
 * @param options `decode`: makes a chunk of what `encode` made of it; `io`: whether it waits for real I/O (default:
 * `false`); `maxTimers`: how many timers may fire beside those of the recording (default: 10000).
 * @returns What the run gives; it rejects as the run does.
 * @throws {TypeError} If an option is unknown or of the wrong type, or a chunk was not recorded or needs `decode`.
 * @throws {SyntaxError} If the recording is none, or has lost events.
 * @throws {Error} If the run hangs, with what `pendingRuns` lists.
 *
 * @example The same chunks, written at the same times
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { record, replay } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const { recording } = await record(({ source, sink }) =>
 *   pipeline(source(["a", "b"]), sink(() => new Promise((resolve) => setTimeout(resolve, 5))))
 * );
 * const written = await replay(recording, async ({ source, sink, written }) => {
 *   await pipeline(source, map((text: string) => text.toUpperCase()), sink);
 *   return written;
 * });
 * assert.deepEqual(written, ["A", "B"]);
 * ```
 */
export async function replay<R>(
  recording: string,
  run: (ends: ReplayedEnds) => R | PromiseLike<R>,
  options: ReplayOptions = {},
): Promise<Awaited<R>> {
  if (typeof recording !== "string") throwTypeError(action, "recording", "a string", recording);
  checkFunction(action, "run", run);
  const { decode, io, maxTimers } = readOptions(action, options, {
    decode: callback(),
    io: boolean(false),
    maxTimers: integer(10_000),
  });
  const events = readRecording(recording);
  const own = currentTime() === undefined ? virtualTime() : undefined;
  const time = currentTime()!;
  try {
    const ends = new ReplayedRun(events, decode, time);
    const result = new Promise<R>((resolve) => resolve(run(ends)));
    return await time.run(result, { io, maxTimers: maxTimers + events.length });
  } finally {
    own?.restore();
  }
}
