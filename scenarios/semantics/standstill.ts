import type { HoseState } from "./hose.ts";
import { askHoses, describeState, kibibytes, ofBytes } from "./hoses.ts";
import type { Fact, FactTable, SemanticsProbe } from "./probe.ts";

/** Without a writer there is nothing to say of it, but of what the transformer says of itself. */
function describeDry(state: HoseState, unit = 1): Record<string, Fact> {
  const { "W in": _, writing: __, written: ___, ...shown } = describeState(state, unit);
  const { transformerInSaid } = state;
  return {
    ...shown,
    "T says": transformerInSaid === undefined ? "none" : transformerInSaid / unit,
  };
}

function measure(hasWriter: boolean, isOfBytes: boolean): Promise<FactTable> {
  const marks = isOfBytes ? kibibytes : [undefined, 1, 2, 5, 16];
  const describe = hasWriter ? describeState : describeDry;
  const unit = isOfBytes ? 1024 : 1;
  const options = { ...isOfBytes ? ofBytes : {}, hasWriter };
  return askHoses(marks, options, (hose) => describe(hose.state(), unit));
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
    measure: () => measure(false, false),
  },
  {
    name: "no-writer-bytes",
    question: "Without a writer: what is read before everything stops? (bytes)",
    corner: "highWaterMarks",
    note: `In KiB, in chunks of 4 KiB. ${says}`,
    measure: () => measure(false, true),
  },
  {
    name: "stalled-writer",
    question: "With a writer that stalls in its first write? (objects)",
    corner: "highWaterMarks",
    note: `In messages. ${stages}`,
    measure: () => measure(true, false),
  },
  {
    name: "stalled-writer-bytes",
    question: "With a writer that stalls in its first write? (bytes)",
    corner: "highWaterMarks",
    note: `In KiB, in chunks of 4 KiB. ${stages}`,
    measure: () => measure(true, true),
  },
];

/** Whether a batch stops at the high-water mark. */
export const overfillProbe: SemanticsProbe = {
  name: "batch",
  question: "Does a batch stop at the highWaterMark? (5 messages a read, stalled writer)",
  corner: "highWaterMarks",
  note: "In messages; 'read singly' is the same hose with one message a read.",
  async measure() {
    const marks = [1, 2, 4, 5, 16];
    const singly = await askHoses(marks, { hasWriter: true }, (hose) => ({
      "read singly": hose.state().read,
    }));
    const batches = await askHoses(marks, { batchSize: 5, hasWriter: true }, (hose) => {
      const { transformed: _, written: __, ...shown } = describeState(hose.state());
      return shown;
    });
    return Object.fromEntries(
      Object.entries(singly).map(([row, facts]) => [row, { ...facts, ...batches[row] }]),
    );
  },
};
