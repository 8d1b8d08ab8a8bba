import { bar } from "../tables/bar.ts";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import { sumCase } from "../measure/sum_case.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, type JoinKind, type RunJoin } from "./contestants.ts";

/** How many sources a merge and a tuple have, and how many readers share one. */
const counts: Readonly<Record<JoinKind, number>> = { merge: 100, zip: 2, share: 10 };

async function* countUp(length: number): AsyncGenerator<number, void, undefined> {
  for (let number = 0; number < length; number++) yield number;
}

function prepare(run: RunJoin, { params }: CaseRequest): PreparedCase {
  const kind = params.kind as JoinKind;
  const count = counts[kind];
  const length = Math.ceil(Number(params.chunks) / (kind === "merge" ? count : 1));
  const expected = kind === "zip" ? length : length * count;
  const expectedSum = count * (length * (length - 1) / 2);
  return sumCase(
    expected,
    expectedSum,
    (take) => run({ kind, count, open: () => countUp(length), take }),
  );
}

const zipInBun =
  "In JavaScriptCore `then` is a third of the time (`--cpu-prof`), and `Promise.all` reads the promises of a tuple " +
  "without one for each. Tried: a call in the step in which a chunk comes (kept: a quarter); no list of what comes at " +
  "once where nothing does (kept: a twentieth, in Node a seventh); an async function for each read in place of `then` " +
  "(slower by a tenth); no `Promise.resolve` of what is a promise (nothing).";

/** Many sources to one stream, and one to many. */
export const joins: Workload = defineWorkload({
  name: "joins",
  about: "async generators of numbers: 100 merged, 2 zipped, 1 shared by 10 readers",
  params: {
    kind: choiceParam("kind", { about: "what is made of them", choices: Object.keys(counts) }),
    chunks: integerParam("chunks", {
      about: "numbers that the sources give in all, or tuples",
      values: [50_000],
      quick: [5_000],
      publish: [50_000],
    }),
  },
  rates: ["ns per chunk"],
  bars: [
    bar("pipeline", "streaming-iterables", {
      atMost: 0.9,
      whyMissed:
        "The rival asks one source after the other and waits for each, so that a slow source stops all; ours has a read " +
        "of each pending, which takes a promise more a chunk and a queue of what has arrived. Tried: a read of an " +
        "iterator without a promise of its own (kept: a fifth); no promise for a pull that nothing waits for (kept); a " +
        "call in the step in which a chunk comes (slower by a quarter, since nothing gathers).",
    }),
    bar("pipeline", "hand", { params: { kind: "zip" }, atMost: 1.1, whyMissed: zipInBun }),
    bar("pipeline", "ix", { atMost: 0.7, whyMissed: zipInBun }),
    bar("pipeline", "web", { atMost: 0.6 }),
  ],
  set: "publish",
  contestantSet: "publish",
  contestants,
  prepare,
});
