import { Condition } from "../condition.ts";
import { callListener } from "../call_listener.ts";
import { type Counts, KeptEvent, none, showEvent } from "./kept_event.ts";
import { noChunk, StageRecord } from "./stage_record.ts";
import type {
  Occupancy,
  ProbeAnswer,
  ProbedKind,
  ProbeEvent,
  ProbeEventName,
  RecorderOptions,
} from "./types.ts";
import { callback, integer, readOptions, text } from "../read_options.ts";

const cheapReads = 64;

/** A clock that is asked more often than it is read: reading it may cost more than what happens in between. */
export class ProbeClock {
  /** Whether every time is read, as from a clock that was given. */
  readonly isExact: boolean;
  readonly #now: () => number;
  #lastMs: number;
  #left = 0;
  #isTimerSet = false;

  constructor(now: (() => number) | undefined) {
    this.isExact = now !== undefined;
    this.#now = now ?? (() => performance.now());
    this.#lastMs = this.#now();
  }

  /** The time, read. */
  read(): number {
    if (this.isExact) return this.#now();
    this.#left = cheapReads;
    if (!this.#isTimerSet) {
      this.#isTimerSet = true;
      // The event loop may rest for long: after its next turn nothing that was read is believed.
      setTimeout(() => {
        this.#isTimerSet = false;
        this.#left = 0;
      });
    }
    return this.#lastMs = this.#now();
  }

  /** The time, or that of a moment ago in the same turn of the event loop. */
  glance(): number {
    return --this.#left < 0 || this.isExact ? this.read() : this.#lastMs;
  }
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

/** Counts what happens in the stages of one pipeline, and keeps the last events. */
export class Recorder {
  /** What the pipeline is called. */
  readonly name: string;
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
  /** How many events there were. */
  count = 0;
  /** The last ones, each at its number modulo how many are remembered. */
  readonly #events: KeptEvent[] = [];
  readonly #capacity: number;
  readonly #onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly #onAnswer: ((answer: ProbeAnswer) => void) | undefined;
  readonly stageList: StageList = new StageList();
  /** Whether events are waited for no more. */
  isClosed = false;
  /** Whether anything was in the pipeline at the last event. */
  #isBusy = false;
  readonly #changed = new Condition();

  constructor(options: RecorderOptions) {
    const { name, capacity, identify, onEvent, onAnswer, now } = readOptions(
      "create probe",
      options,
      {
        name: text("pipeline"),
        capacity: integer(10_000, 0),
        identify: callback(),
        onEvent: callback(),
        onAnswer: callback(),
        now: callback(),
      },
    );
    this.name = name;
    this.keeps = capacity;
    // One is remembered to be shown even if none is kept.
    this.#capacity = capacity === 0 && onEvent !== undefined ? 1 : capacity;
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

  /** Notes one thing that happened; answers its number, counted from 0. */
  emit(
    stage: StageRecord,
    event: ProbeEventName,
    ordinal: number,
    text: string | undefined,
    timeMs: number,
  ): number {
    const isLater = timeMs !== this.lastMs;
    if (isLater) this.#addWaitingTime(timeMs);
    if (this.#capacity === 0) {
      if (isLater) this.occupancy();
      return -1;
    }
    const index = this.count++;
    const kept = this.#events[index % this.#capacity] ??= new KeptEvent();
    kept.stage = stage;
    kept.event = event;
    kept.ordinal = ordinal;
    kept.text = text;
    kept.timeMs = timeMs;
    kept.desiredSize = kept.wantsMore = kept.durationMs = undefined;
    this.occupancy(kept.occupancy);
    if (this.#onEvent !== undefined) {
      callListener((event) => this.#onEvent!(event), this.eventAt(index)!);
    }
    this.#changed.notifyAll();
    return index;
  }

  /** Adds to event number `index`, if it is still kept, how long it took. */
  setDuration(index: number, durationMs: number): void {
    const kept = this.#find(index);
    if (kept !== undefined) kept.durationMs = durationMs;
  }

  /** Adds to event number `index`, if it is still kept, what its stage learned by giving the chunk. */
  answer(
    index: number,
    stage: StageRecord,
    chunk: unknown,
    desiredSize: number | null,
    wantsMore: boolean,
  ): void {
    const kept = this.#find(index);
    if (kept !== undefined) {
      kept.desiredSize = desiredSize;
      kept.wantsMore = wantsMore;
    }
    if (this.#onAnswer === undefined) return;
    const id = this.identify?.(chunk) ?? String(stage.given);
    const answer = { stage: stage.name, id, desiredSize, wantsMore };
    callListener((answer) => this.#onAnswer!(answer), answer);
  }

  /** How many events are forgotten. */
  get dropped(): number {
    return Math.max(0, this.count - this.#capacity);
  }

  /** Event number `index`, counted from 0, if it is still kept. */
  eventAt(index: number, isBare = false): ProbeEvent | undefined {
    const kept = this.#find(index);
    return kept && showEvent(kept, index + 1, this.startedAtMs, isBare);
  }

  /** The events that are kept. */
  events(isBare = false): ProbeEvent[] {
    if (this.keeps === 0) return [];
    const { dropped, count } = this;
    return Array.from(
      { length: count - dropped },
      (_, index) => this.eventAt(dropped + index, isBare)!,
    );
  }

  /** Counts where the chunks are now, and notes what waits before each stage. */
  occupancy(counts: Counts = { ...none }): Occupancy {
    counts.transformerIn = counts.transforming = counts.transformerOut = 0;
    let out = 0;
    this.#isBusy = false;
    for (const stage of this.stages) {
      const { kind, inFlight } = stage;
      const waiting = stage.waitingBehind(out);
      stage.waiting = out + waiting;
      out = stage.out;
      if (stage.waiting > 0 || inFlight > 0 || out > 0) this.#isBusy = true;
      if (kind === "reader") counts.readerOut = out;
      else if (kind === "transformer") {
        counts.transformerIn += waiting;
        counts.transforming += stage.transforming;
        counts.transformerOut += out;
      } else {
        counts.writerIn = waiting;
        counts.writing = inFlight;
        counts.written = stage.done;
      }
    }
    return counts;
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

  #find(index: number): KeptEvent | undefined {
    return index >= this.dropped && index < this.count
      ? this.#events[index % this.#capacity]
      : undefined;
  }

  #addWaitingTime(timeMs: number): void {
    if (this.firstMs === undefined) {
      this.firstMs = timeMs;
      this.show((lifecycle) => lifecycle.begin());
    } else {
      const elapsedMs = timeMs - this.lastMs;
      for (const stage of this.stages) stage.waitingTime += stage.waiting * elapsedMs;
      const [first] = this.stages;
      if (first!.pushes && !this.#isBusy) first.idleMs += elapsedMs;
    }
    this.lastMs = timeMs;
  }
}
