import type { ProbeEvent, ProbeEventName } from "./types.ts";
import type { StageRecord } from "./stage_record.ts";

/** The events, by the numbers that stand for them in the ring. */
const eventNames: readonly ProbeEventName[] = [
  ...["read", "transform", "write", "written", "end"] as const,
  ...["final", "backpressure", "drain", "error", "cancel"] as const,
];

/** The number that stands for an event in the ring. */
export const codeOf: Readonly<Record<ProbeEventName, number>> = Object.fromEntries(
  eventNames.map((name, code) => [name, code]),
) as Record<ProbeEventName, number>;

/**
 * Event number `index`, counted from 0, if it is still kept; `stages` are in the order of their numbers. One that is
 * `bare` has no words that were made of a chunk: no reason, and for a name its number.
 */
export function readEvent(
  ring: EventRing,
  index: number,
  stages: readonly StageRecord[],
  startedAtMs: number,
  isBare: boolean,
): ProbeEvent | undefined {
  const row = ring.find(index);
  if (row === undefined) return undefined;
  const { rows } = ring;
  const text = isBare ? undefined : ring.textAt(row);
  const ordinal = rows[row + column.ordinal]!;
  const desiredSize = rows[row + column.desiredSize]!;
  const wantsMore = rows[row + column.wantsMore]!;
  const durationMs = rows[row + column.durationMs]!;
  const [readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written] = rows
    .subarray(row + column.counts) as unknown as number[];
  return {
    seq: index + 1,
    timeMs: rows[row + column.timeMs]! - startedAtMs,
    stage: stages[rows[row + column.stage]!]!.name,
    event: eventNames[rows[row + column.name]!]!,
    ...(ordinal > 0 ? { id: text ?? String(ordinal) } : {}),
    ...(Number.isNaN(desiredSize)
      ? {}
      : { desiredSize: desiredSize === -Infinity ? null : desiredSize }),
    ...(wantsMore === -1 ? {} : { wantsMore: wantsMore === 1 }),
    ...(Number.isNaN(durationMs) ? {} : { durationMs }),
    ...(ordinal === 0 && text !== undefined ? { reason: text } : {}),
    occupancy: {
      readerOut: readerOut!,
      transformerIn: transformerIn!,
      transforming: transforming!,
      transformerOut: transformerOut!,
      writerIn: writerIn!,
      writing: writing!,
      written: written!,
    },
  };
}

/** The columns of an event; those from `counts` on are the seven numbers of its occupancy. */
const column = {
  name: 0,
  stage: 1,
  timeMs: 2,
  ordinal: 3,
  desiredSize: 4,
  wantsMore: 5,
  durationMs: 6,
  counts: 7,
} as const;

const width = 14;

/** Keeps the last `capacity` events as rows of numbers, and forgets the others: no event costs an object. */
export class EventRing {
  readonly capacity: number;
  rows: Float64Array = new Float64Array(0);
  /** What a row cannot hold: the name of a chunk, a reason. */
  readonly #texts: (string | undefined)[] = [];
  #hasTexts = false;
  /** Where the next event goes. */
  #next = 0;
  /** How many events were ever added. */
  count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** How many events are forgotten. */
  get dropped(): number {
    return Math.max(0, this.count - this.capacity);
  }

  /** Keeps an event of which neither an answer nor a duration is known yet. */
  add(
    code: number,
    stage: number,
    timeMs: number,
    ordinal: number,
    text: string | undefined,
    counts: Float64Array,
  ): void {
    const row = this.#addRow(text);
    const { rows } = this;
    rows[row + column.name] = code;
    rows[row + column.stage] = stage;
    rows[row + column.timeMs] = timeMs;
    rows[row + column.ordinal] = ordinal;
    rows[row + column.desiredSize] = NaN;
    rows[row + column.wantsMore] = -1;
    rows[row + column.durationMs] = NaN;
    // One by one: a loop would cost more than what it does.
    rows[row + column.counts] = counts[0]!;
    rows[row + column.counts + 1] = counts[1]!;
    rows[row + column.counts + 2] = counts[2]!;
    rows[row + column.counts + 3] = counts[3]!;
    rows[row + column.counts + 4] = counts[4]!;
    rows[row + column.counts + 5] = counts[5]!;
    rows[row + column.counts + 6] = counts[6]!;
  }

  /** Adds to event number `index`, if it is still kept, how long it took. */
  setDuration(index: number, durationMs: number): void {
    const row = this.find(index);
    if (row !== undefined) this.rows[row + column.durationMs] = durationMs;
  }

  /** Adds to event number `index`, if it is still kept, what its stage learned by giving the chunk. */
  setAnswer(index: number, desiredSize: number | null, wantsMore: boolean): void {
    const row = this.find(index);
    if (row === undefined) return;
    this.rows[row + column.desiredSize] = desiredSize ?? -Infinity;
    this.rows[row + column.wantsMore] = wantsMore ? 1 : 0;
  }

  /** Where the row of event number `index` begins, counted from 0; `undefined` if it is forgotten. */
  find(index: number): number | undefined {
    const { capacity, count } = this;
    if (index < 0 || index >= count || index < count - capacity) return undefined;
    return (index < capacity ? index : index % capacity) * width;
  }

  textAt(row: number): string | undefined {
    return this.#texts[row / width];
  }

  #addRow(text: string | undefined): number {
    const index = this.#next;
    this.#next = index + 1 === this.capacity ? 0 : index + 1;
    this.count++;
    if ((index + 1) * width > this.rows.length) this.#grow();
    if (text !== undefined) this.#hasTexts = true;
    if (this.#hasTexts) this.#texts[index] = text;
    return index * width;
  }

  #grow(): void {
    const rows = Math.min(this.capacity, Math.max(64, this.rows.length / width * 2));
    const grown = new Float64Array(rows * width);
    grown.set(this.rows);
    this.rows = grown;
  }
}
