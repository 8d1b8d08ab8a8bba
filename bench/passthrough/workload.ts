import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { chainContestants } from "../chains/contestants.ts";
import type { RunChain } from "../chains/job.ts";
import { passFunctions } from "../chains/to_transformers.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type {
  CaseRequest,
  Contestant,
  ParamSpec,
  PreparedCase,
  Workload,
} from "../measure/workload.ts";

const units = { chunks: 0, MiB: 2 ** 20, GiB: 2 ** 30 } as const;
const pattern = /^([1-9]\d{0,8})(chunks|MiB|GiB)$/;

/** A parameter that says how much passes: a number of chunks, or of bytes, whatever their size. */
function amountParam(spec: Omit<ParamSpec, "parse">): ParamSpec {
  return {
    ...spec,
    parse(text) {
      if (pattern.test(text)) return text;
      throw new RangeError(
        "Cannot read amount: must be a number of chunks, MiB or GiB, such as 200chunks or 64MiB, " +
          `got ${JSON.stringify(text)}`,
      );
    },
  };
}

/** How many chunks an amount is; at least one. */
function chunksOf(amount: string, chunkSize: number): number {
  const [, number, unit] = pattern.exec(amount)!;
  const bytes = units[unit as keyof typeof units];
  return bytes === 0 ? Number(number) : Math.max(1, Math.ceil(Number(number) * bytes / chunkSize));
}

const peers = ["web", "node", "pull-stream", "fast-webstreams"];
const names = ["pipeline", "fuse", ...peers];

/** Chunks that the source gives at a time. */
const together = 64;

/** Gives one chunk `count` times. */
async function* repeat<T>(chunk: T, count: number): AsyncGenerator<T[], void, undefined> {
  for (let left = count; left > 0; left -= together) {
    yield Array<T>(Math.min(left, together)).fill(chunk);
  }
}

/** The loop by hand, and those of the contestants of chains that are compared here. */
const contestants: readonly Contestant<RunChain>[] = [
  {
    name: "hand",
    about: "one hand-written loop: the limit",
    load: () => async ({ source, steps, write }) => {
      for await (const chunks of source()) {
        for (const chunk of chunks) {
          let passed = chunk;
          for (const { fn } of steps) passed = fn(passed);
          write(passed);
        }
      }
    },
  },
  ...chainContestants.filter(({ name }) => names.includes(name)),
];

/** Makes a job in memory ready, whose sink looks at both ends of each chunk; the whole must arrive in each run. */
function prepare(run: RunChain, { params }: CaseRequest): PreparedCase {
  const chunkBytes = Number(params.chunkKiB) * 1024;
  const count = chunksOf(String(params.amount), chunkBytes);
  const chunk = Uint8Array.from({ length: chunkBytes }, (_, index) => 97 + index % 26);
  const steps = passFunctions(Number(params.stages)).map((fn) => ({ kind: "map", fn }) as const);
  let [chunks, bytes, check] = [0, 0, 0];
  const write = (taken: Uint8Array) => {
    chunks++;
    bytes += taken.length;
    check += taken[0]! + taken[taken.length - 1]!;
  };
  return {
    async run() {
      chunks = bytes = check = 0;
      await run({ source: () => repeat(chunk, count), isBatched: true, steps, write });
    },
    verify() {
      const digest = `${chunks} chunks, ${bytes} bytes, check ${check}`;
      assert(chunks === count && bytes === count * chunkBytes, digest);
      return { chunks, bytes, digest };
    },
  };
}

/** One chunk again and again, through stages that do nothing: what a stage costs. */
export const passthrough: Workload = defineWorkload({
  name: "passthrough",
  about: "one reused chunk through stages that do nothing, to a sink that counts",
  params: {
    stages: integerParam("stages", {
      about: "stages that do nothing",
      minimum: 0,
      maximum: 1000,
      values: [0, 3, 8, 32],
      quick: [3],
      full: [0, 1, 2, 3, 4, 5, 8, 32],
    }),
    chunkKiB: integerParam("chunkKiB", {
      about: "size of the chunk",
      maximum: 65_536,
      values: [16],
      full: [2, 16, 64],
    }),
    amount: amountParam({
      about: "how much passes: a fixed count or a fixed size, such as 200chunks",
      values: ["64MiB"],
      full: ["1GiB"],
    }),
  },
  contestants,
  whyFaster:
    "`pipeline` checks each chunk: is it a promise, has the sink room, has the event loop waited long enough; and a run of 200 chunks ends before that code is compiled",
  rates: ["ns per chunk", "MiB/s"],
  // Asked of 3 stages on; with fewer, one that does nothing at each end may be ahead.
  bars: [3, 8, 32].flatMap((stages) =>
    peers.map((name) => bar(name, "pipeline", { params: { stages }, atLeast: 1 }))
  ),
  prepare,
});
