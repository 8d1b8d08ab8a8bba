import type { HoseState } from "./hose.ts";
import { atStandstill, describeState, hoses } from "./hoses.ts";
import type { Fact, FactTable, SemanticsProbe } from "./probe.ts";

/** Without a writer there is nothing to say of it, but of what the transformer says of itself. */
function describeDry(state: HoseState, unit = 1): Record<string, Fact> {
  const { "W in": _, writing: __, written: ___, ...shown } = describeState(state, unit);
  const { transformerInSaid } = state;
  return { ...shown, "T says": transformerInSaid === undefined ? "-" : transformerInSaid / unit };
}

async function measureObjects(hasWriter: boolean): Promise<FactTable> {
  const describe = hasWriter ? describeState : describeDry;
  const table: Record<string, FactTable[string]> = {};
  for (const highWaterMark of [undefined, 1, 2, 5, 16]) {
    for (const [api, lay] of hoses) {
      table[`${highWaterMark ?? "default"} ${api}`] = await atStandstill(
        lay,
        { highWaterMark, hasWriter },
        (hose) => describe(hose.state()),
      );
    }
  }
  return table;
}

async function measureBytes(hasWriter: boolean): Promise<FactTable> {
  const describe = hasWriter ? describeState : describeDry;
  const table: Record<string, FactTable[string]> = {};
  for (const kibibytes of [16, 64]) {
    for (const [api, lay] of hoses) {
      table[`${kibibytes} KiB ${api}`] = await atStandstill(
        lay,
        { highWaterMark: kibibytes * 1024, chunkBytes: 4096, hasWriter },
        (hose) => describe(hose.state(), 1024),
      );
    }
  }
  return table;
}

const stages = "R, T, W: reader, transformer, writer.";
const says = "T says: what T itself says is in its incoming buffer, which Web Streams do not.";

/** How much a hose takes in before it stops. */
export const standstillProbes: readonly SemanticsProbe[] = [
  {
    name: "no-writer",
    question: "Without a writer: what is read before everything stops? (objects)",
    corner: "highWaterMarks",
    note: `In messages. ${stages} ${says}`,
    measure: () => measureObjects(false),
  },
  {
    name: "no-writer-bytes",
    question: "Without a writer: what is read before everything stops? (bytes)",
    corner: "highWaterMarks",
    note: `In KiB, in chunks of 4 KiB. ${says}`,
    measure: () => measureBytes(false),
  },
  {
    name: "stalled-writer",
    question: "With a writer that stalls in its first write? (objects)",
    corner: "highWaterMarks",
    note: `In messages. ${stages}`,
    measure: () => measureObjects(true),
  },
  {
    name: "stalled-writer-bytes",
    question: "With a writer that stalls in its first write? (bytes)",
    corner: "highWaterMarks",
    note: `In KiB, in chunks of 4 KiB. ${stages}`,
    measure: () => measureBytes(true),
  },
];
