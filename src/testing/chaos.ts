import { checkFunction, checkInteger, throwTypeError } from "../errors.ts";
import { describeRuns } from "../inspect/print_pending_runs.ts";
import { isBytes } from "../is_bytes.ts";
import { anything, boolean, integer, readOptions } from "../read_options.ts";
import { noteActivity } from "./activity.ts";
import {
  type HeldOutcome,
  type HeldWatch,
  lateProblem,
  leakProblem,
  runHeld,
  unhandledProblem,
} from "./held_run.ts";
import { printChunk } from "./print_chunk.ts";

/** What `chaos` may do besides delays and cuts. */
export type ChaosFault = "abort" | "call" | "sink" | "source";

/** What a pipeline under chaos is made with. */
export interface ChaosContext {
  /** Aborts at a drawn moment, if `faults` has `"abort"`. */
  readonly signal: AbortSignal;
  /**
   * Gives chunks as a Web stream, each late or at once, with a drawn `highWaterMark`; it may fail in place of any, and
   * bytes (`Uint8Array`) may be cut anywhere.
   *
   * @typeParam T The type of the chunks.
   * @param chunks What it gives, in order.
   */
  source<T>(chunks: Iterable<T>): ReadableStream<T>;
  /**
   * The same as an async iterable, which is asked for one chunk at a time and has a `return`.
   *
   * @typeParam T The type of the chunks.
   * @param chunks What it gives, in order.
   */
  iterable<T>(chunks: Iterable<T>): AsyncIterable<T>;
  /**
   * Takes chunks as a Web stream, each write late or at once, with a drawn `highWaterMark`; any write, and the close, may
   * fail.
   *
   * @typeParam T The type of the chunks.
   * @param write Called with each chunk that is written; a promise that it gives is waited for.
   */
  sink<T>(write?: (chunk: T) => unknown): WritableStream<T>;
  /**
   * Makes a function of which each call is late or at once, and may fail before `fn` is called or after.
   *
   * @param fn What is called, with the same arguments.
   */
  wrap<A extends readonly unknown[], R>(fn: (...args: A) => R): (...args: A) => Promise<Awaited<R>>;
  /** Fulfilled at once or late. */
  pause(): Promise<void>;
}

/** The part of fast-check that `chaos` calls: its default export has it. */
// deno-lint-ignore no-explicit-any -- its types are fast-check's own
export type ChaosFastCheck = Readonly<Record<ChaosFastCheckFunction, (...args: any[]) => any>>;

/** What of fast-check is called. */
export type ChaosFastCheckFunction =
  | "array"
  | "asyncProperty"
  | "check"
  | "constant"
  | "integer"
  | "oneof";

/** How `chaos` draws schedules. */
export interface ChaosOptions {
  /** The module fast-check, which draws and shrinks; not needed with `schedule`. Default: none. */
  readonly fastCheck?: ChaosFastCheck | undefined;
  /** How many schedules are tried, the one without any disturbance included. A positive integer. Default: 100. */
  readonly runs?: number | undefined;
  /** What the schedules are drawn from. An integer. Default: drawn. */
  readonly seed?: number | undefined;
  /** This schedule alone, as a failure names it. Default: none. */
  readonly schedule?: readonly number[] | undefined;
  /** Which faults are drawn. Default: all. */
  readonly faults?: readonly ChaosFault[] | undefined;
  /** Whether the pipeline takes real time, such as for compression. Default: `false`. */
  readonly io?: boolean | undefined;
}

/** A schedule under which something is wrong. */
export interface ChaosFailure {
  /** The smallest that was found: `chaos(fn, { schedule })` runs it. */
  readonly schedule: readonly number[];
  /** The same in words, in order: each disturbance. */
  readonly steps: readonly string[];
  /** What was wrong. */
  readonly problem: string;
  /** What the pipeline was rejected with, if that was wrong. */
  readonly error: unknown;
  /** Lines of code that run the same again. */
  readonly script: string;
}

/** What `chaos` has found. */
export interface ChaosResult {
  /** How many schedules were run before one failed, or all; those that make it smaller are not counted. */
  readonly runs: number;
  /** What the schedules were drawn from; `undefined` where none was drawn. */
  readonly seed: number | undefined;
  /** The first failure, made as small as can be; `undefined` if there was none. */
  readonly failed: ChaosFailure | undefined;
  /** Throws an error with the failure, its steps, its seed and the script that runs it again. */
  throwIfFailed(): void;
}

