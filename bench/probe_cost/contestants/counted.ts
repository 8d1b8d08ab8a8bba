import type { RunProbeCost } from "../job.ts";
import { runProbed } from "../run_probed.ts";

/** The native chain, with counters alone. */
export const counted: RunProbeCost = (job) => runProbed(job, 0);
