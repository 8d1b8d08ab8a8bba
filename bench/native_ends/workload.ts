import { passFunctions } from "../chains/pass_functions.ts";
import { defineWorkload } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";
import { sumCase } from "../measure/sum_case.ts";
import type { NativeEndsJob, RunNativeEnds } from "./job.ts";

/** What is moved, and how much each buffer holds. */
interface Numbers extends Pick<NativeEndsJob, "stages" | "strategy"> {
  readonly contestant: string;
  readonly chunks: number;
  /** What comes out, added up. */
  readonly expected: number;
}

/** Moves numbers from a native source to a native sink. */
function moveNumbers(
  run: RunNativeEnds,
  { contestant, chunks, stages, strategy, expected }: Numbers,
): PreparedCase {
  return sumCase({ contestant, chunks, sum: expected }, async (take) => {
    let next = 0;
    const source = new ReadableStream<number>({
      pull(controller) {
        if (next === chunks) controller.close();
        else controller.enqueue(next++);
      },
    }, strategy);
    const sink = new WritableStream<number>({ write: (chunk) => take(chunk) }, strategy);
    await run({ source, sink, stages, strategy });
  });
}

const side = (contestant: string, stages: number) => ({ contestant, params: { stages } });

function prepare(
  run: RunNativeEnds,
  { contestant, params }: CaseRequest,
): PreparedCase {
  const chunks = Number(params.chunks);
  const stages = passFunctions(Number(params.stages));
  return moveNumbers(run, { contestant, chunks, stages, expected: chunks * (chunks - 1) / 2 });
}

/** Both ends native, as a response's body and a file's writable are: what is left to win between them. */
export const nativeEnds: Workload = defineWorkload({
  name: "native_ends",
  about:
    "numbers from a native ReadableStream through do-nothing stages to a native WritableStream",
  set: "publish",
  params: {
    stages: integerParam("stages", {
      about: "do-nothing stages",
      minimum: 0,
      maximum: 1_000,
      values: [0, 1, 3, 10],
    }),
    chunks: integerParam("chunks", {
      about: "how many numbers",
      values: [50_000],
      quick: [10_000],
    }),
  },
  contestantSet: "publish",
  contestants,
  rates: ["ns per chunk"],
  bars: [
    {
      ...{ dividend: side("pipeline", 0), divisor: side("hand", 0), atMost: 1.1 },
      whyMissed:
        "`pipeline` also counts, watches both ends for a failure, and looks at the clock, so that the " +
        "event loop gets its turn.",
    },
    ...[1, 3, 10].flatMap((stages) => [
      { dividend: side("web", stages), divisor: side("pipeline", stages), atLeast: 1 },
      {
        ...{ dividend: side("web", stages), divisor: side("fuse", stages), atLeast: 1 },
        whyMissed:
          "With one stage there is nothing to fuse: the pair is two native streams with the library " +
          "between them (20 % of the time, `--cpu-prof` in Node), where a `TransformStream` does the " +
          "same inside the runtime. From three stages on `fuse` is ahead.",
      },
    ]),
  ],
  prepare,
});
