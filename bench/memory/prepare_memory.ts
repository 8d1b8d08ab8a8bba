import { contestants } from "./contestants.ts";
import type { MemoryJob } from "./job.ts";
import type { PreparedCase } from "../measure/workload.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { Tally } from "./tally.ts";

/** Makes a job in memory ready; each run has a tally of its own, which must come to the whole job. */
export async function prepareMemory(
  workload: string,
  contestant: string,
  job: Omit<MemoryJob, "take">,
): Promise<PreparedCase> {
  const run = await findContestant(workload, contestants, contestant).load();
  let tally = new Tally();
  return {
    async run() {
      tally = new Tally();
      await run({ ...job, take: tally.take });
    },
    verify() {
      const outcome = tally.outcome();
      const bytes = job.count * job.chunk.length;
      if (outcome.chunks === job.count && outcome.bytes === bytes) return Promise.resolve(outcome);
      return Promise.reject(
        new Error(
          `Cannot accept ${contestant}: ${outcome.chunks} of ${job.count} chunks and ` +
            `${outcome.bytes} of ${bytes} bytes arrived`,
        ),
      );
    },
    dispose: () => Promise.resolve(),
  };
}
