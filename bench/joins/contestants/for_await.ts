import { merge, tee, zip } from "../../../mod.ts";
import type { RunJoin } from "../job.ts";
import { openAll, sumOf } from "../open_all.ts";

export const forAwait: RunJoin = async (job) => {
  const { kind, take } = job;
  if (kind === "merge") { for await (const value of merge(...openAll(job))) take(value as number); }
  else if (kind === "zip") {
    for await (const tuple of zip(...openAll(job))) take(sumOf(tuple as number[]));
  } else {
    await Promise.all(
      tee(job.open(), job.count).map(async (branch) => {
        for await (const value of branch) take(value);
      }),
    );
  }
};
