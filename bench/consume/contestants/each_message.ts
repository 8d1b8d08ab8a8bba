import type { RunConsumeJob } from "../job.ts";

export const eachMessage: RunConsumeJob = ({ byMessage }) => byMessage!();
