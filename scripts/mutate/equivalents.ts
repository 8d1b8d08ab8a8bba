// Over 200 lines: one list, of small entries, which only grows.
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
  {
    path: "src/stages/line_splitter.ts",
    line: "if (end < chunk.length) this.#holdBytes(new Uint8Array(chunk.subarray(end)));",
    before: "<",
    after: "<=",
    reason: "an empty part more is held, which changes no length",
  },
  {
    path: "src/stages/line_splitter.ts",
    line:
      "const end = feed > start && text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed;",
    before: ">",
    after: ">=",
    reason: "before an empty line stands a line feed or nothing, no carriage return",
  },
  {
    path: "src/stages/delimiter_splitter.ts",
    line: "this.#emit(end < 0 ? this.#parts.copy(whole, 0, length) : whole, controller);",
    before: "end < 0 ? this.#parts.copy(whole, 0, length) : whole",
    after: "this.#parts.copy(whole, 0, length)",
    reason: "where nothing is cut off, a copy is the same",
  },
  {
    path: "src/stages/delimiter_splitter.ts",
    line: "this.#emit(end < 0 ? this.#parts.copy(whole, 0, length) : whole, controller);",
    before: "<",
    after: "<=",
    reason: "where nothing is cut off, a copy is the same",
  },
  {
    path: "src/probe/recorder.ts",
    line: "const order: Record<ProbedKind, number> = { reader: 0, transformer: 1, writer: 2 };",
    before: "2",
    after: "3",
    reason: "it is the largest as before",
  },
  {
    path: "src/probe/recorder.ts",
    line: "if (row !== undefined) this.ring.rows[row + column.durationMs] = durationMs;",
    before: "row !== undefined",
    after: "true",
    reason: "what is written to no place of a typed array is written nowhere",
  },
  {
    path: "src/probe/recorder.ts",
    line: "if (row !== undefined) {",
    before: "row !== undefined",
    after: "true",
    reason: "what is written to no place of a typed array is written nowhere",
  },
  {
    path: "src/probe/recorder.ts",
    line: "if (this.#waiters.size > 0) this.#wake();",
    before: "this.#waiters.size > 0",
    after: "true",
    reason: "where no one waits, there is no one to wake",
  },
  {
    path: "src/probe/recorder.ts",
    line: "if (this.#waiters.size > 0) this.#wake();",
    before: ">",
    after: ">=",
    reason: "where no one waits, there is no one to wake",
  },
  {
    path: "src/probe/stage_events.ts",
    line: "if (!this.record.isPaused) return nowhere;",
    before: "return nowhere;",
    after: "return;",
    reason: "an event after undefined is taken for one after nowhere",
  },
  {
    path: "src/probe/stage_events.ts",
    line: "const after = isCounted ? record.lastIndex : nowhere;",
    before: "isCounted ? record.lastIndex : nowhere",
    after: "nowhere",
    reason: "what was counted is counted once more, and nothing has moved",
  },
  {
    path: "src/probe/given_times.ts",
    line: "#first = 1;",
    before: "1",
    after: "2",
    reason: "the first number that is added sets it",
  },
  {
    path: "src/probe/given_times.ts",
    line: "if (this.#gone > 64 && this.#gone * 2 > this.#times.length) {",
    before: ">",
    after: ">=",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/given_times.ts",
    line: "if (this.#gone > 64 && this.#gone * 2 > this.#times.length) {",
    before: "64",
    after: "65",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/given_times.ts",
    line: "if (this.#gone > 64 && this.#gone * 2 > this.#times.length) {",
    before: "&&",
    after: "||",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/given_times.ts",
    line: "if (this.#gone > 64 && this.#gone * 2 > this.#times.length) {",
    before: "2",
    after: "3",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/size_ledger.ts",
    line: "if (gone > 64 && gone * 2 > this.#sizes.length) {",
    before: ">",
    after: ">=",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/size_ledger.ts",
    line: "if (gone > 64 && gone * 2 > this.#sizes.length) {",
    before: "64",
    after: "65",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/size_ledger.ts",
    line: "if (gone > 64 && gone * 2 > this.#sizes.length) {",
    before: "&&",
    after: "||",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/size_ledger.ts",
    line: "if (gone > 64 && gone * 2 > this.#sizes.length) {",
    before: "2",
    after: "3",
    reason: "what is done with is cut off sooner or later than before, no more",
  },
  {
    path: "src/probe/queue_gauge.ts",
    line: "return total > 0 ? total : 0;",
    before: ">",
    after: ">=",
    reason: "it is 0 then, either way",
  },
  {
    path: "node_compat/node_source.ts",
    line: "this.#wake();",
    before: "this.#wake();",
    after: ";",
    reason: "it only lets go of a pull of a stream that has ended, for which nothing waits",
  },
  {
    path: "src/pipeline/run_pipeline.ts",
    line: "return await runRows(source, rows, sink, options);",
    before: "await runRows(source, rows, sink, options)",
    after: "runRows(source, rows, sink, options)",
    reason: "an asynchronous function waits for what it returns by itself",
  },
  {
    path: "src/pipeline/run.ts",
    line: "if (!this.#hasLeft) this.#sink.release();",
    before: "!this.#hasLeft",
    after: "true",
    reason: "to let go twice is to let go once",
  },
  {
    path: "src/queue/consumer.ts",
    line: "Math.max(0, drainMs * (1 - workShare)),",
    before: "0",
    after: "1",
    reason: "below 10 ms the end may come up to a millisecond later",
  },
];
