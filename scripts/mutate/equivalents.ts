/** A change of the code that changes nothing of what it does, as a person has found. */
export interface Equivalent {
  readonly path: string;
  /** The whole line on which it begins, without what stands around it. */
  readonly line: string;
  readonly before: string;
  readonly after: string;
  /** Where on that line, from 1, if `before` stands on it more than once. */
  readonly column?: number;
  readonly reason: string;
}

/** All that are known; one whose line is no longer there is said to be stale by `deno task mutate`. */
export const equivalents: readonly Equivalent[] = [
  {
    path: "src/engine/walk.ts",
    line: "if (stage === this.#last && work.count > 0) this.#writeOut();",
    before: ">",
    after: ">=",
    reason: "no chunks are written as no chunks",
  },
  {
    path: "src/fuse/writable_end.ts",
    line: "this.#chunk = undefined;",
    before: "this.#chunk = undefined;",
    after: ";",
    reason: "nothing reads a chunk that was taken; it is only let go of",
  },
  {
    path: "src/kernels/function_kernel.ts",
    line: "this.promise = undefined;",
    before: "this.promise = undefined;",
    after: ";",
    reason: "a promise is asked for only after another was kept; this one is only let go of",
  },
  {
    path: "src/stages/delimiter_splitter.ts",
    line: "if (start < chunk.length) this.#hold(chunk, start);",
    before: "start < chunk.length",
    after: "true",
    reason: "an empty part more is held, which changes no length",
  },
  {
    path: "src/stages/take_until.ts",
    line: "this.#stop = undefined;",
    before: "this.#stop = undefined;",
    after: ";",
    reason: "to stop twice is to stop once",
  },
  {
    path: "src/queue/batch_writer.ts",
    line: "const hasWorked = before < this.#lastGood && this.#lastGood < begunAt;",
    before: "<",
    after: "<=",
    reason: "each of them is a number that the clock has given once",
  },
  {
    path: "src/pipeline/push_output.ts",
    line: "if (this.#turn.isOver(1)) return;",
    before: "1",
    after: "2",
    reason: "the clock is asked after half as many chunks, no more",
  },
  {
    path: "src/queue/adapters/sqlite_queue.ts",
    line: "if (leftMs <= 0) break;",
    before: "0",
    after: "1",
    reason: "a wait may end up to a millisecond before its time",
  },
  {
    path: "src/queue/insist.ts",
    line: 'else signal.addEventListener("abort", stop, { once: true });',
    before: "true",
    after: "false",
    reason: "the listener is taken away once the pause is over, by itself or not",
  },
  {
    path: "src/engine/walk.ts",
    line: "if (count > this.#movedCount) this.#movedCount = count;",
    before: ">",
    after: ">=",
    reason: "what is as many already is set to the same",
  },
  {
    path: "src/pipeline/push_output.ts",
    line: "this.#waiting = undefined;",
    before: "this.#waiting = undefined;",
    after: ";",
    reason: "it is given only while a write is waited for, which sets it; it is only let go of",
  },
  {
    path: "src/queue/message_runs.ts",
    line: "this.#runs.clear();",
    before: "this.#runs.clear();",
    after: ";",
    reason: "once it is cancelled nothing asks how many runs there are; they are only let go of",
  },
  {
    path: "src/queue/intake.ts",
    line: "if (!this.#isWary && room * 2 >= terms.maxInFlight && room > this.#buffer.length) {",
    before: ">",
    after: ">=",
    reason:
      "who waits has a place, as has the one just taken: with half of them free they are fewer",
  },
];
