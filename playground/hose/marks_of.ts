import { type BufferKind, bufferKinds, type Marks } from "./hose_view.ts";

/** A buffer whose mark is known, or not. */
export interface MarkedBuffer {
  readonly kind: BufferKind;
  readonly highWaterMark: number | undefined;
}

/** The marks of a picture: those of several transformers are summed up, as their chunks are. */
export function marksOf(buffers: readonly MarkedBuffer[]): Marks {
  return Object.fromEntries(bufferKinds.map((kind) => {
    const known = buffers.filter((buffer) => buffer.kind === kind)
      .map(({ highWaterMark }) => highWaterMark);
    const isKnown = known.length > 0 && !known.includes(undefined);
    return [kind, isKnown ? known.reduce((sum, mark) => sum! + mark!, 0) : undefined];
  })) as Marks;
}
