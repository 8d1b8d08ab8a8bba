import { checkFunction } from "../errors.ts";
import { probe } from "../inspect/probe.ts";
import { recorderOf } from "../inspect/create_output.ts";
import { toRecording } from "../inspect/recording.ts";
import { anything, callback, readOptions } from "../read_options.ts";
import type { Source } from "../source_types.ts";
import { iteratorOpener } from "./iterator_opener.ts";
import { recordChunk } from "./recorded_chunk.ts";

/** Options of `record`. */
export interface RecordOptions {
  /** What the run is called. Default: `pipeline`. */
  readonly name?: string | undefined;
  /** How many events are kept, the last ones; only a recording that has all can be replayed. Default: 10000. */
  readonly capacity?: number | undefined;
  /** Makes JSON of a chunk that is neither JSON nor bytes. Default: such a chunk is not recorded. */
  // deno-lint-ignore no-explicit-any -- of any chunks
  readonly encode?: ((chunk: any) => unknown) | undefined;
  /** Replaces a chunk by one without secrets, before it is encoded; reasons are left out then. Default: none. */
  // deno-lint-ignore no-explicit-any -- of any chunks
  readonly redact?: ((chunk: any) => unknown) | undefined;
}

/** What a run that is recorded takes its ends from. */
export interface RecordedEnds {
  /** Wraps the source; its chunks are recorded. */
  source<T>(source: Source<T>): ReadableStream<T>;
  /** Wraps the function that writes a chunk; when it answers is recorded. */
  sink<T, Rest extends unknown[]>(
    write: (chunk: T, ...rest: Rest) => unknown,
  ): (chunk: T, ...rest: Rest) => unknown;
  /** The recording so far, of a run that may never end. */
  toJsonLines(): string;
}

/** A run that was recorded. */
export interface Recorded<R> {
  /** JSON Lines, in the format of `toJsonLines` of a probe; what is read has a member `chunk`. */
  readonly recording: string;
  /** How the run ended. */
  readonly outcome: PromiseSettledResult<R>;
}

const action = "record";

/** The chunks of the last reads, of which the recording shows as many. */
class RecordedChunks {
  readonly #texts = new Map<number, string>();
  readonly #capacity: number;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(text: string): void {
    this.#texts.set(++this.#count, text);
    this.#texts.delete(this.#count - this.#capacity);
  }

  /** The lines of a probe, each read with its chunk. */
  addTo(lines: string): string {
    return lines.split("\n").map((line) => {
      if (!line.includes('"event":"read"')) return line;
      const text = this.#texts.get(Number(JSON.parse(line).id));
      return text === undefined ? line : `${line.slice(0, -1)},"chunk":${text}}`;
    }).join("\n");
  }
}

function openSource<T>(source: unknown, note: (chunk: T) => void): ReadableStream<T> {
  const openIterator = iteratorOpener<T>(action, "source", source);
  let iterator: AsyncIterator<T> | Iterator<T> | undefined;
  const open = () => iterator ??= openIterator();
  return new ReadableStream<T>({
    pull: async (controller) => {
      const { done, value } = await open().next();
      if (done) return controller.close();
      note(value);
      controller.enqueue(value);
    },
    cancel: async (reason) => void await open().return?.(reason),
  }, { highWaterMark: 0 });
}

/**
 * Records what the two ends of a run do, and when, so that `replay` can do the same again. The playground opens it.
 *
 * Chunks are written down as they are read, as JSON, and bytes as base64; what is neither needs `encode`. A failure
 * of the run fails nothing here.
 *
 * @typeParam R What the run gives.
 * @param run Runs a pipeline between the ends that it wraps: one source, one sink.
 * @param options `name`: of the run (default: `pipeline`); `capacity`: how many events are kept (default: 10000);
 * `encode`: makes JSON of a chunk; `redact`: replaces a chunk by one without secrets, and leaves out reasons.
 * @returns The recording, and how the run ended.
 * @throws {TypeError} If `run` is no function, or an option is unknown or of the wrong type.
 * @throws {RangeError} If `capacity` is no non-negative integer.
 *
 * @example A failure becomes a test
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { record, replay } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const parse = () => map((line: string) => JSON.parse(line));
 * const { recording, outcome } = await record(({ source, sink }) =>
 *   pipeline(source(['{"id":1}', "oops"]), parse(), sink(() => {}))
 * );
 * assert.deepEqual(outcome.status, "rejected");
 *
 * await assert.rejects(
 *   () => replay(recording, ({ source, sink }) => pipeline(source, parse(), sink)),
 *   SyntaxError,
 * );
 * ```
 */
export async function record<R>(
  run: (ends: RecordedEnds) => R | PromiseLike<R>,
  options: RecordOptions = {},
): Promise<Recorded<Awaited<R>>> {
  checkFunction(action, "run", run);
  const { name, capacity, encode, redact } = readOptions(action, options, {
    name: anything(),
    capacity: anything(10_000),
    encode: callback(),
    redact: callback(),
  });
  // A clock of its own is read for each event.
  const look = probe({ name, capacity, now: () => performance.now() });
  const chunks = new RecordedChunks(capacity);
  const note = (chunk: unknown) => chunks.add(JSON.stringify(recordChunk(chunk, redact, encode)));
  const toJsonLines = () =>
    chunks.addTo(toRecording(recorderOf(action, look), redact !== undefined));
  const ends: RecordedEnds = {
    source: <T>(source: Source<T>) =>
      look.reader(openSource<T>(source, note)) as unknown as ReadableStream<T>,
    sink: (write) => look.writer(write),
    toJsonLines,
  };
  const [outcome] = await Promise.allSettled([new Promise<R>((end) => end(run(ends)))]);
  return { recording: toJsonLines(), outcome: outcome as PromiseSettledResult<Awaited<R>> };
}