/** The numbers of a schedule: 0 does nothing, the last three are faults. */
const lastMove = 9;
/** The smallest number that is a fault. */
const firstFault = 7;

/** How late something comes: so many microtasks or milliseconds. */
const delays = [
  { words: "at once" },
  { words: "a microtask late", microtasks: 1 },
  { words: "three microtasks late", microtasks: 3 },
  { words: "a turn of the event loop late", ms: 0 },
  ...[1, 10, 1_000].map((ms) => ({ words: `${ms} ms late`, ms })),
] as readonly { readonly words: string; readonly microtasks?: number; readonly ms?: number }[];
/** The number of a turn of the event loop. */
const aTurn = 3;

/** More would only hide what the first ones do. */
const mostFaults = 2;

/** A schedule as it is used up: each point of a run takes the next of its numbers, and 0 where it has ended. */
class ChaosSchedule {
  /** What was injected, with the way in, to compare with what comes out. */
  readonly reasons: { readonly by: ChaosFault; readonly reason: unknown }[] = [];
  /** Each disturbance, in words. */
  readonly steps: string[] = [];
  readonly #moves: readonly number[];
  readonly #controller: AbortController;
  readonly #faults: readonly ChaosFault[];
  #used = 0;
  /** How many of its delays are under way. */
  pendingDelays = 0;

  constructor(
    moves: readonly number[],
    controller: AbortController,
    faults: readonly ChaosFault[],
  ) {
    this.#moves = moves;
    this.#controller = controller;
    this.#faults = faults;
  }

  /** How many of its numbers were used. */
  get used(): number {
    return Math.min(this.#used, this.#moves.length);
  }

  #next(): number {
    return this.#moves[this.#used++] ?? 0;
  }

  /** One of several settings; the first is the usual one. */
  choose<T>(choices: readonly T[], describe: (choice: T) => string): T {
    const move = this.#next();
    const choice = choices[move % choices.length]!;
    if (choice !== choices[0]) this.steps.push(describe(choice));
    return choice;
  }

  /** Where a chunk of so many bytes is cut, if it is. */
  cut(what: string, length: number): number | undefined {
    if (length < 2) return undefined;
    const move = this.#next();
    if (move === 0) return undefined;
    const at = length <= lastMove + 1
      ? 1 + (move - 1) % (length - 1)
      : Math.max(1, Math.floor(move * length / (lastMove + 1)));
    this.steps.push(`${what} is cut after ${at} of ${length} bytes`);
    return at;
  }

