import { Condition } from "../condition.ts";
import { callListener } from "../call_listener.ts";
import { codeOf, EventRing, readEvent } from "./event_ring.ts";
import { noChunk, StageRecord } from "./stage_record.ts";
import type { Occupancy, ProbeAnswer, ProbedKind, ProbeEvent } from "./types.ts";
import { throwTypeError } from "../errors.ts";

/** Counts the chunks at every place of a pipeline. */
class OccupancyCounter {
  /** The numbers of an `Occupancy`, in its order. */
  readonly counts: Float64Array = new Float64Array(7);
  /** Whether anything was in the pipeline when it was last counted. */
  isBusy = false;

  /** Counts, and notes what waits before each stage. */
  take(stages: readonly StageRecord[]): void {
    const { counts } = this;
    let outBefore = 0;
    let transformerIn = 0, transforming = 0, transformerOut = 0;
    let isBusy = false;
    for (let index = 0; index < stages.length; index++) {
      const stage = stages[index]!;
      const { kind, begun } = stage;
      const inFlight = begun - stage.finished;
      if (kind === "reader") {
        counts[0] = outBefore = stage.out;
        if (outBefore > 0) isBusy = true;
        continue;
      }
      const waiting = stage.waitingBehind(outBefore);
      stage.waiting = outBefore + waiting;
      if (stage.waiting > 0 || inFlight > 0) isBusy = true;
      if (kind === "writer") {
        counts[4] = waiting;
        counts[5] = inFlight;
        counts[6] = stage.done;
        continue;
      }
      outBefore = stage.out;
      if (outBefore > 0) isBusy = true;
      transformerIn += waiting;
      transforming += stage.transforming;
      transformerOut += outBefore;
    }
    counts[1] = transformerIn;
    counts[2] = transforming;
    counts[3] = transformerOut;
    this.isBusy = isBusy;
  }

  /** Counts a chunk that a source gives when it is asked, nothing else having moved. */
  countRead(reader: StageRecord): void {
    this.counts[0]!++;
    if (reader.next !== undefined) reader.next.waiting++;
  }

  /** Counts a write that has ended, nothing else having moved. */
  countWritten(): void {
    const { counts } = this;
    counts[5]!--;
    counts[6]!++;
    let left = 0;
    for (let place = 0; place < 6; place++) left += counts[place]!;
    this.isBusy = left > 0;
  }

  toOccupancy(): Occupancy {
    const [readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written] =
      this.counts as unknown as [number, number, number, number, number, number, number];
    return { readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written };
  }
}

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

const recorders = new WeakMap<object, Recorder>();

/** Lets `recorderOf` find the recorder of a probe later; answers the probe. */
export function rememberRecorder<Probe extends object>(probe: Probe, recorder: Recorder): Probe {
  recorders.set(probe, recorder);
  return probe;
}

/**
 * The recorder behind a probe.
 *
 * @throws {TypeError} If it is none.
 */
export function recorderOf(action: string, probe: unknown): Recorder {
  const recorder = recorders.get(probe as object);
  if (recorder === undefined) throwTypeError(action, "the probe", "made by probe()", probe);
  return recorder;
}

/** What a recorder is made with; see `RecorderOptions` of `probe`. */
interface RecorderSettings {
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
