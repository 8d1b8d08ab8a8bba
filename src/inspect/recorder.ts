import { Condition } from "../condition.ts";
import { callListener } from "../call_listener.ts";
import { OccupancyCounter } from "./occupancy_counter.ts";
import { codeOf } from "./event_codes.ts";
import { EventRing } from "./event_ring.ts";
import { ProbeClock } from "./probe_clock.ts";
import { readEvent } from "./read_event.ts";
import { noChunk, StageRecord } from "./stage_record.ts";
import type { Occupancy, ProbeAnswer, ProbedKind, ProbeEvent } from "./types.ts";

/** What a recorder is made with; see `RecorderOptions` of `probe`. */
export interface RecorderSettings {
  readonly name: string;
  readonly capacity: number;
  readonly identify: ((chunk: unknown) => string) | undefined;
  readonly onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly onAnswer: ((answer: ProbeAnswer) => void) | undefined;
  readonly now: (() => number) | undefined;
}

/** Sees how long each chunk waited and was worked on. */
export interface RecorderObserver {
  /** A chunk that `stage` begins has waited so long since the stage before it gave it. */
  waited(stage: StageRecord, waitedMs: number): void;
  /** A call of `stage` took so long. */
  worked(stage: StageRecord, durationMs: number): void;
}

/** Sees how a pipeline and its stages begin and end. */
export interface RecorderLifecycle {
  /** The first thing happens. */
  begin(): void;
  /** A stage is put to use. */
  open(stage: StageRecord): void;
  /** A stage has failed. */
  fail(stage: StageRecord, reason: unknown): void;
  /** A stage says nothing more. */
  finish(stage: StageRecord): void;
}

const order: Record<ProbedKind, number> = { reader: 0, transformer: 1, writer: 2 };

/** The stages of one pipeline: a reader in front, a writer at the end, transformers as they were added. */
class StageList {
  /** All that were ever added, by their numbers. */
  readonly numbered: StageRecord[] = [];
  /** Those that are there, from source to sink. */
  inOrder: StageRecord[] = [];

  /** Adds a stage; throws if there is one already where only one can be. */
  add(kind: ProbedKind, name: string | undefined): StageRecord {
    const { numbered } = this;
    const alike = numbered.filter((stage) => stage.kind === kind).length;
    if (alike > 0 && kind !== "transformer") {
      throw new TypeError(`Cannot probe ${kind}: the probe already has one, use a probe for each`);
    }
    const title = name ?? (alike > 0 ? `${kind} ${alike + 1}` : kind);
    const stage = new StageRecord(title, kind, numbered.length);
    numbered.push(stage);
    this.#set([...this.inOrder, stage]);
    return stage;
  }

  /** The stage is not there, unless it is included later. */
  leaveOut(stage: StageRecord): void {
    this.#set(this.inOrder.filter((other) => other !== stage));
    stage.previous = stage.next = undefined;
  }

  /** The stage is there, if it was left out. */
  include(stage: StageRecord): void {
    if (!this.inOrder.includes(stage)) this.#set([...this.inOrder, stage]);
  }

  /** Whether nothing more will happen in them. */
  get isOver(): boolean {
    const last = this.inOrder.at(-1);
    if (last === undefined || last.isOver) return last !== undefined;
    const before = last.previous;
    return last.isWriteOnly && before !== undefined && before.isOver && last.inFlight === 0 &&
      (before.hasFailed || last.begun >= before.given);
  }

  #set(stages: StageRecord[]): void {
    const rank = ({ kind, number }: StageRecord) => order[kind] * this.numbered.length + number;
    this.inOrder = stages.sort((one, other) => rank(one) - rank(other));
    this.inOrder.forEach((stage, index) => {
      stage.previous = this.inOrder[index - 1];
      stage.next = this.inOrder[index + 1];
    });
  }
}

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
  /** Asked only where a time is known anyway; `undefined` is the rule, and costs a comparison. */
  observer: RecorderObserver | undefined;
  /** Asked once or twice a stage. */
  lifecycle: RecorderLifecycle | undefined;
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
  readonly stageList: StageList = new StageList();
  /** Whether events are waited for no more. */
  isClosed = false;
  readonly #occupancyCounter = new OccupancyCounter();
  readonly #changed = new Condition();

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

  /** The stages, from source to sink. */
  get stages(): readonly StageRecord[] {
    return this.stageList.inOrder;
  }

  /** Adds a stage: a reader in front, a writer at the end, a transformer after those before it. */
  addStage(kind: ProbedKind, name: string | undefined): StageRecord {
    return this.stageList.add(kind, name);
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
      if (isLater) this.#occupancyCounter.take(this.stageList.inOrder);
      return -1;
    }
    const { ring } = this;
    if (ring.count - 1 !== after) this.#occupancyCounter.take(this.stageList.inOrder);
    else if (code === codeOf.written) this.#occupancyCounter.countWritten();
    else if (code === codeOf.read) this.#occupancyCounter.countRead(stage);
    ring.add(code, stage.number, timeMs, ordinal, text, counts);
    if (this.#onEvent !== undefined) {
      const event = this.eventAt(ring.count - 1)!;
      callListener((event) => this.#onEvent!(event), event);
    }
    this.#changed.notifyAll();
    return ring.count - 1;
  }

  /** Adds to event number `index`, if it is still kept, what its stage learned by giving the chunk. */
  answer(
    index: number,
    stage: StageRecord,
    chunk: unknown,
    room: number | null,
    wantsMore: boolean,
  ): void {
    this.ring.setAnswer(index, room, wantsMore);
    if (this.#onAnswer === undefined) return;
    const id = this.identify?.(chunk) ?? String(stage.given);
    const answer = { stage: stage.name, id, desiredSize: room, wantsMore };
    callListener((answer) => this.#onAnswer!(answer), answer);
  }

  /** Event number `index`, counted from 0, if it is still kept. */
  eventAt(index: number, isBare = false): ProbeEvent | undefined {
    return readEvent(this.ring, index, this.stageList.numbered, this.startedAtMs, isBare);
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
    this.#occupancyCounter.take(this.stageList.inOrder);
    return this.#occupancyCounter.toOccupancy();
  }

  /** Lets go of the chunks that the stages remember. */
  forgetChunks(): void {
    for (const stage of this.stages) stage.lastChunk = noChunk;
  }

  /** Whether nothing more will happen. */
  get isOver(): boolean {
    return this.stageList.isOver;
  }

  /** Ends what waits for events. */
  close(): void {
    this.isClosed = true;
    this.#changed.notifyAll();
  }

  /** Resolves when something may have happened. */
  wait(): Promise<void> {
    return this.#changed.wait();
  }

  /** A stage says nothing more; what waits for events may stop. */
  finish(stage: StageRecord): void {
    stage.isOver = true;
    this.show((lifecycle) => lifecycle.finish(stage));
    this.#changed.notifyAll();
  }

  /** Shows a step of the pipeline's life to what traces it. */
  show(step: (lifecycle: RecorderLifecycle) => void): void {
    const { lifecycle } = this;
    if (lifecycle !== undefined) callListener(step, lifecycle);
  }

  #addWaitingTime(timeMs: number): void {
    if (this.firstMs === undefined) {
      this.firstMs = timeMs;
      this.show((lifecycle) => lifecycle.begin());
    } else {
      const elapsedMs = timeMs - this.lastMs;
      for (const stage of this.stages) stage.waitingTime += stage.waiting * elapsedMs;
      const [first] = this.stages;
      if (first!.pushes && !this.#occupancyCounter.isBusy) first.idleMs += elapsedMs;
    }
    this.lastMs = timeMs;
  }
}
