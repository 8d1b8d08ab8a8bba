import { abbreviate } from "./abbreviate.ts";
import type { Hose } from "./hose.ts";
import { atStandstill, hoses } from "./hoses.ts";
import type { FactTable, SemanticsProbe } from "./probe.ts";
import { settle } from "./settle.ts";

/** How much is read after each of some writes, one finished after the other. */
async function readsAfterWrites(hose: Hose, writes: number, unit: number): Promise<number[]> {
  const reads: number[] = [];
  let before = hose.state().read;
  for (let write = 0; write < writes; write++) {
    hose.finishWrite();
    await settle();
    const { read } = hose.state();
    reads.push((read - before) / unit);
    before = read;
  }
  return reads;
}

function describe(reads: readonly number[]): FactTable[string] {
  const first = reads.findIndex((count) => count > 0);
  return {
    "after writes": first === -1 ? "never" : first + 1,
    "at once": Math.max(...reads),
    "read after each write": abbreviate(reads),
  };
}

async function measureObjects(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const highWaterMark of [1, 2, 5, 16]) {
    for (const [api, lay] of hoses) {
      table[`${highWaterMark} ${api}`] = describe(
        await atStandstill(
          lay,
          { highWaterMark, hasWriter: true },
          (hose) => readsAfterWrites(hose, 3 * highWaterMark + 1, 1),
        ),
      );
    }
  }
  return table;
}

async function measureBytes(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  const chunkBytes = 4096;
  for (const kibibytes of [16, 64]) {
    const highWaterMark = kibibytes * 1024;
    for (const [api, lay] of hoses) {
      table[`${kibibytes} KiB ${api}`] = describe(
        await atStandstill(
          lay,
          { highWaterMark, chunkBytes, hasWriter: true },
          (hose) => readsAfterWrites(hose, 3 * highWaterMark / chunkBytes + 1, chunkBytes),
        ),
      );
    }
  }
  return table;
}

/** When a hose that stood still goes on. */
export const resumeProbes: readonly SemanticsProbe[] = [
  {
    name: "resume",
    question: "When does reading go on: one in, one out, or when a buffer is empty? (objects)",
    corner: "highWaterMarks",
    note: "From standstill, writes are finished one by one; counted is what is read after each.",
    measure: measureObjects,
  },
  {
    name: "resume-bytes",
    question: "When does reading go on? (bytes)",
    corner: "highWaterMarks",
    note: "As before, in chunks of 4 KiB.",
    measure: measureBytes,
  },
];
