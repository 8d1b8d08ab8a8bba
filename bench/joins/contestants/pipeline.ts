import { merge, pipeline as runPipeline, tee, zip } from "../../../mod.ts";
import type { RunJoin } from "../job.ts";
import { openAll, sumOf } from "../open_all.ts";

export const pipeline: RunJoin = async (job) => {
  const { kind, take } = job;
  if (kind === "merge") await runPipeline(merge(...openAll(job)), take);
  else if (kind === "zip") {
    await runPipeline(zip(...openAll(job)), (tuple) => take(sumOf(tuple as number[])));
  } else {
    const branches = tee(job.open(), job.count);
    await Promise.all(branches.map((branch) => runPipeline(branch, take)));
  }
};
