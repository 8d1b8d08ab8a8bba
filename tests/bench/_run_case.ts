import type { Workload } from "../../bench/measure/workload.ts";
import type { Outcome } from "../../bench/results/outcome.ts";
import type { Params } from "../../bench/results/params.ts";

/** Runs a case twice, as a measured one is run many times; gives the outcome of the second. */
export async function runCase(
  workload: Workload,
  contestant: string,
  params: Params,
  input?: string,
): Promise<Outcome> {
  const prepared = await workload.prepare({ contestant, params, input });
  try {
    await prepared.run();
    await prepared.verify();
    await prepared.reset?.();
    await prepared.run();
    return await prepared.verify();
  } finally {
    await prepared.dispose();
  }
}
