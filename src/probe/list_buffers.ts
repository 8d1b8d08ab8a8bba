import type { StageRecord } from "./stage_record.ts";
import type { ProbeBuffer } from "./types.ts";

/** Every buffer, one by one, in the order of the pipeline. */
export function listBuffers(stages: readonly StageRecord[]): ProbeBuffer[] {
  return stages.flatMap((stage) => {
    const { name, kind } = stage;
    const buffers: ProbeBuffer[] = [];
    if (kind !== "reader") {
      buffers.push({
        stage: name,
        kind: kind === "writer" ? "writerIn" : "transformerIn",
        count: stage.in,
        size: stage.inTotal,
        highWaterMark: stage.inHighWaterMark,
      });
    }
    if (kind !== "writer") {
      buffers.push({
        stage: name,
        kind: kind === "reader" ? "readerOut" : "transformerOut",
        count: stage.out,
        size: stage.outTotal,
        highWaterMark: stage.gauge.highWaterMark ?? stage.outHighWaterMark,
      });
    }
    return buffers;
  });
}
