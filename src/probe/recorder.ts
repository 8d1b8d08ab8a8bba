import { EventRing } from "./event_ring.ts";
import { StageRecord } from "./stage_record.ts";
import type { Occupancy, ProbeBuffer, ProbedKind, ProbeEvent, ProbeEventName } from "./types.ts";

/** What a recorder may be told; see `RecorderOptions` of `probe`. */
export interface RecorderSettings {
  readonly capacity: number;
  readonly identify: ((chunk: unknown) => string) | undefined;
  readonly onEvent: ((event: ProbeEvent) => void) | undefined;
  readonly now: () => number;
}

/** What belongs to one kind of event only. */
type Details = Partial<Pick<ProbeEvent, "id" | "desiredSize" | "wantsMore" | "reason">>;

const order: Record<ProbedKind, number> = { reader: 0, transformer: 1, writer: 2 };

/** Counts what happens in the stages of one pipeline, and keeps the last events. */
export class Recorder {
  readonly ring: EventRing;
  readonly startedAtMs: number;
  readonly now: () => number;
  stages: StageRecord[] = [];
  /** When the first and the last event happened. */
  firstMs: number | undefined;
  lastMs = 0;
  readonly #identify: ((chunk: unknown) => string) | undefined;
  readonly #onEvent: ((event: ProbeEvent) => void) | undefined;
  /** Whether anything was in the pipeline at the last event. */
  #isBusy = false;
  readonly #waiters = new Set<() => void>();

  constructor({ capacity, identify, onEvent, now }: RecorderSettings) {
    this.ring = new EventRing(capacity);
    this.#identify = identify;
    this.#onEvent = onEvent;
    this.now = now;
    this.startedAtMs = now();
  }

  /** Adds a stage: a reader in front, a writer at the end, a transformer after those before it. */
  addStage(kind: ProbedKind, name: string | undefined): StageRecord {
    const alike = this.stages.filter((stage) => stage.kind === kind).length;
    if (alike > 0 && kind !== "transformer") {
      throw new TypeError(`Cannot probe ${kind}: the probe already has one, use a probe for each`);
    }
    const stage = new StageRecord(name ?? (alike > 0 ? `${kind} ${alike + 1}` : kind), kind);
    this.stages = [...this.stages, stage].sort((one, other) => order[one.kind] - order[other.kind]);
    this.stages.forEach((stage, index) => {
      stage.previous = this.stages[index - 1];
      stage.next = this.stages[index + 1];
    });
    return stage;
  }

  /** What the `ordinal`th chunk of a stage is called. */
  identify(chunk: unknown, ordinal: number): string {
    return this.#identify === undefined ? String(ordinal) : this.#identify(chunk);
  }

  /** Notes one thing that happened, and answers the event if it is kept. */
  emit(
    stage: StageRecord,
    event: ProbeEventName,
    details: Details,
    timeMs: number = this.now(),
  ): ProbeEvent | undefined {
    this.#addWaitingTime(timeMs);
    const occupancy = this.occupancy();
    if (this.ring.capacity === 0 && this.#onEvent === undefined) return undefined;
    const entry: ProbeEvent = {
      seq: this.ring.count + 1,
      timeMs: timeMs - this.startedAtMs,
      stage: stage.name,
      event,
      ...details,
      occupancy,
    };
    this.ring.add(entry);
    this.#tell(entry);
    if (this.#waiters.size > 0) this.#wake();
    return entry;
  }

  /** Counts where the chunks are now. */
  occupancy(): Occupancy {
    let readerOut = 0, transformerIn = 0, transforming = 0, transformerOut = 0;
    let writerIn = 0, writing = 0, written = 0;
    let outBefore = 0;
    this.#isBusy = false;
    for (const stage of this.stages) {
      const waiting = stage.in ?? 0;
      stage.waiting = outBefore + waiting;
      outBefore = stage.kind === "writer" ? 0 : stage.out;
      this.#isBusy ||= stage.waiting > 0 || stage.inFlight > 0 || outBefore > 0;
      if (stage.kind === "reader") readerOut = outBefore;
      else if (stage.kind === "transformer") {
        transformerIn += waiting;
        transforming += stage.transforming;
        transformerOut += outBefore;
      } else {
        writerIn = waiting;
        writing = stage.inFlight;
        written = stage.finished;
      }
    }
    return { readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written };
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

  #tell(event: ProbeEvent): void {
    if (this.#onEvent === undefined) return;
    try {
      this.#onEvent(event);
    } catch (error) {
      // As with event listeners: an error of the one who looks is no error of the one looked at.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
