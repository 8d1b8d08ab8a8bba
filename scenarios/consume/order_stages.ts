import process from "node:process";
import { lines, map, type Transformer } from "../../mod.ts";
import { defineStages } from "../../src/workers/mod.ts";
import { type OrderLine, toOrderLine } from "./order_store.ts";
import type { WorkerFaults } from "./worker_job.ts";

/** Kills the process at once, whichever of its threads calls. */
export function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** One of several that are hard to keep, by the length of a line and its last character. */
function hostileReason(line: string): unknown {
  const reasons = [
    Object.create(null),
    Symbol("no order"),
    undefined,
    Object.assign(new Error(), { message: Symbol("no order") }),
    new Error("\0\u20ac\ud800\u0001".repeat(1_000_000)),
    {
      toString() {
        throw new Error("no text");
      },
    },
  ];
  return reasons[(line.length + line.charCodeAt(line.length - 1)) % reasons.length];
}

/** What is done with one message: its lines, read. */
export function orderStages(
  { killAt, failAt, hasHostileReasons }: WorkerFaults,
): [Transformer<string, string>, Transformer<string, OrderLine>] {
  const work = (line: string): OrderLine => {
    if (hasHostileReasons && !/^\d/.test(line)) throw hostileReason(line);
    const result = toOrderLine(line);
    if (killAt?.includes(result.order)) die();
    if (failAt?.includes(result.order)) throw new Error(`Order ${result.order} is refused`);
    return result;
  };
  return [lines(), map(work)];
}

export default defineStages((faults: WorkerFaults) => orderStages(faults));
