import { bar } from "../tables/bar.ts";
import type { Step } from "../chains/job.ts";
import { passFunctions, pipeThroughSteps } from "../chains/to_transformers.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, Contestant, PreparedCase, Workload } from "../measure/workload.ts";
import { sumCase } from "../measure/sum_case.ts";

/** Numbers from a native source through stages to a native sink. */
interface NativeEndsJob {
  /** A fresh native stream. */
  readonly source: ReadableStream<number>;
  /** A fresh native stream. */
  readonly sink: WritableStream<number>;
  readonly steps: readonly Step[];
}

/** Moves everything from the source to the sink; a contestant is one such function. */
type RunNativeEnds = (job: NativeEndsJob) => Promise<void>;

/** Every contestant of native_ends. */
const contestants: readonly Contestant<RunNativeEnds>[] = [
  {
    name: "hand",
    about: "control: a loop that reads with a reader and writes with a writer",
    load: () => async ({ source, sink, steps }) => {
      const reader = source.getReader();
      const writer = sink.getWriter();
      for (;;) {
        await writer.ready;
        const { done, value } = await reader.read();
        if (done) break;
        let result = value;
        for (const { fn } of steps) result = fn(result);
        // What goes wrong in a write is found by the next look at `ready`.
        writer.write(result).catch(() => {});
      }
      await writer.close();
    },
  },
  {
    name: "web",
    about: "native: pipeThrough a TransformStream a stage, then pipeTo; with no stage pipeTo alone",
    whyFaster: "with no stage pipeTo stays inside the runtime, where JavaScript sees no chunk; " +
      "pipeline has to read and write each one, as the loop by hand does",
    load: () => async ({ source, sink, steps }) => {
      await pipeThroughSteps(source, steps).pipeTo(sink);
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline from the native source to the native sink",
    load: async () => {
      const { compose, pipeline } = await import("../../mod.ts");
      const { toStages } = await import("../chains/to_stages.ts");

      return async ({ source, sink, steps }) => {
        await pipeline(source, compose(toStages({ isBatched: false, steps })), sink);
      };
    },
  },
  {
    name: "fuse",
    about: "hosepipe: pipeThrough(fuse(…)), then pipeTo",
    takes: ({ stages }) => Number(stages) > 0,
    load: async () => {
      const { compose, fuse } = await import("../../mod.ts");
      const { toStages } = await import("../chains/to_stages.ts");

      return async ({ source, sink, steps }) => {
        const stages = compose(toStages({ isBatched: false, steps }));
        await source.pipeThrough(fuse(stages)).pipeTo(sink);
      };
    },
  },
];

function prepare(run: RunNativeEnds, { params }: CaseRequest): PreparedCase {
  const chunks = Number(params.chunks);
  const steps = passFunctions(Number(params.stages)).map((fn) => ({ kind: "map", fn }) as const);
  return sumCase(chunks, chunks * (chunks - 1) / 2, async (take) => {
    let next = 0;
    const source = new ReadableStream<number>({
      pull(controller) {
        if (next === chunks) controller.close();
        else controller.enqueue(next++);
      },
    });
    const sink = new WritableStream<number>({ write: (chunk) => take(chunk) });
    await run({ source, sink, steps });
  });
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
    bar("pipeline", "hand", {
      params: { stages: 0 },
      atMost: 1.1,
      whyMissed:
        "`pipeline` also counts, watches both ends for a failure, and looks at the clock, so that the " +
        "event loop gets its turn. `pipeTo` cannot do it: only a look at each chunk counts them.",
    }),
    ...[1, 3, 10].flatMap((stages) => [
      bar("web", "pipeline", { params: { stages }, atLeast: 1 }),
      bar("web", "fuse", {
        params: { stages },
        atLeast: 1,
        whyMissed:
          "With one stage there is nothing to fuse: the pair is two native streams with the library " +
          "between them (20 % of the time, `--cpu-prof` in Node), where a `TransformStream` does the " +
          "same inside the runtime. From three stages on `fuse` is ahead.",
      }),
    ]),
  ],
  prepare,
});
