import { isPromiseLike } from "../is_promise_like.ts";
import { GivenTimes, type StageRecord } from "./stage_record.ts";
import type { Recorder } from "./recorder.ts";
import { watchPromise } from "./watch_promise.ts";

function describe(reason: unknown): string {
  try {
    return String(reason);
  } catch {
    return typeof reason;
  }
}

/** A method of the user's. */
type Method = (this: unknown, ...args: unknown[]) => unknown;

/** A size by the user's own function; `undefined` if that throws, as it will again where the queue is. */
function measure(
  size: ((chunk: unknown) => number) | undefined,
  chunk: unknown,
): number | undefined {
  try {
    return size === undefined ? 1 : size(chunk);
  } catch {
    return undefined;
  }
}

/** What a call is of. */
type CallName = "transform" | "write";

/** Says what happens in one stage, in the one order that holds for every API. */
export class StageEvents {
  readonly recorder: Recorder;
  readonly record: StageRecord;
  #isClaimed = false;

  constructor(recorder: Recorder, record: StageRecord) {
    this.recorder = recorder;
    this.record = record;
  }

  /** It is put to use; it may be once. */
  claim(problem = `Cannot start: a probed ${this.record.kind} serves one stream`): void {
    const { recorder, record } = this;
    if (this.#isClaimed) throw new TypeError(`${problem}, wrap it again`);
    this.#isClaimed = true;
    recorder.stageList.include(record);
    recorder.show((lifecycle) => lifecycle.open(record));
  }

  /** Its stream starts, and has that controller. */
  open(controller: { readonly desiredSize: number | null }): void {
    this.claim();
    this.record.gauge.open(controller);
  }

  /** Its operator has begun in that stream, and may count the chunks that it holds. */
  openOperation(
    operation: { readonly doneCount?: number; waiting?(): string | undefined } | undefined,
  ): void {
    if (operation?.waiting !== undefined) this.record.waitsFor = () => operation.waiting!();
    if (operation?.doneCount === undefined) return;
    this.record.measureDone = () => operation.doneCount!;
  }

  /** A source gives a chunk; to be called before it does, since what follows may happen within. */
  read(chunk: unknown): void {
    const { recorder, record } = this;
    const ordinal = ++record.given;
    record.entering = 1;
    const text = recorder.identify === undefined ? undefined : recorder.identify(chunk);
    const timeMs = recorder.clock.glance();
    if (recorder.chunkWatchers > 0) record.lastChunk = chunk;
    this.#noteGiven(timeMs);
    record.lastIndex = recorder.emit(record, "read", ordinal, text, timeMs);
    record.entering = 0;
  }

  /** A chunk is about to be put in the queue; answers the number of the event that announced it. */
  beforeEnqueue(chunk: unknown): number {
    const { record } = this;
    if (record.kind === "reader") this.read(chunk);
    else {
      record.given++;
      record.hasGiven = true;
      this.#noteGiven(undefined);
    }
    if (record.hasSizes) {
      const { next } = record;
      const nextSize = measure(next?.inSize, chunk);
      // Its queue fails by this chunk, and its methods do not learn of it.
      if (nextSize === undefined) next!.isLost = true;
      record.ledger()?.add(measure(record.outSize, chunk) ?? 1, nextSize ?? 1);
    }
    return record.lastIndex;
  }

  /** The chunk that was announced last did not get into the queue. */
  refuse(): void {
    const { record } = this;
    record.given--;
    if (record.hasSizes) record.ledger()?.removeLast();
  }

  /** The chunk is in the queue, which has this much room left. */
  afterEnqueue(
    index: number,
    chunk: unknown,
    room: number | null,
    wantsMore: boolean = room !== null && room > 0,
  ): void {
    this.recorder.answer(index, this.record, chunk, room, wantsMore);
    if (!wantsMore) this.pause();
  }

  pause(): void {
    const { recorder, record } = this;
    if (record.isPaused) return;
    record.isPaused = true;
    recorder.emit(record, "backpressure", 0, undefined, recorder.clock.glance());
  }

  /** The stage is asked for more. */
  drain(): void {
    const { recorder, record } = this;
    if (!record.isPaused) return;
    record.isPaused = false;
    recorder.emit(record, "drain", 0, undefined, recorder.clock.glance());
  }

  end(event: "end" | "final"): void {
    if (this.record.isOver) return;
    this.record.gauge.close();
    this.recorder.emit(this.record, event, 0, undefined, this.recorder.clock.read());
    this.recorder.finish(this.record);
  }

  fail(event: "error" | "cancel", reason: unknown): void {
    const { recorder, record } = this;
    // It may have ended before, and its queue hold chunks yet.
    if (event === "cancel") record.gauge.cancel();
    if (record.isOver) return;
    record.hasFailed = true;
    record.failure = describe(reason);
    if (event === "error") recorder.show((lifecycle) => lifecycle.fail(record, reason));
    recorder.emit(record, event, 0, record.failure, recorder.clock.read());
    recorder.finish(record);
  }

  /** A transform or write begins. `endCall` takes what it comes to. */
  beginCall(name: CallName, chunk: unknown): Call {
    const { recorder, record } = this;
    const { clock } = recorder;
    const isMeasured = clock.isExact || record.isMeasured;
    const timeMs = isMeasured ? clock.read() : clock.glance();
    const ordinal = ++record.begun;
    record.hasGiven = false;
    const text = recorder.identify?.(chunk);
    if (recorder.chunkWatchers > 0) record.lastChunk = chunk;
    const givenMs = recorder.observer && record.previous?.givenTimes?.take(ordinal);
    if (givenMs !== undefined) recorder.observer!.waited(record, timeMs - givenMs);
    const index = record.lastIndex = recorder.emit(record, name, ordinal, text, timeMs);
    return { index, ordinal, text, timeMs, isMeasured, isLong: false };
  }

  /** It takes longer than until now. */
  prolong(call: Call): void {
    call.isLong = true;
    this.record.beginWork(call.timeMs);
  }

  endCall(call: Call, isDone: boolean): void {
    const { recorder, record } = this;
    const { clock } = recorder;
    record.finished++;
    if (!isDone) record.failed++;
    let endMs: number | undefined;
    if (call.isLong || call.isMeasured) {
      endMs = clock.read();
      const durationMs = endMs - call.timeMs;
      if (call.isLong) record.endWork(endMs);
      else record.addCall(durationMs, clock.isExact);
      recorder.setDuration(call.index, durationMs);
      recorder.observer?.worked(record, durationMs);
    }
    if (record.kind === "writer" && isDone) {
      recorder.emit(record, "written", call.ordinal, call.text, endMs ?? clock.glance());
    }
    if (record.isWriteOnly && recorder.isOver) recorder.finish(record);
  }

  /** Runs a transform or write of the user's on a chunk, the first of `args`. What it answers or throws is passed on. */
  call(name: CallName, method: Method, self: unknown, args: unknown[]): unknown {
    const call = this.beginCall(name, args[0]);
    let result: unknown;
    try {
      result = Reflect.apply(method, self, args);
    } catch (reason) {
      this.endCall(call, false);
      this.fail("error", reason);
      throw reason;
    }
    if (result !== undefined && isPromiseLike(result)) return this.await(result, call);
    this.endCall(call, true);
    return result;
  }

  /** The call ends as the promise settles, before others learn of it; answers what they are to be given. */
  await(result: PromiseLike<unknown>, call: Call): PromiseLike<unknown> {
    this.prolong(call);
    return watchPromise(result, () => this.endCall(call, true), (reason) => {
      this.endCall(call, false);
      this.fail("error", reason);
    });
  }

  /** Asks a source of the user's for more, counted as work. */
  ask(method: () => unknown): unknown {
    const { clock } = this.recorder;
    return this.#work(method, clock.isExact || this.record.isMeasured, undefined);
  }

  /** Runs a method that is called once, counted as work if it lasts; `succeeded` is called when it has ended well. */
  work(method: () => unknown, succeeded?: () => void): unknown {
    return this.#work(method, false, succeeded);
  }

  #work(method: () => unknown, isMeasured: boolean, succeeded: (() => void) | undefined): unknown {
    const { record, recorder: { clock, observer } } = this;
    const timeMs = isMeasured ? clock.read() : clock.glance();
    let result: unknown;
    try {
      result = method();
    } catch (reason) {
      this.fail("error", reason);
      throw reason;
    }
    if (result === undefined || !isPromiseLike(result)) {
      if (isMeasured) {
        const durationMs = clock.read() - timeMs;
        record.addCall(durationMs, clock.isExact);
        observer?.worked(record, durationMs);
      }
      succeeded?.();
      return result;
    }
    record.beginWork(timeMs);
    const end = (): void => {
      const endMs = clock.read();
      record.endWork(endMs);
      if (record.kind === "reader") this.recorder.observer?.worked(record, endMs - timeMs);
    };
    return watchPromise(result, () => {
      end();
      succeeded?.();
    }, (reason) => {
      end();
      this.fail("error", reason);
    });
  }

  #noteGiven(timeMs: number | undefined): void {
    const { record, recorder: { observer, clock } } = this;
    if (observer === undefined) return;
    (record.givenTimes ??= new GivenTimes()).add(record.given, timeMs ?? clock.glance());
  }
}

/** A transform or write that has begun. */
export interface Call {
  /** The number of its event. */
  readonly index: number;
  readonly ordinal: number;
  readonly text: string | undefined;
  readonly timeMs: number;
  readonly isMeasured: boolean;
  isLong: boolean;
}
