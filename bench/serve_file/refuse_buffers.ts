import { totalmem } from "node:os";
import { CaseRefusal } from "../measure/case_refusal.ts";

const share = 0.6;
const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/**
 * Refuses a case whose connections would hold a whole file each, if that is more than 60 % of memory.
 *
 * @throws {CaseRefusal} Naming the figures.
 */
export function refuseBuffers(size: number, connections: number, memory = totalmem()): void {
  const needed = size * connections;
  if (needed <= memory * share) return;
  throw new CaseRefusal(
    `refused: ${connections} connections with a copy of the file each need ${gib(needed)}, ` +
      `more than 60 % of this machine's ${gib(memory)}`,
  );
}
