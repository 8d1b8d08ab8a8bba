import type { RunProbeCost } from "../job.ts";
import { runProbed } from "../run_probed.ts";

/** The native chain, with counters and the last 10,000 events. */
export const probed: RunProbeCost = (job) => runProbed(job, 10_000);
