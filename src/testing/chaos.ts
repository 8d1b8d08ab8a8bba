import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { type ChaosOutcome, type ChaosSubject, runChaos } from "./chaos_run.ts";
import { firstFault, lastMove } from "./chaos_schedule.ts";
import type {
  ChaosContext,
  ChaosFailure,
  ChaosFastCheck,
  ChaosFault,
  ChaosOptions,
  ChaosResult,
} from "./chaos_types.ts";

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
  checkOptions(action, options, ["fastCheck", "runs", "seed", "schedule", "faults", "io"]);
  const { fastCheck, runs = 100, seed, schedule, faults = allFaults, io = false } = options;
  checkInteger(action, "runs", runs, 1);
  if (seed !== undefined) {
    if (typeof seed !== "number") throwTypeError(action, "seed", "an integer", seed);
    if (!Number.isSafeInteger(seed)) {
      throw new RangeError(`Cannot ${action}: seed must be an integer, got ${seed}`);
    }
  }
  if (typeof io !== "boolean") throwTypeError(action, "io", "a boolean", io);
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
