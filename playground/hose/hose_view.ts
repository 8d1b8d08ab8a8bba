import type { Occupancy } from "@hosepipe/streams/inspect";

/** The four buffers, in the order in which a chunk passes them. */
export const bufferKinds = ["readerOut", "transformerIn", "transformerOut", "writerIn"] as const;

export type BufferKind = (typeof bufferKinds)[number];

/** The high-water mark of each buffer; `undefined` where there is no such buffer or its mark is not known. */
export type Marks = Readonly<Record<BufferKind, number | undefined>>;

/** One buffer, as it is drawn. */
export interface BufferView {
  readonly kind: BufferKind;
  readonly mark: number | undefined;
  /** Chunks that wait in it. */
  readonly waiting: number;
  /** Chunks that the stage behind it works at: they keep their places until it is done. */
  readonly inHand: number;
  /** What its chunks take up, in the unit of the mark, if that is not their number. */
  readonly used?: number;
  /** The room that is left, as the stream counts it. */
  readonly desiredSize: number | undefined;
  /** The number of the oldest chunk in it. */
  readonly first: number;
}

/** What is drawn of a pipeline. */
export interface HoseView {
  readonly buffers: readonly BufferView[];
  readonly read: number;
  readonly transforming: number;
  readonly transformed: number;
  readonly writing: number;
  readonly written: number;
  /** Chunks in it, wherever they are. */
  readonly inside: number;
}

/**
 * What is drawn where the chunks are so. With a `size`, the marks are in its unit; chunks are numbered in
 * their order, in which none overtakes another.
 */
export function hoseView(
  occupancy: Occupancy,
  marks: Marks,
  size?: (chunk: number) => number,
): HoseView {
  const { readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written } =
    occupancy;
  let next = written + 1;
  const view = (kind: BufferKind, waiting: number, inHand: number): BufferView => {
    const first = next;
    next += waiting + inHand;
    const mark = marks[kind];
    const count = waiting + inHand;
    const chunks = Array.from(
      { length: size === undefined ? 0 : count },
      (_, index) => first + index,
    );
    const used = size && chunks.reduce((sum, chunk) => sum + size(chunk), 0);
    const desiredSize = mark === undefined ? undefined : mark - (used ?? count);
    return { kind, mark, waiting, inHand, ...used !== undefined && { used }, desiredSize, first };
  };
  const buffers = [
    view("writerIn", writerIn, writing),
    view("transformerOut", transformerOut, 0),
    view("transformerIn", transformerIn, transforming),
    view("readerOut", readerOut, 0),
  ].reverse();
  const transformed = written + writing + writerIn + transformerOut;
  const read = next - 1;
  return { buffers, read, transforming, transformed, writing, written, inside: read - written };
}

/** Whether the stage before a buffer is asked to pause. */
export function isShut({ desiredSize }: BufferView): boolean {
  return desiredSize !== undefined && desiredSize <= 0;
}
