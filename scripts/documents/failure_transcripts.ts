import {
  captureCallSites,
  describeFailure,
  filter,
  lines,
  map,
  merge,
  parallel,
  pipeline,
  printPendingRuns,
} from "@hosepipe/streams";
import type { VirtualTime } from "@hosepipe/streams/testing";
import { inVirtualTime } from "./in_virtual_time.ts";

function code(output: readonly string[]): string {
  return ["```text", ...output, "```"].join("\n");
}

/** Without the folder that it ran in. */
function shorten(line: string): string {
  return line.replace(/started at \S*\//, "started at ");
}

function parsePrice(line: string): number {
  return JSON.parse(line).price;
}

/** What `describeFailure` says of a run whose third stage throws on its seventh chunk. */
async function failureTranscript(): Promise<string> {
  captureCallSites(true);
  const text = `${'{"price":4}\n'.repeat(6)}oops\n`;
  try {
    await pipeline(
      [text],
      lines(),
      filter((line: string) => line !== ""),
      map(parsePrice),
      () => {},
    );
  } catch (error) {
    return code(describeFailure(error).split("\n").map(shorten));
  } finally {
    captureCallSites(false);
  }
  throw new Error("Cannot make the transcript: the run has not failed");
}

const never = new Promise<never>(() => {});

async function* ticks(): AsyncGenerator<number> {
  yield* [1, 2, 3];
  await never;
}

/** What `printPendingRuns` says after a while of runs that hang. */
async function hangTranscript(time: VirtualTime): Promise<string> {
  const controller = new AbortController();
  const { signal } = controller;
  const rows = Array.from({ length: 1000 }, (_, index) => index);
  const load = (row: number) => row < 811 ? row : never;
  const save = (row: number) => row === 811 ? never : undefined;
  const runs = [
    pipeline(rows, map((row) => row), save, { runName: "import", signal }),
  ];
  await time.advance(11_000);
  const calls = parallel(load, { concurrency: 10 });
  runs.push(pipeline(rows, calls, () => {}, { runName: "orders", signal }));
  await time.advance(28_000);
  const both = merge(ticks(), ticks());
  runs.push(pipeline(both, map((tick) => tick), () => {}, { runName: "ticks", signal }));
  await time.advance(2_000);
  const output: string[] = [];
  printPendingRuns((line) => output.push(line));
  controller.abort();
  await Promise.allSettled(runs);
  return code(output);
}

/** What is printed of a run that fails, and of some that hang, by the names of the documents' blocks. */
export const failureTranscripts: Readonly<Record<string, string>> = {
  "failure-transcript": await failureTranscript(),
  "hang-transcript": await inVirtualTime(hangTranscript),
};
