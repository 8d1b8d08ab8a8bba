import type { StageRecord } from "./stage_record.ts";
import type { ProbeBuffer } from "./types.ts";

/** The buffer before a stage; what the stage has in hand still holds its place there. */
function describeIn(stage: StageRecord): ProbeBuffer {
  const { name, kind, in: count, inTotal: size, inHighWaterMark: highWaterMark } = stage;
  // A function may have more in hand than there are places, and how large what is in hand is, is not remembered.
  const isKnown = highWaterMark !== undefined && count !== undefined && !stage.isWriteOnly &&
    stage.inSize === undefined;
  return {
    stage: name,
    kind: kind === "writer" ? "writerIn" : "transformerIn",
    count,
    size,
    highWaterMark,
    desiredSize: isKnown ? highWaterMark - count - stage.inHand : undefined,
  };
}

/** The buffer after a stage. */
function describeOut(stage: StageRecord): ProbeBuffer {
  const { name, kind, out: count, outTotal: size } = stage;
  const highWaterMark = stage.gauge.highWaterMark ?? stage.outHighWaterMark;
  return {
    stage: name,
    kind: kind === "reader" ? "readerOut" : "transformerOut",
    count,
    size,
    highWaterMark,
    desiredSize: highWaterMark === undefined ? undefined : highWaterMark - size,
  };
}

/** Every buffer, one by one, in the order of the pipeline. */
export function listBuffers(stages: readonly StageRecord[]): ProbeBuffer[] {
  return stages.flatMap((stage) => [
    ...(stage.kind === "reader" ? [] : [describeIn(stage)]),
    ...(stage.kind === "writer" ? [] : [describeOut(stage)]),
  ]);
}
