import { findContestant } from "../measure/find_contestant.ts";
import { sumCase } from "../measure/sum_case.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam } from "../params/choice_param.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";
import { branches, type FlowKind } from "./job.ts";

const kinds: readonly FlowKind[] = ["inner", "hub", "rate", "generators", "waiting"];
/** How many numbers an inner source gives. */
const innerLength = 10;
/** Of how many numbers one is moved where each waits. */
const waitShare = 500;

async function* countFrom(first: number, length: number): AsyncGenerator<number, void, undefined> {
  for (let index = 0; index < length; index++) yield first + index;
}

async function* passOn(numbers: AsyncIterable<number>): AsyncGenerator<number, void, undefined> {
  for await (const number of numbers) yield number;
}

async function* passOnLater(
  numbers: AsyncIterable<number>,
): AsyncGenerator<number, void, undefined> {
  for await (const number of numbers) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield number;
  }
}

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("flows", contestants, contestant).load();
  const kind = params.kind as FlowKind;
  const share = { inner: innerLength, waiting: waitShare }[kind as string] ?? 1;
  const outer = Math.ceil(Number(params.chunks) / share);
  const length = outer * (kind === "inner" ? innerLength : 1);
  const times = kind === "hub" ? branches : 1;
  const expectedSum = times * length * (length - 1) / 2;
  return sumCase({ contestant, chunks: times * length, sum: expectedSum }, async (take) => {
    const open = () => countFrom(0, outer);
    const openInner = (n: number) => countFrom(n * innerLength, innerLength);
    const pass = kind === "waiting" ? passOnLater : passOn;
    await run({ kind, open, openInner, passOn: pass, take });
  });
}

/** Inner sources at the same time, one source for many, a limit of the rate, and generators as stages. */
export const flows: Workload = {
  name: "flows",
  about:
    "numbers of 4 inner sources at a time, through a hub of 10 branches, a limit of their rate, or generators",
  params: {
    kind: choiceParam("kind", {
      about: "what becomes of them",
      choices: kinds,
      values: kinds,
    }),
    chunks: integerParam("chunks", {
      about: "numbers that come out, in a hub of each branch; where they wait, 500 times as many",
      values: [50_000],
      quick: [5_000],
      publish: [50_000],
    }),
  },
  rates: ["ns per chunk"],
  bars: [{
    dividend: { contestant: "pipeline", params: { kind: "generators" } },
    divisor: { contestant: "hand", params: { kind: "generators" } },
    atMost: 1.1,
    whyMissed:
      "A generator by hand is asked by the one behind it and answers with its own promise: one promise for each chunk " +
      "and generator, and one of them works at a time. Ours work at once, and each can be ended and fails by itself, " +
      "so a chunk passes through a promise of ours between two of them: three instead of one (`--cpu-prof` in Node: a " +
      "third is promises and generators that are resumed, a tenth garbage, most of the rest many small steps of the " +
      "engine). Tried: a chunk given straight to the generator behind, and one that gave resumed in the same step " +
      "(kept: a little over half the time of before); a generator's own promise passed on, and the next one asked for " +
      "at once (1.0 to 1.3 times a loop, but what hangs could not be ended, and a failure that is not asked for " +
      "yet would end the process); the same with each promise watched (1.1 to 2.1 times, as much as a promise of " +
      "ours). What remains: that promise, and the engine at both ends of the chain.",
  }],
  contestants: contestants.map(({ load: _, ...entry }) => ({ set: "publish" as const, ...entry })),
  prepare,
};
