import { findContestant } from "../measure/find_contestant.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { moveNumbers } from "../native_ends/move_numbers.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";

/** That of the sweep at which native streams are fastest, over the runtimes. */
const best = 16;
const side = (contestant: string, stages: number) => ({
  ...{ contestant, params: { stages, marks: best } },
});

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("native_marks", contestants, contestant).load();
  const [chunks, count, marks] = [params.chunks, params.stages, params.marks].map(Number);
  const stages = Array.from({ length: count! }, (_, stage) => (chunk: number) => chunk + stage);
  const added = count! * (count! - 1) / 2;
  return moveNumbers(run, {
    ...{ contestant, chunks: chunks!, stages },
    expected: chunks! * (chunks! - 1) / 2 + chunks! * added,
    strategy: marks === 0 ? undefined : { highWaterMark: marks! },
  });
}

/** Native streams at their best: what a mark brings, the same at every end. */
export const nativeMarks: Workload = {
  name: "native_marks",
  about: "numbers through stages that add, between native streams, with marks alike everywhere",
  set: "publish",
  params: {
    stages: integerParam("stages", {
      about: "stages that add a number",
      maximum: 1_000,
      values: [1, 5],
      publish: [1, 2, 5],
      full: [1, 2, 5, 20, 100],
    }),
    marks: integerParam("marks", {
      about: "the highWaterMark of every buffer; 0: as the standard has it",
      minimum: 0,
      values: [0, 16],
      publish: [0, 4, 16, 64],
      full: [0, 1, 4, 16, 64, 256, 1024],
    }),
    chunks: integerParam("chunks", {
      about: "how many numbers",
      values: [20_000],
      quick: [10_000],
      publish: [20_000],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => ({ set: "publish" as const, ...entry })),
  rates: ["ns per chunk"],
  bars: [
    {
      ...{ dividend: side("web", 1), divisor: side("pipeline", 1), atLeast: 1.2 },
      whyMissed:
        "Both ends are native streams and take most of the time. Of a run in Node (`--cpu-prof`) 22 % are the native " +
        "sink, 17 % promises, 15 % garbage, 9 % the native source and 13 % the library, which is left to be saved.",
    },
    { dividend: side("web", 5), divisor: side("pipeline", 5), atLeast: 2 },
    ...[[1, 1.15], [2, 1]].map(([stages, atMost]) => ({
      ...{ dividend: side("fuse", stages!), divisor: side("web", stages!), atMost: atMost! },
      whyMissed:
        "The pair is two native streams with the library between them. It goes on until its queue is full, as a " +
        "`TransformStream` does, and calls as many functions a chunk; but it gives the event loop its turn, which a " +
        "`TransformStream` never does, and from then on the queue before it is full: natively each chunk then waits " +
        "for a `ready` of its own (a tenth of the instructions in Deno).",
    })),
  ],
  prepare,
};
