import { column, EventRing } from "./event_ring.ts";
import { ProbeClock } from "./probe_clock.ts";
import { StageRecord } from "./stage_record.ts";
import type {
  Occupancy,
  ProbeAnswer,
  ProbeBuffer,
  ProbedKind,
  ProbeEvent,
  ProbeEventName,
} from "./types.ts";

/** What a recorder may be told; see `RecorderOptions` of `probe`. */
export interface RecorderSettings {
  readonly capacity: number;
  readonly identify: ((chunk: unknown) => string) | undefined;
  readonly onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly onAnswer: ((answer: ProbeAnswer) => void) | undefined;
  readonly now: (() => number) | undefined;
}

const order: Record<ProbedKind, number> = { reader: 0, transformer: 1, writer: 2 };
const names: readonly ProbeEventName[] = [
  ...["read", "transform", "write", "written", "end"] as const,
  ...["final", "backpressure", "drain", "error", "cancel"] as const,
];

/** The number that stands for an event in the ring. */
export const codeOf: Readonly<Record<ProbeEventName, number>> = Object.fromEntries(
  names.map((name, code) => [name, code]),
) as Record<ProbeEventName, number>;

/** Counts what happens in the stages of one pipeline, and keeps the last events. */
export class Recorder {
  readonly ring: EventRing;
  readonly clock: ProbeClock;
  readonly startedAtMs: number;
  /** How a chunk is called; without it, by its number. */
  readonly identify: ((chunk: unknown) => string) | undefined;
  stages: StageRecord[] = [];
  /** When the first and the last event happened. */
  firstMs: number | undefined;
  lastMs = 0;
  /** How many events are to be kept. */
  readonly keeps: number;
  readonly #keepsEvents: boolean;
  readonly #onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly #onAnswer: ((answer: ProbeAnswer) => void) | undefined;
  readonly #named: StageRecord[] = [];
  /** Whether anything was in the pipeline at the last event. */
  #isBusy = false;
  readonly #counts: Float64Array = new Float64Array(7);
  readonly #waiters = new Set<() => void>();

  constructor({ capacity, identify, onEvent, onAnswer, now }: RecorderSettings) {
    // One row is needed to tell of an event even if none is kept.
    this.ring = new EventRing(capacity === 0 && onEvent !== undefined ? 1 : capacity);
    this.keeps = capacity;
    this.#keepsEvents = this.ring.capacity > 0;
    this.identify = identify;
    this.#onEvent = onEvent;
    this.#onAnswer = onAnswer;
    this.clock = new ProbeClock(now);
    this.startedAtMs = this.clock.read();
  }

