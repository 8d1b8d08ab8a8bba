import { CaseRefusal } from "../../measure/workload.ts";
import type { RunConsumeJob } from "../job.ts";

export const eachMessage: RunConsumeJob = async ({ byMessage }) => {
  if (byMessage === undefined) throw new CaseRefusal("not run: the client has no such loop");
  await byMessage();
};
