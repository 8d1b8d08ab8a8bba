import { atStandstill, describeState, hoses } from "./hoses.ts";
import type { FactTable, SemanticsProbe } from "./probe.ts";

async function measure(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const highWaterMark of [1, 2, 4, 5, 16]) {
    for (const [api, lay] of hoses) {
      const one = await atStandstill(
        lay,
        { highWaterMark, hasWriter: true },
        (hose) => hose.state().read,
      );
      const facts = await atStandstill(
        lay,
        { highWaterMark, batchSize: 5, hasWriter: true },
        (hose) => describeState(hose.state()),
      );
      const { transformed: _, written: __, ...shown } = facts;
      table[`${highWaterMark} ${api}`] = { "read singly": one, ...shown };
    }
  }
  return table;
}

/** Whether a batch stops at the high-water mark. */
export const overfillProbe: SemanticsProbe = {
  name: "batch",
  question: "Does a batch stop at the highWaterMark? (5 messages a read, stalled writer)",
  corner: "highWaterMarks",
  note: "In messages; 'read singly' is the same hose with one message a read.",
  measure,
};
