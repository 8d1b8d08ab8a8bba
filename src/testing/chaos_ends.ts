import { isBytes } from "../is_bytes.ts";
import { noteActivity } from "./activity.ts";
import type { ChaosSchedule } from "./chaos_schedule.ts";
import type { HeldWatch } from "./held_run.ts";

/** An end that chaos holds, as it is judged. */
export interface ChaosEnd {
  readonly name: string;
  /** Whether anything was asked of it. */
  isUsed: boolean;
  /** How it has ended, each time. */
  readonly endings: string[];
}

/** What ends note when they are asked for something. */
export interface ChaosWatch extends HeldWatch {
  readonly ends: ChaosEnd[];
}

const marks = [1, 0, 2, 4, 16] as const;
const describeMark = (name: string) => (mark: number) => `${name} has a highWaterMark of ${mark}`;

function addEnd({ ends }: ChaosWatch, kind: string): ChaosEnd {
  const number = ends.filter(({ name }) => name.startsWith(kind)).length + 1;
  const end = { name: number === 1 ? kind : `${kind} ${number}`, isUsed: false, endings: [] };
  ends.push(end);
  return end;
}

/** Notes a call; one that ends it may come late, since a signal does not wait for a write in flight. */
function note(watch: ChaosWatch, end: ChaosEnd, call: string, isEnding = false): void {
  noteActivity();
  end.isUsed = true;
  if (watch.isOver && !isEnding) watch.late.push(`${call} of the ${end.name}`);
}

/** Gives the chunks of a source one after the other, late, cut, or not at all. */
class ChunkReader<T> {
  readonly end: ChaosEnd;
  readonly #chunks: Iterator<T>;
  readonly #schedule: ChaosSchedule;
  readonly #watch: ChaosWatch;
  #rest: T | undefined;
  #given = 0;

  constructor(chunks: Iterable<T>, schedule: ChaosSchedule, watch: ChaosWatch) {
    this.end = addEnd(watch, "source");
    this.#chunks = chunks[Symbol.iterator]();
    this.#schedule = schedule;
    this.#watch = watch;
  }

  /** The next chunk, or its end. */
  async next(): Promise<IteratorResult<T, undefined>> {
    note(this.#watch, this.end, "a read");
    const what = `chunk ${this.#given + 1} of the ${this.end.name}`;
    try {
      await this.#schedule.moment(what, "source", () => this.end.endings.length > 0);
    } catch (reason) {
      this.end.endings.push("failed");
      throw reason;
    }
    noteActivity();
    if (this.end.endings.length > 0) return { done: true, value: undefined };
    let chunk: T;
    if (this.#rest === undefined) {
      const { done, value } = this.#chunks.next();
      if (done) {
        this.end.endings.push("read to its end");
        return { done: true, value: undefined };
      }
      chunk = value;
    } else chunk = this.#rest;
    this.#rest = undefined;
    this.#given++;
    if (isBytes(chunk)) {
      const at = this.#schedule.cut(what, chunk.length);
      if (at !== undefined) {
        this.#rest = chunk.slice(at) as T;
        return { done: false, value: chunk.slice(0, at) as T };
      }
    }
    return { done: false, value: chunk };
  }

  cancel(): void {
    note(this.#watch, this.end, "a cancel", true);
    // What has ended may be cancelled, as a generator may be returned.
    if (this.end.endings.length > 0 && !this.end.endings.includes("cancelled")) return;
    this.end.endings.push("cancelled");
    this.#chunks.return?.();
  }
}

/** Opens a source as a Web stream. */
export function openChaosStream<T>(
  chunks: Iterable<T>,
  schedule: ChaosSchedule,
  watch: ChaosWatch,
): ReadableStream<T> {
  const reader = new ChunkReader(chunks, schedule, watch);
  const highWaterMark = schedule.choose(marks, describeMark(`the ${reader.end.name}`));
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await reader.next();
      if (reader.end.endings.includes("cancelled")) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  }, { highWaterMark });
}

/** Opens a source as an async iterable. */
export function openChaosIterable<T>(
  chunks: Iterable<T>,
  schedule: ChaosSchedule,
  watch: ChaosWatch,
): AsyncIterable<T> {
  const reader = new ChunkReader(chunks, schedule, watch);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => reader.next(),
      async return(value?: unknown) {
        reader.cancel();
        await schedule.moment(`the return of the ${reader.end.name}`, undefined);
        return { done: true, value };
      },
    }),
  };
}

/** Opens a sink, each of whose calls is late or fails. */
export function openChaosSink<T>(
  write: ((chunk: T) => unknown) | undefined,
  schedule: ChaosSchedule,
  watch: ChaosWatch,
): WritableStream<T> {
  const end = addEnd(watch, "sink");
  // With 0 a pipe would wait forever.
  const highWaterMark = schedule.choose([1, 2, 4, 16], describeMark(`the ${end.name}`));
  let writes = 0;
  const act = async (what: string) => {
    try {
      await schedule.moment(what, "sink", () => end.endings.length > 0);
    } catch (reason) {
      end.endings.push("failed");
      throw reason;
    }
    noteActivity();
  };
  return new WritableStream<T>({
    async write(chunk) {
      note(watch, end, "a write");
      await act(`write ${++writes} of the ${end.name}`);
      await write?.(chunk);
    },
    async close() {
      note(watch, end, "a close");
      await act(`the close of the ${end.name}`);
      end.endings.push("closed");
    },
    abort() {
      note(watch, end, "an abort", true);
      // A write in flight may fail while the stream is aborted.
      if (!end.endings.includes("failed")) end.endings.push("aborted");
    },
  }, { highWaterMark });
}
