import process from "node:process";
import { median } from "../results/statistics.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { contestants } from "./contestants.ts";
import type { ThreadsKind } from "./job.ts";
import { makeChunks } from "./make_chunks.ts";

/** What one run costs, in CPU time, in milliseconds. */
export interface SerialPart {
  readonly job: ThreadsKind;
  /** By `pipeline`, in one thread. */
  readonly aloneMs: number;
  /** In threads: of the main thread, which no other can take over. */
  readonly mainMs: number;
  /** Of the threads, together. */
  readonly threadsMs: number;
}

type Usage = { readonly user: number; readonly system: number };
const usageOf = ({ user, system }: Usage) => (user + system) / 1000;

const warmRuns = 10;
const runs = 11;

/** Measures how much of a job in threads is the main thread's; in Node, which tells the CPU time of a thread. */
export async function measureSerial(job: ThreadsKind, threads = 2): Promise<SerialPart> {
  const { threadCpuUsage } = process as unknown as { threadCpuUsage(since?: Usage): Usage };
  const chunks = makeChunks(job, 300);
  const measure = async (contestant: string) => {
    const run = await findContestant("threads", contestants, contestant).load();
    const samples: { main: number; all: number }[] = [];
    for (let index = 0; index < warmRuns + runs; index++) {
      const [all, main] = [process.cpuUsage(), threadCpuUsage()];
      await run({ kind: job, threads, chunks, take: () => {} });
      const sample = { main: usageOf(threadCpuUsage(main)), all: usageOf(process.cpuUsage(all)) };
      if (index >= warmRuns) samples.push(sample);
    }
    return {
      main: median(samples.map(({ main }) => main)),
      all: median(samples.map(({ all }) => all)),
    };
  };
  const alone = await measure("pipeline");
  const { main, all } = await measure("in-workers");
  return { job, aloneMs: alone.main, mainMs: main, threadsMs: all - main };
}
