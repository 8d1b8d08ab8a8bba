import { meaningOf } from "../src/kernels/registry.ts";
import { noteFailure } from "../src/engine/note_failure.ts";

const chunkIndexes = new WeakMap<object, () => number | undefined>();

/** Says how to learn which chunk a stream that we made has failed with. */
export function setChunkIndex(stream: object, read: () => number | undefined): void {
  chunkIndexes.set(stream, read);
}

/** Keeps which of the parts of a pipeline has failed: the one at `index`, run by `stream`. */
export function notePlace(
  reason: unknown,
  parts: readonly unknown[],
  index: number,
  stream: object,
): void {
  const stages = parts.slice(1, -1);
  const call = { action: "run pipeline", source: parts[0], stages, sink: parts.at(-1) };
  const place = { call, from: 0 };
  if (index === 0) noteFailure(reason, place, "source");
  else if (index > stages.length) noteFailure(reason, place, "sink");
  else {
    const chunkIndex = chunkIndexes.get(stream)?.();
    const before = stages.slice(0, index - 1)
      .flatMap((stage) => meaningOf(Object(stage))?.stages ?? [stage]);
    noteFailure(reason, place, "stage", { index: before.length, chunkIndex });
  }
}
