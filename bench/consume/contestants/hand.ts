import type { RunConsumeJob } from "../job.ts";

export const hand: RunConsumeJob = ({ byHand }) => byHand();