  /** Adds a stage: a reader in front, a writer at the end, a transformer after those before it. */
  addStage(kind: ProbedKind, name: string | undefined): StageRecord {
    const alike = this.stages.filter((stage) => stage.kind === kind).length;
    if (alike > 0 && kind !== "transformer") {
      throw new TypeError(`Cannot probe ${kind}: the probe already has one, use a probe for each`);
    }
    const title = name ?? (alike > 0 ? `${kind} ${alike + 1}` : kind);
    const stage = new StageRecord(title, kind, this.#named.length);
    this.#named.push(stage);
    this.stages = [...this.stages, stage].sort((one, other) => order[one.kind] - order[other.kind]);
    this.stages.forEach((stage, index) => {
      stage.previous = this.stages[index - 1];
      stage.next = this.stages[index + 1];
    });
    return stage;
  }

  /**
   * Notes one thing that happened; answers its number, counted from 0. `isAtOnce` says that nothing but that can have
   * moved since the stage's last event, unless there are others after that one.
   */
  emit(
    stage: StageRecord,
    code: number,
    ordinal: number,
    text: string | undefined,
    timeMs: number,
    isAtOnce: boolean = false,
  ): number {
    const isLater = timeMs !== this.lastMs;
    if (isLater) this.#addWaitingTime(timeMs);
    const counts = this.#counts;
    if (!this.#keepsEvents) {
      if (isLater) this.#count();
      return -1;
    }
    const { ring } = this;
    if (!isAtOnce || ring.count - 1 !== stage.lastIndex) this.#count();
    else if (code === codeOf.written) {
      counts[5]!--;
      counts[6]!++;
    }
    const row = ring.add(text);
    const { rows } = ring;
    rows[row] = code;
    rows[row + 1] = stage.number;
    rows[row + 2] = timeMs;
    rows[row + 3] = ordinal;
    rows[row + 4] = NaN;
    rows[row + 5] = -1;
    rows[row + 6] = NaN;
    // One by one: a loop would cost more than what it does.
    rows[row + 7] = counts[0]!;
    rows[row + 8] = counts[1]!;
    rows[row + 9] = counts[2]!;
    rows[row + 10] = counts[3]!;
    rows[row + 11] = counts[4]!;
    rows[row + 12] = counts[5]!;
    rows[row + 13] = counts[6]!;
    if (this.#onEvent !== undefined) {
      const event = this.eventAt(ring.count - 1)!;
      this.#call(() => this.#onEvent!(event));
    }
    if (this.#waiters.size > 0) this.#wake();
    return ring.count - 1;
  }

  /** Adds to event number `index` how long it took, if it is still kept. */
  setDuration(index: number, durationMs: number): void {
    const row = this.ring.find(index);
    if (row !== undefined) this.ring.rows[row + column.durationMs] = durationMs;
  }

  /** Adds to event number `index`, if it is still kept, what its stage learned by giving the chunk. */
  answer(
    index: number,
    stage: StageRecord,
    chunk: unknown,
    room: number | null,
    wantsMore: boolean,
  ): void {
    const row = this.#keepsEvents ? this.ring.find(index) : undefined;
    if (row !== undefined) {
      this.ring.rows[row + 4] = room ?? -Infinity;
      this.ring.rows[row + 5] = wantsMore ? 1 : 0;
    }
    if (this.#onAnswer === undefined) return;
    const id = this.identify?.(chunk) ?? String(stage.given);
    const answer = { stage: stage.name, id, desiredSize: room, wantsMore };
    this.#call(() => this.#onAnswer!(answer));
  }

  /** Event number `index`, counted from 0, if it is still kept. */
  eventAt(index: number): ProbeEvent | undefined {
    const row = this.ring.find(index);
    if (row === undefined) return undefined;
    const { rows } = this.ring;
    const text = this.ring.textAt(row);
    const ordinal = rows[row + column.ordinal]!;
    const desiredSize = rows[row + column.desiredSize]!;
    const wantsMore = rows[row + column.wantsMore]!;
    const durationMs = rows[row + column.durationMs]!;
    const [readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written] =
      rows.subarray(row + column.counts) as unknown as number[];
    return {
      seq: index + 1,
      timeMs: rows[row + column.timeMs]! - this.startedAtMs,
      stage: this.#named[rows[row + column.stage]!]!.name,
      event: names[rows[row + column.name]!]!,
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

  /** The events that are kept. */
  events(): ProbeEvent[] {
    if (this.keeps === 0) return [];
    const { dropped, count } = this.ring;
    return Array.from({ length: count - dropped }, (_, index) => this.eventAt(dropped + index)!);
  }

  /** Counts where the chunks are now. */
  occupancy(): Occupancy {
    this.#count();
    const [readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written] =
      this.#counts as unknown as [number, number, number, number, number, number, number];
    return { readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written };
  }

  #count(): void {
    const { stages } = this;
    const counts = this.#counts;
    let outBefore = 0;
    let transformerIn = 0, transforming = 0, transformerOut = 0;
    let isBusy = false;
    for (let index = 0; index < stages.length; index++) {
      const stage = stages[index]!;
      const { kind, begun } = stage;
      const inFlight = begun - stage.finished;
      if (kind === "reader") {
        counts[0] = outBefore = stage.out;
        isBusy = outBefore > 0;
        continue;
      }
      const waiting = stage.waitingBehind(outBefore);
      stage.waiting = outBefore + waiting;
      if (stage.waiting > 0 || inFlight > 0) isBusy = true;
      if (kind === "writer") {
        counts[4] = waiting;
        counts[5] = inFlight;
        counts[6] = stage.finished;
        continue;
      }
      outBefore = stage.out;
      if (outBefore > 0) isBusy = true;
      transformerIn += waiting;
      if (inFlight > 0 && !stage.hasGiven) transforming++;
      transformerOut += outBefore;
    }
    counts[1] = transformerIn;
    counts[2] = transforming;
    counts[3] = transformerOut;
    this.#isBusy = isBusy;
  }

  /** Every buffer, one by one, in the order of the pipeline. */
  buffers(): ProbeBuffer[] {
    return this.stages.flatMap((stage) => {
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

  /** Whether nothing more will happen. */
  get isOver(): boolean {
    const last = this.stages.at(-1);
    if (last === undefined || last.isOver) return last !== undefined;
    const before = last.previous;
    return last.isWriteOnly && before !== undefined && before.isOver && last.inFlight === 0 &&
      (before.hasFailed || last.begun >= before.given);
  }

  /** Resolves when something may have happened. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  /** A stage says nothing more; who waits for events may stop. */
  finish(stage: StageRecord): void {
    stage.isOver = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  #addWaitingTime(timeMs: number): void {
    if (this.firstMs === undefined) this.firstMs = timeMs;
    else {
      const elapsedMs = timeMs - this.lastMs;
      for (const stage of this.stages) stage.waitingTime += stage.waiting * elapsedMs;
      const [first] = this.stages;
      if (first?.pushes && !this.#isBusy) first.idleMs += elapsedMs;
    }
    this.lastMs = timeMs;
  }

  /** As with event listeners: an error of the one who looks is no error of the one looked at. */
  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