  /** A moment at which something is late, fails unless it is over by then, or at which the signal aborts. */
  async moment(
    what: string,
    by: Exclude<ChaosFault, "abort"> | undefined,
    isOver: () => boolean = () => false,
  ): Promise<void> {
    const move = this.#next();
    if (move === 0) return;
    if (move < firstFault) {
      this.steps.push(`${what} is ${delays[move]!.words}`);
      return await this.#wait(move);
    }
    if (this.reasons.length >= mostFaults) return;
    if (move === lastMove) {
      if (this.#faults.includes("abort") && !this.#controller.signal.aborted) {
        this.steps.push(`${what}: the signal aborts before it`);
        this.#controller.abort(new Error("chaos: the signal aborts"));
        this.reasons.push({ by: "abort", reason: this.#controller.signal.reason });
      }
      return;
    }
    if (by === undefined || !this.#faults.includes(by)) return;
    const isLate = move > firstFault;
    const reason = isLate ? undefined : new Error(`chaos: ${what} fails`);
    const how = isLate ? " a turn of the event loop late" : "";
    this.steps.push(`${what} fails${how} with ${printChunk(reason)}`);
    if (isLate) await this.#wait(aTurn);
    if (isOver()) return;
    this.reasons.push({ by, reason });
    throw reason;
  }

  async #wait(move: number): Promise<void> {
    const { microtasks = 0, ms } = delays[move]!;
    for (let count = 0; count < microtasks; count++) await undefined;
    if (ms === undefined) return;
    this.pendingDelays++;
    await new Promise<void>((resolve) => void setTimeout(resolve, ms));
    this.pendingDelays--;
  }
}

/** An end that chaos holds, as it is judged. */
interface ChaosEnd {
  readonly name: string;
  /** Whether anything was asked of it. */
  isUsed: boolean;
  /** How it has ended, each time. */
  readonly endings: string[];
}

/** What ends note when they are asked for something. */
interface ChaosWatch extends HeldWatch {
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
      // What was cancelled meanwhile has ended by that.
      if (!this.end.endings.includes("cancelled")) this.end.endings.push("failed");
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
function openChaosStream<T>(
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
function openChaosIterable<T>(
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
function openChaosSink<T>(
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

/** What is run under a schedule. */
interface ChaosSubject {
  readonly run: (context: ChaosContext) => unknown;
  readonly faults: readonly ChaosFault[];
  readonly io: boolean;
}

/** What came of one schedule. */
interface ChaosOutcome {
  readonly problem: string | undefined;
  readonly error: unknown;
  readonly steps: readonly string[];
  /** How many of the schedule's numbers were used. */
  readonly used: number;
}

/** Whether the run may have failed with that: what was injected, or what was made of it. */
function isInjected(reason: unknown, schedule: ChaosSchedule): boolean {
  if (schedule.reasons.some((one) => Object.is(one.reason, reason))) return true;
  if (!(reason instanceof Error)) return false;
  if (Object.hasOwn(reason, "cause") && isInjected(reason.cause, schedule)) return true;
  return reason instanceof AggregateError &&
    reason.errors.some((error) => isInjected(error, schedule));
}

function endingProblem({ name, isUsed, endings }: ChaosEnd): string | undefined {
  if (endings.length > 1) return `the ${name} was ended twice: ${endings.join(", then ")}`;
  if (!isUsed || endings.length === 1) return undefined;
  return name.startsWith("source")
    ? `the ${name} was neither read to its end nor cancelled`
    : `the ${name} was neither closed nor aborted`;
}

/** What is noted as a run is over. */
interface ChaosNotes {
  readonly pending: string;
  /** Delays of ours that were under way: timers that the pipeline did not set. */
  readonly delays: number;
}

function problemOf(
  seen: HeldOutcome & ChaosNotes,
  schedule: ChaosSchedule,
  ends: readonly ChaosEnd[],
): string | undefined {
  const { state, reason } = seen;
  if (state === "pending") return `it has not settled; ${seen.pending}`;
  if (state === "rejected" && !isInjected(reason, schedule)) {
    return `it failed with ${printChunk(reason)}`;
  }
  const swallowed = state === "rejected"
    ? undefined
    : schedule.reasons.find(({ by }) => by === "sink" || by === "source");
  if (swallowed !== undefined) {
    return `the ${swallowed.by} failed with ${printChunk(swallowed.reason)}, and it was fulfilled`;
  }
  for (const end of ends) {
    const problem = endingProblem(end);
    if (problem !== undefined) return problem;
  }
  const timers = seen.timers - seen.delays;
  return unhandledProblem(seen) ?? leakProblem({ ...seen, timers }) ?? lateProblem(seen);
}

/** Runs the subject once under a schedule, on virtual time, and judges it. */
async function runChaos(
  { run, faults, io }: ChaosSubject,
  moves: readonly number[],
): Promise<ChaosOutcome> {
  const controller = new AbortController();
  const schedule = new ChaosSchedule(moves, controller, faults);
  const watch: ChaosWatch = { ends: [], late: [], isOver: false };
  let calls = 0;
  const context: ChaosContext = {
    signal: controller.signal,
    source: (chunks) => openChaosStream(chunks, schedule, watch),
    iterable: (chunks) => openChaosIterable(chunks, schedule, watch),
    sink: (write) => openChaosSink(write, schedule, watch),
    wrap:
      <A extends readonly unknown[], R>(fn: (...args: A) => R) =>
      async (...args: A): Promise<Awaited<R>> => {
        const what = `call ${++calls}${fn.name === "" ? "" : ` of ${fn.name}`}`;
        await schedule.moment(what, "call");
        const result = await fn(...args);
        await schedule.moment(`the answer of ${what}`, "call");
        return result;
      },
    pause: () => schedule.moment("a pause", undefined),
  };
  const outcome = await runHeld({
    io,
    controller,
    program: {},
    watch,
    // deno-lint-ignore require-await -- what it throws at once is a rejection, too
    start: async () => ({ work: Promise.resolve(run(context)) }),
    locks: () => [],
  }, () => ({
    pending: describeRuns().map((line) => line.trim()).join("; "),
    delays: schedule.pendingDelays,
  }));
  const problem = problemOf(outcome, schedule, watch.ends);
  return {
    problem,
    error: outcome.state === "rejected" ? outcome.reason : undefined,
    steps: schedule.steps,
    used: schedule.used,
  };
}

const action = "run chaos";
const allFaults: readonly ChaosFault[] = ["abort", "call", "sink", "source"];
/** Schedules are longer than short pipelines have points: what is over is not used. */
const longest = 60;

function checkFastCheck(fastCheck: unknown): asserts fastCheck is ChaosFastCheck {
  const need = "the module fast-check, as in chaos(fn, { fastCheck })";
  if (fastCheck === null || typeof fastCheck !== "object") {
    throwTypeError(action, "fastCheck", need, fastCheck);
  }
  for (const name of ["array", "asyncProperty", "check", "constant", "integer", "oneof"]) {
    if (typeof (fastCheck as Record<string, unknown>)[name] !== "function") {
      throw new TypeError(`Cannot ${action}: fastCheck must be ${need}, got one without ${name}`);
    }
  }
}

function checkSchedule(schedule: unknown): asserts schedule is readonly number[] {
  if (!Array.isArray(schedule)) throwTypeError(action, "schedule", "an array", schedule);
  for (const move of schedule) {
    checkInteger(action, "a number of schedule", move, 0);
    if (move <= lastMove) continue;
    throw new RangeError(
      `Cannot ${action}: a number of schedule must be at most ${lastMove}, got ${move}`,
    );
  }
}

function checkFaults(faults: unknown): asserts faults is readonly ChaosFault[] {
  if (!Array.isArray(faults)) throwTypeError(action, "faults", "an array", faults);
  const wrong = faults.find((fault) => !allFaults.includes(fault));
  if (wrong === undefined && !faults.includes(undefined)) return;
  throw new TypeError(
    `Cannot ${action}: faults must be of ${allFaults.join(", ")}, got ${JSON.stringify(wrong)}`,
  );
}

/** What a schedule was used for, without the zeros at its end. */
function trim(schedule: readonly number[], { used }: ChaosOutcome): readonly number[] {
  const moves = schedule.slice(0, used);
  while (moves.at(-1) === 0) moves.pop();
  return moves;
}

class FoundChaos implements ChaosResult {
  readonly runs: number;
  readonly seed: number | undefined;
  readonly failed: ChaosFailure | undefined;

  constructor(runs: number, seed: number | undefined, failed: ChaosFailure | undefined) {
    this.runs = runs;
    this.seed = seed;
    this.failed = failed;
  }

  throwIfFailed(): void {
    const { failed, seed, runs } = this;
    if (failed === undefined) return;
    const { problem, steps, script, error } = failed;
    const drawn = seed === undefined ? "" : `, after ${runs} runs with seed ${seed}`;
    const lines = [
      `The pipeline fails under chaos${drawn}: ${problem}`,
      ...steps.map((step) => `  ${step}`),
      "To run it again:",
      ...script.split("\n").map((line) => `  ${line}`),
    ];
    throw new Error(lines.join("\n"), { cause: error });
  }
}

function failureOf(schedule: readonly number[], outcome: ChaosOutcome): ChaosFailure {
  const { problem, steps, error } = outcome;
  const script = `const result = await chaos(fn, { schedule: [${schedule.join(", ")}] });\n` +
    "result.throwIfFailed();";
  return { schedule, steps, problem: problem!, error, script };
}

/** Draws schedules until one fails, and makes that as small as it can. */
async function drawSchedules(
  subject: ChaosSubject,
  fastCheck: ChaosFastCheck,
  runs: number,
  seed: number | undefined,
): Promise<ChaosResult> {
  const move = fastCheck.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: fastCheck.constant(0) },
    { weight: 8, arbitrary: fastCheck.integer({ min: 1, max: firstFault - 1 }) },
    { weight: 1, arbitrary: fastCheck.integer({ min: firstFault, max: lastMove }) },
  );
  const schedules = fastCheck.array(move, { maxLength: longest, size: "max" });
  const property = fastCheck.asyncProperty(schedules, async (schedule: readonly number[]) => {
    const { problem } = await runChaos(subject, schedule);
    return problem === undefined;
  });
  const details = await fastCheck.check(property, {
    numRuns: runs,
    ...(seed === undefined ? {} : { seed }),
  });
  const { numRuns, failed, counterexample } = details;
  if (!failed) return new FoundChaos(numRuns + 1, details.seed, undefined);
  const [found] = counterexample as [readonly number[]];
  const schedule = trim(found, await runChaos(subject, found));
  const outcome = await runChaos(subject, schedule);
  return new FoundChaos(numRuns + 1, details.seed, failureOf(schedule, outcome));
}

/**
 * Runs a pipeline under many schedules: chunks, writes and calls that come late, bytes that are cut anywhere, ends that
 * fail, a signal that aborts, buffers of other sizes. What fails is made as small as it can be, and can be run again.
 *
 * Under each schedule the pipeline must settle; be rejected, if at all, with what was injected; not be fulfilled after
 * a source or sink has failed; end each source and sink that it has used once; leave no timer, no listener of the signal
 * and no rejection that nothing handles; and do nothing after its end. What it asserts itself is asserted under each
 * schedule, too. The time is virtual. The first schedule has no disturbance.
 *
 * @param fn Makes and runs the pipeline, with the ends and functions of its context, and gives its promise.
 * @param options `fastCheck`: the module fast-check, which draws and shrinks (not needed with `schedule`); `runs`: how
 * many schedules are tried (default: 100); `seed`: what they are drawn from, an integer (default: drawn); `schedule`:
 * that one alone, as a failure names it (default: none); `faults`: which of `"abort"`, `"call"`, `"sink"` and `"source"`
 * are drawn (default: all); `io`: whether it takes real time (default: `false`).
 * @returns The failure, if there is one, with its schedule, what it does in words, and a script; `throwIfFailed()` for
 * tests.
 * @throws {TypeError} If an option is unknown or of the wrong type, or `fastCheck` is missing.
 * @throws {RangeError} If `runs` is not a positive integer, `seed` no integer, or a number of `schedule` out of range.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A total that is read before a call and written after it
 * ```ts
 * import { parallel, pipeline } from "@hosepipe/streams";
 * import { chaos } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 * import fastCheck from "fast-check";
 *
 * const result = await chaos(async ({ source, sink, wrap }) => {
 *   let total = 0;
 *   const price = wrap((item: number) => item * 10);
 *   const add = parallel(async (item: number) => {
 *     const before = total;
 *     total = before + await price(item);
 *   }, { concurrency: 2 });
 *   await pipeline(source([1, 2, 3]), add, sink());
 *   assert.deepEqual(total, 60);
 * }, { fastCheck, runs: 50, seed: 1 });
 *
 * assert(result.failed !== undefined);
 * ```
 */
export async function chaos(
  fn: (context: ChaosContext) => unknown,
  options: ChaosOptions = {},
): Promise<ChaosResult> {
  checkFunction(action, "fn", fn);
  const { fastCheck, runs, seed, schedule, faults, io } = readOptions(action, options, {
    fastCheck: anything(),
    runs: integer(100),
    seed: anything(),
    schedule: anything(),
    faults: anything(allFaults),
    io: boolean(false),
  });
  if (seed !== undefined) {
    if (typeof seed !== "number") throwTypeError(action, "seed", "an integer", seed);
    if (!Number.isSafeInteger(seed)) {
      throw new RangeError(`Cannot ${action}: seed must be an integer, got ${seed}`);
    }
  }
  checkFaults(faults);
  const subject: ChaosSubject = { run: fn, faults, io };
  if (schedule === undefined) checkFastCheck(fastCheck);
  else checkSchedule(schedule);
  // Without a schedule nothing disturbs the first run.
  const first = schedule ?? [];
  const outcome = await runChaos(subject, first);
  if (outcome.problem !== undefined) {
    return new FoundChaos(1, undefined, failureOf(trim(first, outcome), outcome));
  }
  if (schedule !== undefined || runs === 1) return new FoundChaos(1, undefined, undefined);
  return await drawSchedules(subject, fastCheck!, runs - 1, seed);
}
