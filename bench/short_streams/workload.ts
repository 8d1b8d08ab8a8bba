import { bar } from "../tables/bar.ts";
import type { Chunk, Step } from "../chains/job.ts";
import { passFunctions, pipeThroughSteps } from "../chains/to_transformers.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import { sumCase } from "../measure/sum_case.ts";
import type { CaseRequest, Contestant, PreparedCase, Workload } from "../measure/workload.ts";
import { adaptChains, chainContestants } from "../chains/contestants.ts";

/** A stream's worth of a request: a few chunks through a few stages, made and drained. */
interface ShortJob {
  readonly chunks: number;
  readonly steps: readonly Step[];
  take(chunk: number): void;
}

/** Makes the chain and drains it; a contestant is one such function. */
type RunShort = (job: ShortJob) => Promise<void>;

/** What a request's source gives: numbers, one after the other. */
async function* countUp(count: number): AsyncGenerator<number, void, undefined> {
  for (let number = 0; number < count; number++) yield number;
}

/** These work on what is read at a time, and here that is one chunk. */
const absent = ["fuse-batched", "web-16", "generators", "iterator-helpers", "step-list"];

const taken = chainContestants.filter(({ name }) => !absent.includes(name));

/** The same from a native stream that makes each when it is asked. */
function pullUp(count: number): ReadableStream<number> {
  let number = 0;
  return new ReadableStream({
    pull(controller) {
      if (number < count) controller.enqueue(number++);
      else controller.close();
    },
  });
}

/** Reads a stream to its end, one chunk after the other. */
async function drain(stream: ReadableStream, take: (chunk: Chunk) => void): Promise<void> {
  const reader = stream.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}

/** These begin and end in native streams, as a request does: the source is one, and a default reader drains it. */
const native: Readonly<Record<string, () => Promise<RunShort>>> = {
  web: () =>
    Promise.resolve(({ chunks, steps, take }) =>
      drain(pipeThroughSteps(pullUp(chunks), steps), take)
    ),
  fuse: async () => {
    const { fuse } = await import("../../mod.ts");
    const { toStages } = await import("../chains/to_stages.ts");
    return ({ chunks, steps, take }) => {
      const stages = toStages({ isBatched: false, steps }) as [Transformer];
      return drain(pullUp(chunks).pipeThrough(fuse(...stages)), take);
    };
  },
  pipeline: async () => {
    const { pipeline } = await import("../../mod.ts");
    const { toStages } = await import("../chains/to_stages.ts");
    return async ({ chunks, steps, take }) => {
      const stages = toStages({ isBatched: false, steps }) as [Transformer];
      await pipeline(pullUp(chunks), ...stages, take);
    };
  },
};

/** Every contestant of short_streams: the loop by hand, and all that build any chain. */
const contestants: readonly Contestant<RunShort>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: () => async ({ chunks, steps, take }) => {
      for await (const number of countUp(chunks)) {
        let result = number;
        for (const { fn } of steps) result = fn(result);
        take(result);
      }
    },
  },
  ...adaptChains(
    Object.fromEntries(taken.map(({ name, set }) => [name, set])),
    ({ chunks, steps, take }: ShortJob) => ({
      source: () => countUp(chunks),
      isBatched: false,
      steps,
      write: take,
    }),
  ).map((entry) => ({ ...entry, load: native[entry.name] ?? entry.load })),
];

function prepare(run: RunShort, { params }: CaseRequest): PreparedCase {
  const chunks = Number(params.chunks);
  const streams = Number(params.streams);
  const steps = passFunctions(Number(params.stages)).map((fn) => ({ kind: "map", fn }) as const);
  const all = chunks * streams;
  const prepared = sumCase(all, all * (chunks - 1) / 2, async (take) => {
    // Enough to take milliseconds: what is shorter is timed one by one here and in batches there.
    for (let stream = 0; stream < streams; stream++) await run({ chunks, steps, take });
  });
  return { ...prepared, isSlowToWarm: true };
}

/** A request's worth of a stream: what making and ending a chain costs. */
export const shortStreams: Workload = defineWorkload({
  name: "short_streams",
  about: "a few chunks through a few do-nothing stages: a chain made and drained, a thousand times",
  set: "publish",
  params: {
    chunks: integerParam("chunks", {
      about: "chunks in each stream",
      values: [3],
    }),
    streams: integerParam("streams", {
      about: "streams made and drained, one after the other",
      values: [1_000],
    }),
    stages: integerParam("stages", {
      about: "do-nothing stages",
      minimum: 0,
      maximum: 1_000,
      values: [5],
      full: [1, 5, 20],
    }),
  },
  whyFaster:
    "a chain of closures or generators takes almost nothing to make, and begins in a generator here; " +
    "hosepipe starts from a native stream, as a request does, and sets up a controller and error " +
    "handling for each stage; that setup is half of `pipeline`'s time here (`--cpu-prof` in Node)",
  bars: [
    bar("web", "fuse", {
      atLeast: 2.5,
      whyMissed:
        "Most of what is left of `fuse` is native: both ends of the pair, and the pipe into it (45 % in " +
        "Node, the library 25 %). In Node one process in three is up to three times as slow: V8 takes " +
        "what was made first for long-lived (`--no-allocation-site-pretenuring` prevents it).",
    }),
  ],
  contestants,
  prepare,
});
