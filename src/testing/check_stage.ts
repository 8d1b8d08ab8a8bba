import { checkFunction, checkInteger } from "../errors.ts";
import { checkLawOptions, readChunks } from "./check_law_options.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";
import { isEqual } from "./is_equal.ts";
import { type LawKnowledge, laws } from "./law_list.ts";
import {
  describeProgram,
  kindOf,
  type LawSubject,
  type LawWay,
  runProgram,
  type StageKind,
} from "./law_run.ts";
import { tryLaws, wholes } from "./try_laws.ts";
import type { CheckedStage, CheckResult, CheckStageOptions } from "./law_types.ts";

const action = "check stage";

/** Native streams take no generator functions, and `fuse` no functions of streams. */
const waysOf: Readonly<Record<StageKind, readonly LawWay[]>> = {
  dictionary: ["native", "fuse", "pipeline"],
  pair: ["native", "fuse", "pipeline"],
  generator: ["fuse", "pipeline"],
  function: ["native", "pipeline"],
};
/** What the runtime's own streams do under each law. */
const passSubject = (subject: LawSubject): LawSubject => {
  const make = () => ({
    transform(chunk: unknown, controller: TransformStreamDefaultController) {
      controller.enqueue(chunk);
    },
  });
  const makeFailing = (reason: unknown) => ({
    transform() {
      throw reason;
    },
  });
  return { ...subject, make, makeFailing };
};

async function learn(
  subject: LawSubject,
  ways: readonly LawWay[],
  isPair: boolean,
  options: CheckStageOptions,
): Promise<LawKnowledge> {
  const { expected, isSame = isEqual, readAhead = 0 } = options;
  const later = countParts(subject.make({ signal: new AbortController().signal })) - 1;
  const chunks = readChunks(options, action);
  const count = chunks.length;
  const outputs = new Map<number, readonly unknown[]>();
  const slowly = { way: "native", give: count, then: "end", slow: "source" } as const;
  const whole = await runProgram(subject, slowly);
  if (typeof expected === "object") outputs.set(count, expected);
  else if (expected === undefined) {
    for (const program of wholes({ count })) {
      const run = await runProgram(subject, { way: ways[0]!, ...program });
      if (run.state === "fulfilled") outputs.set(program.give, run.chunks);
    }
  }
  const readsFor = (wanted: number) => wanted === 0 ? 0 : whole.readsAt[wanted - 1] ?? count;
  return {
    ways,
    count,
    expected: (give) =>
      typeof expected === "function" ? expected(chunks.slice(0, give)) : outputs.get(give),
    isSame,
    // One is held by the pair of streams, or by the stage's own queue; `pipeline` reads one more for a pair that is not its own.
    // Each further part of one made of several holds what one chunk has become.
    mostReads: (wanted, way) =>
      Math.max(readsFor(wanted) + later, readsFor(wanted + later)) + 1 + readAhead +
      (isPair && way === "pipeline" ? 1 : 0),
  };
}

/** Of how many stages it is made, if it is one of ours. */
function countParts(stage: CheckedStage): number {
  const { stages } = endMeaningOf(stage) ?? {};
  if (stages !== undefined) return Math.max(1, stages.length);
  if (!("writable" in stage)) return 1;
  const chain = endMeaningOf(stage.writable)?.chain as { readonly stages: unknown[] } | undefined;
  return chain?.stages.length ?? 1;
}

/**
 * Runs a stage through the laws of stages: between native streams, fused, and in `pipeline`, with ends that are slow,
 * stall, fail, cancel and abort, on virtual time.
 *
 * The laws: `ends`, `output`, `pace` (slow ends change nothing), `fresh` (two stages know nothing of each other),
 * `reuse` (one stage serves one run after the other; left out for pairs), `laziness`, `boundedReading`, `cancel`,
 * `abort`, `sourceError`, `sinkError` and `stageError` (each reason arrives itself, `undefined` too), `leaks` (timers,
 * locks, listeners of the signal), `unhandled` and `idleAfterEnd`. A law that the runtime's own streams break with a
 * stage that passes chunks on is left out with that reason.
 *
 * @param makeStage Makes a stage: a transformer, a pair of streams, an async generator function, or a function from a
 * stream to a stream. It is given `signal`, which aborts with the run.
 * @param options `chunks`: the chunks that the stage is given, or a function that makes them (default: 1 to 8);
 * `expected`: the chunks that come out, or a function from the first of the given ones (default: those of native
 * streams); `isSame`: compares two lists of output (default: by content); `makeFailing`: makes a stage whose code
 * throws a reason (default: none, and `stageError` is left out); `readAhead`: how many chunks it may take before they
 * are asked for (default: 0); `io`: whether it takes real time (default: `false`); `skip`: reasons of laws that do not
 * apply, by name (default: none).
 * @returns The laws held, skipped and failed, the last with their smallest program; `throwIfFailed()` for tests.
 * @throws {TypeError} If an option or a law's name is unknown, or something is of the wrong type.
 * @throws {RangeError} If `readAhead` is not a non-negative integer.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A stage that forgets its last chunk
 * ```ts
 * import { checkStage } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const result = await checkStage(() => {
 *   let last: number | undefined;
 *   return {
 *     transform(chunk: number, controller: TransformStreamDefaultController<number>) {
 *       if (last !== undefined) controller.enqueue(last);
 *       last = chunk;
 *     },
 *   };
 * }, { expected: (chunks) => chunks, skip: { reuse: "a stage serves one run" } });
 *
 * assert.deepEqual(result.failed[0]?.law, "output");
 * assert.deepEqual(result.failed[0]?.program, "native, the source gives 1 chunk, then ends");
 * assert.throws(() => result.throwIfFailed(), /it gave \|\|, not \|1\|/);
 * ```
 */
export async function checkStage(
  makeStage: (context: { readonly signal: AbortSignal }) => CheckedStage,
  options: CheckStageOptions = {},
): Promise<CheckResult> {
  checkFunction(action, "makeStage", makeStage);
  checkLawOptions(action, options, laws, ["readAhead"]);
  checkInteger(action, "readAhead", options.readAhead ?? 0, 0, true);
  const { makeFailing, io = false } = options;
  readChunks(options, action);
  const chunks = () => [...readChunks(options, action)];
  const subject: LawSubject = { make: makeStage, makeFailing, chunks, io };
  const kind = kindOf(makeStage({ signal: new AbortController().signal }));
  const ways = waysOf[kind];
  const skipped: Record<string, string> = { ...options.skip };
  if (kind === "pair") skipped.reuse ??= "a pair of streams serves one run";
  if (makeFailing === undefined) skipped.stageError ??= "makeFailing is not given";
  const knowledge = await learn(subject, ways, kind === "pair", options);
  return await tryLaws({
    kind: "stage",
    laws,
    run: runProgram,
    endsByItself: async (subject, { way, give }) =>
      (await runProgram(subject, { way, give, then: "stall" })).state === "fulfilled",
    subject,
    knowledge,
    passing: passSubject(subject),
    passKnowledge: { mostReads: (wanted) => wanted + 1 },
    describe: describeProgram,
  }, skipped);
}
