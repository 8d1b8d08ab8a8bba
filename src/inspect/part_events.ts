import { nowhere, Recorder } from "./recorder.ts";
import { type Call, StageEvents } from "./stage_events.ts";
import type { StageRecord } from "./stage_record.ts";

/** A call of a part, and what it is to the whole: the first part's call is the whole's. */
interface PartCall extends Call {
  outer?: Call;
}

/** Says what happens in one stage of a composition, and of it what is the composition's own. */
class PartEvents extends StageEvents {
  readonly #whole: StageEvents;
  readonly #isFirst: boolean;
  readonly #isLast: boolean;

  constructor(recorder: Recorder, record: StageRecord, whole: StageEvents, isLast: boolean) {
    super(recorder, record);
    this.#whole = whole;
    this.#isFirst = record.number === 0;
    this.#isLast = isLast;
  }

  override open(controller: { readonly desiredSize: number | null }): void {
    if (this.#isFirst) this.#whole.claim();
    super.open(controller);
    if (this.#isLast) this.#whole.record.gauge.open(controller);
  }

  override beginCall(code: number, chunk: unknown): Call {
    const call = super.beginCall(code, chunk) as PartCall;
    if (this.#isFirst) call.outer = this.#whole.beginCall(code, chunk);
    return call;
  }

  override prolong(call: PartCall): void {
    super.prolong(call);
    if (call.outer !== undefined) this.#whole.prolong(call.outer);
  }

  override endCall(call: PartCall, isDone: boolean): void {
    super.endCall(call, isDone);
    if (call.outer !== undefined) this.#whole.endCall(call.outer, isDone);
  }

  override call(
    code: number,
    method: (...args: unknown[]) => unknown,
    self: unknown,
    args: unknown[],
  ): unknown {
    return this.callByStep(code, method, self, args);
  }

  override beforeEnqueue(chunk: unknown): number {
    super.beforeEnqueue(chunk);
    return this.#isLast ? this.#whole.beforeEnqueue(chunk) : nowhere;
  }

  override refuse(): void {
    super.refuse();
    if (this.#isLast) this.#whole.refuse();
  }

  override afterEnqueue(
    index: number,
    chunk: unknown,
    room: number | null,
    wantsMore: boolean,
  ): void {
    if (this.#isLast) this.#whole.afterEnqueue(index, chunk, room, wantsMore);
    this.record.isPaused = !wantsMore;
  }

  override drain(): number {
    this.record.isPaused = false;
    return this.#isFirst ? this.#whole.drain() : nowhere;
  }

  override end(event: "end" | "final"): void {
    super.end(event);
    if (this.#isLast) this.#whole.end(event);
  }

  override fail(event: "error" | "cancel", reason: unknown): void {
    super.fail(event, reason);
    this.#whole.fail(event, reason);
  }
}

/** The events of each of so many parts of a stage: where there is one, the stage's own. */
export function eventsOfParts(whole: StageEvents, count: number): readonly StageEvents[] {
  if (count === 1) return [whole];
  const { recorder, record } = whole;
  const { name, clock } = recorder;
  const inner = new Recorder({
    name,
    capacity: 0,
    now: () => clock.glance(),
    identify: undefined,
    onEvent: undefined,
    onAnswer: undefined,
  });
  const parts = Array.from({ length: count }, () => inner.addStage("transformer", undefined));
  record.parts = parts;
  // A composition of none is not there at all, unless a native stream is made of it.
  if (count === 0) recorder.stageList.leaveOut(record);
  return parts.map((part, index) => new PartEvents(inner, part, whole, index === count - 1));
}
