import { map } from "../../../mod.ts";
import type { RunOverlap } from "../job.ts";
import { countUp } from "../count_up.ts";

export const web: RunOverlap = async ({ count, wait, take }) => {
  // By default a chunk leaves the first stage only when the second is idle: nothing would overlap.
  const marks = [{ highWaterMark: 1 }, { highWaterMark: 1 }] as const;
  await ReadableStream.from(countUp(count))
    .pipeThrough(new TransformStream(map(wait), ...marks))
    .pipeThrough(new TransformStream(map(wait), ...marks))
    .pipeTo(new WritableStream({ write: take }));
};
