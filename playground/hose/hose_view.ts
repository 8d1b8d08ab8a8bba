import type { Occupancy, ProbeEvent } from "@hosepipe/streams/inspect";

/** A stage that is looked at. */
export interface SeenStage {
  /** What it is called in the events. */
  readonly name: string;
  readonly kind: "reader" | "transformer" | "writer";
}

/** How far a stage is. */
export interface CountedStage extends SeenStage {
  /** Chunks that a reader has given, a transformer has begun, a writer has written. */
  readonly count: number;
  /** Whether it has said its last. */
  readonly isOver: boolean;
}

function isEnd({ event }: ProbeEvent): boolean {
  return event === "end";
}

/** What counts as a chunk of each kind of stage. */
const counted = { reader: "read", transformer: "transform", writer: "written" } as const;

/** How many chunks each stage has had, by the events up to one of them. */
export function countStages(
  stages: readonly SeenStage[],
  events: readonly ProbeEvent[],
): CountedStage[] {
  // Where the first ones are not kept, chunks are numbered; writes may end in any order.
  const isWhole = events[0]?.seq === 1;
  const last = events.at(-1);
  return stages.map((stage) => {
    const own = events.filter((event) => event.stage === stage.name);
    const chunks = own.filter(({ event }) => event === counted[stage.kind]);
    const number = Number(chunks.at(-1)?.id);
    const known = isWhole || Number.isNaN(number) ? chunks.length : number;
    return {
      ...stage,
      count: stage.kind === "writer" ? last?.occupancy.written ?? 0 : known,
      // A function says nothing at its end.
      isOver: stage.kind === "writer" && events.some(isEnd) && last!.occupancy.writing === 0 ||
        own.some(({ event }) => ["end", "final", "error", "cancel"].includes(event)),
    };
  });
}

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
