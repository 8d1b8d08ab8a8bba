import process from "node:process";
import { lines, map, type Transformer } from "../../mod.ts";
import { defineStages } from "../../src/workers/mod.ts";
import { type OrderLine, toOrderLine } from "./order.ts";
import type { WorkerFaults } from "./worker_job.ts";

/** Kills the process at once, whichever of its threads calls. */
export function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** What is done with one message: its lines, read. */
export function orderStages(
  { killAt, failAt }: WorkerFaults,
): [Transformer<string, string>, Transformer<string, OrderLine>] {
  const work = (line: string): OrderLine => {
    const result = toOrderLine(line);
    if (killAt?.includes(result.order)) die();
    if (failAt?.includes(result.order)) throw new Error(`Order ${result.order} is refused`);
    return result;
  };
  return [lines(), map(work)];
}

export default defineStages((faults: WorkerFaults) => orderStages(faults));
