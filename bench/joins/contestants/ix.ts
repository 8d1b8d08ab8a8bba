import { zip } from "ix/asynciterable";
import type { RunJoin } from "../job.ts";
import { openAll, sumOf } from "../open_all.ts";

export const ix: RunJoin = async (job) => {
  for await (const tuple of zip(...openAll(job))) job.take(sumOf(tuple as number[]));
};
