import type { Bar, BarSide } from "../tables/bar.ts";

const side = (contestant: string, passes: number): BarSide => ({ contestant, params: { passes } });

const whyShort =
  "On a tenth of the input a run lasts 5 to 10 ms, and two thirds of it are the file and the job's " +
  "own functions (`--cpu-prof` of 100 stages, in Node).";
const whyNative =
  "Each line leaves a fused chain through a native stream and a pipe, which take a few microtasks " +
  "for it; `pipeline` calls the sink. `fuse-batched` sends 64 lines through at a time.";

/** What the library promises of copy_lines. */
export const copyLinesBars: readonly Bar[] = [
  { dividend: side("pipeline", 300), divisor: side("pipeline", 0), atMost: 3 },
  { dividend: side("pipeline-raw", 300), divisor: side("pipeline-raw", 0), atMost: 8 },
  { dividend: side("pull-stream", 300), divisor: side("pipeline", 300), atLeast: 5 },
  {
    ...{ dividend: side("web", 100), divisor: side("pipeline", 100), atLeast: 50 },
    whyMissed: whyShort,
  },
  { dividend: side("node", 100), divisor: side("pipeline", 100), atLeast: 10 },
  ...[
    "async-generators",
    "iterator-helpers",
    "most-core",
    "rxjs",
    "effect",
    "streamx",
    "pull-stream",
  ]
    .map((name) => ({
      ...{ dividend: side(name, 100), divisor: side("pipeline", 100), atLeast: 1 },
    })),
  {
    ...{ dividend: side("pipeline", 0), divisor: side("hand", 0), atMost: 1.5 },
    whyMissed: whyShort,
  },
  {
    ...{ dividend: side("fuse", 0), divisor: side("pipeline", 0), atMost: 2 },
    whyMissed: `${whyNative} Of a run in Node native streams are 11 % then, and the library 10 % ` +
      "as in `pipeline`, which has none of them; the job and the file are most of the rest (`--cpu-prof`).",
  },
  {
    ...{ dividend: side("fuse", 100), divisor: side("pipeline", 100), atMost: 1.3 },
    whyMissed: whyNative,
  },
  { dividend: side("fuse-batched", 100), divisor: side("pipeline", 100), atMost: 1.3 },
];
