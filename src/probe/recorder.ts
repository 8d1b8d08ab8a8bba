// Over 200 lines: the stages of a pipeline, their events, and what waits for those share its counts.
import { OccupancyCounter } from "./occupancy_counter.ts";
import { codeOf } from "./event_codes.ts";
import { column, EventRing } from "./event_ring.ts";
import { ProbeClock } from "./probe_clock.ts";
import { readEvent } from "./read_event.ts";
import type { RecorderObserver, RecorderSettings } from "./recorder_settings.ts";
import { noChunk, StageRecord } from "./stage_record.ts";
import type { Occupancy, ProbeAnswer, ProbedKind, ProbeEvent } from "./types.ts";

const order: Record<ProbedKind, number> = { reader: 0, transformer: 1, writer: 2 };

/** The number of no event. */
export const nowhere = -2;

/** Counts what happens in the stages of one pipeline, and keeps the last events. */
export class Recorder {
  /** What the pipeline is called. */
  readonly name: string;
  readonly ring: EventRing;
  readonly clock: ProbeClock;
  readonly startedAtMs: number;
  /** How a chunk is called; without it, by its number. */
  readonly identify: ((chunk: unknown) => string) | undefined;
  stages: StageRecord[] = [];
  /** Asked only where a time is known anyway; `undefined` is the rule, and costs a comparison. */
  observer: RecorderObserver | undefined;
  /** How many want each stage to remember the last chunk that it saw. */
  chunkWatchers = 0;
  /** When the first and the last event happened. */
  firstMs: number | undefined;
  lastMs = NaN;
  /** How many events are to be kept. */
  readonly keeps: number;
  readonly #keepsEvents: boolean;
  readonly #onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly #onAnswer: ((answer: ProbeAnswer) => void) | undefined;
  readonly #named: StageRecord[] = [];
  readonly #occupancyCounter = new OccupancyCounter();
  readonly #waiters = new Set<() => void>();

  constructor({ name, capacity, identify, onEvent, onAnswer, now }: RecorderSettings) {
    this.name = name;
    // One row is needed to show an event even if none is kept.
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
    const alike = this.#named.filter((stage) => stage.kind === kind).length;
    if (alike > 0 && kind !== "transformer") {
      throw new TypeError(`Cannot probe ${kind}: the probe already has one, use a probe for each`);
    }
    const title = name ?? (alike > 0 ? `${kind} ${alike + 1}` : kind);
    const stage = new StageRecord(title, kind, this.#named.length);
    this.#named.push(stage);
    this.#setStages([...this.stages, stage]);
    return stage;
  }

  /** The stage is not there, unless it is included later. */
  leaveOut(stage: StageRecord): void {
    this.#setStages(this.stages.filter((other) => other !== stage));
    stage.previous = stage.next = undefined;
  }

  /** The stage is there, if it was left out. */
  include(stage: StageRecord): void {
    if (!this.stages.includes(stage)) this.#setStages([...this.stages, stage]);
  }

  /**
   * Notes one thing that happened; answers its number, counted from 0. Nothing else can have
   * moved since event number `after`, unless others came after that one.
   */
  emit(
    stage: StageRecord,
    code: number,
    ordinal: number,
    text: string | undefined,
    timeMs: number,
    after: number = nowhere,
  ): number {
    const isLater = timeMs !== this.lastMs;
    if (isLater) this.#addWaitingTime(timeMs);
    const { counts } = this.#occupancyCounter;
    if (!this.#keepsEvents) {
      if (isLater) this.#occupancyCounter.take(this.stages);
      return -1;
    }
    const { ring } = this;
    if (ring.count - 1 !== after) this.#occupancyCounter.take(this.stages);
    else if (code === codeOf.written) this.#occupancyCounter.countWritten();
    else if (code === codeOf.read) this.#occupancyCounter.countRead(stage);
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
  eventAt(index: number, isBare = false): ProbeEvent | undefined {
    return readEvent(this.ring, index, this.#named, this.startedAtMs, isBare);
  }

  /** The events that are kept. */
  events(isBare = false): ProbeEvent[] {
    if (this.keeps === 0) return [];
    const { dropped, count } = this.ring;
    return Array.from(
      { length: count - dropped },
      (_, index) => this.eventAt(dropped + index, isBare)!,
    );
  }

  /** Counts where the chunks are now. */
  occupancy(): Occupancy {
    this.#occupancyCounter.take(this.stages);
    return this.#occupancyCounter.toOccupancy();
  }

  /** Lets go of the chunks that the stages remember. */
  forgetChunks(): void {
    for (const stage of this.stages) stage.lastChunk = noChunk;
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

  /** A stage says nothing more; what waits for events may stop. */
  finish(stage: StageRecord): void {
    stage.isOver = true;
    this.#wake();
  }

  #setStages(stages: StageRecord[]): void {
    const rank = ({ kind, number }: StageRecord) => order[kind] * this.#named.length + number;
    this.stages = stages.sort((one, other) => rank(one) - rank(other));
    this.stages.forEach((stage, index) => {
      stage.previous = this.stages[index - 1];
      stage.next = this.stages[index + 1];
    });
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
      if (first!.pushes && !this.#occupancyCounter.isBusy) first.idleMs += elapsedMs;
    }
    this.lastMs = timeMs;
  }

  /** As with event listeners: an error of a listener is none of the pipeline. */
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
