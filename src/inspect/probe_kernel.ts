import {
  type Answer,
  type Counts,
  DONE,
  FAILED,
  isOneKernel,
  type Kernel,
  type ManyKernel,
  NONE,
  type OneKernel,
  runOneByOne,
  WAIT,
  WAITS,
} from "../kernels/kernel.ts";
import type { Slice } from "../kernels/slice.ts";
import { codeOf } from "./event_codes.ts";
import type { Call, StageEvents } from "./stage_events.ts";
import { watchPromise } from "./watch_promise.ts";

/** The queue that a kernel's chunks go to, once the engine has started its stage. */
export interface KernelOutput {
  readonly controller: { readonly desiredSize: number | null } | undefined;
}

/** Says what goes into a kernel and what comes out. */
class KernelView {
  readonly events: StageEvents;
  readonly #output: KernelOutput;
  /** What was given since the engine has last taken it away. */
  #givenCount = 0;

  constructor(events: StageEvents, output: KernelOutput) {
    this.events = events;
    this.#output = output;
  }

  begin(chunk: unknown): Call {
    const { events } = this;
    if (events.record.isPaused) events.drain();
    return events.beginCall(codeOf.transform, chunk);
  }

  fail(call: Call | undefined, reason: unknown): void {
    if (call !== undefined) this.events.endCall(call, false);
    this.events.fail("error", reason);
  }

  /** To be called before what gives chunks that the engine takes together. */
  beginSlice(): void {
    this.#givenCount = 0;
  }

  give(chunk: unknown): void {
    const { events } = this;
    const index = events.beforeEnqueue(chunk);
    const desiredSize = this.#output.controller?.desiredSize ?? null;
    const room = desiredSize === null ? null : desiredSize - ++this.#givenCount;
    events.afterEnqueue(index, chunk, room, room !== null && room > 0);
  }
}

/** A kernel of one to one that is looked at. */
class ProbedOneKernel implements OneKernel {
  readonly #kernel: OneKernel;
  readonly #view: KernelView;
  #waiting: Call | undefined;

  constructor(kernel: OneKernel, view: KernelView) {
    this.#kernel = kernel;
    this.#view = view;
  }

  get index(): number | undefined {
    return this.#kernel.index;
  }

  one(chunk: unknown): unknown {
    this.#view.beginSlice();
    return this.#step(chunk);
  }

  run(slice: Slice): number {
    this.#view.beginSlice();
    return runOneByOne({ one: (chunk) => this.#step(chunk) }, slice);
  }

  takePromise(): unknown {
    const call = this.#waiting!;
    this.#waiting = undefined;
    return this.#view.events.await(this.#kernel.takePromise() as PromiseLike<unknown>, call);
  }

  settle(value: unknown, chunk: unknown): unknown {
    this.#view.beginSlice();
    let result: unknown;
    try {
      result = this.#kernel.settle(value, chunk);
    } catch (reason) {
      this.#view.fail(undefined, reason);
      throw reason;
    }
    if (result !== NONE) this.#view.give(result);
    return result;
  }

  flush(): unknown {
    return this.#give(this.#kernel.flush?.() ?? NONE);
  }

  flushNow(): unknown {
    return this.#give(this.#kernel.flushNow?.() ?? NONE);
  }

  #give(held: unknown): unknown {
    if (held !== NONE) {
      this.#view.beginSlice();
      this.#view.give(held);
    }
    return held;
  }

  stop(reason: unknown): void {
    this.#view.events.fail("cancel", reason);
    this.#kernel.stop(reason);
  }

  addCounts(counts: Counts): void {
    this.#kernel.addCounts?.(counts);
  }

  #step(chunk: unknown): unknown {
    const call = this.#view.begin(chunk);
    let result: unknown;
    try {
      result = this.#kernel.one(chunk);
    } catch (reason) {
      this.#view.fail(call, reason);
      throw reason;
    }
    if (result === WAIT) {
      this.#waiting = call;
      return WAIT;
    }
    if (result !== NONE) this.#view.give(result);
    this.#view.events.endCall(call, true);
    return result;
  }
}

/** A kernel of many that is looked at: it is given one chunk at a time. */
class ProbedManyKernel implements ManyKernel {
  readonly #kernel: ManyKernel;
  readonly #view: KernelView;
  /** The chunk that it has not done with. */
  #open: Call | undefined;

  constructor(kernel: ManyKernel, view: KernelView) {
    this.#kernel = kernel;
    this.#view = view;
  }

  get hasMore(): boolean {
    return this.#kernel.hasMore;
  }

  get needsRoom(): boolean {
    return this.#kernel.needsRoom === true;
  }

  run(slice: Slice): Answer {
    const { items, count } = slice;
    let taken = 0;
    let answer: Answer = DONE;
    this.#view.beginSlice();
    while (taken < count && answer === DONE && slice.outCount < slice.limit) {
      const chunk = items[taken];
      items[taken++] = undefined;
      this.#open = this.#view.begin(chunk);
      slice.items = [chunk];
      slice.count = 1;
      answer = this.#look(slice, (slice) => this.#kernel.run(slice));
      slice.items = items;
      slice.count = count;
    }
    slice.taken = taken;
    return answer;
  }

  more(slice: Slice): Answer {
    this.#view.beginSlice();
    return this.#look(slice, (slice) => this.#kernel.more(slice));
  }

  settle(value: unknown, give: (chunk: unknown) => void): void {
    this.#view.beginSlice();
    try {
      this.#kernel.settle(value, (chunk) => {
        this.#view.give(chunk);
        give(chunk);
      });
    } catch (reason) {
      this.#view.fail(this.#close(), reason);
      throw reason;
    }
    if (!this.#kernel.hasMore) this.#end(true);
  }

  get end(): ManyKernel["end"] {
    const kernel = this.#kernel;
    return kernel.end && (() => kernel.end!());
  }

  drop(): unknown {
    this.#end(false);
    return this.#kernel.drop();
  }

  stop(reason: unknown): unknown {
    this.#end(false);
    this.#view.events.fail("cancel", reason);
    return this.#kernel.stop(reason);
  }

  /** Looks at what comes out of a step, and at how it goes on. */
  #look(slice: Slice, step: (slice: Slice) => Answer): Answer {
    const before = slice.outCount;
    const answer = step(slice);
    for (let i = before; i < slice.outCount; i++) this.#view.give(slice.out[i]);
    if (answer === DONE) this.#end(true);
    else if (answer === FAILED) this.#view.fail(this.#close(), slice.reason);
    else {
      const call = this.#open;
      if (call !== undefined && !call.isLong) this.#view.events.prolong(call);
    }
    if (answer === WAITS) {
      const promise = slice.promise as PromiseLike<unknown>;
      slice.promise = watchPromise(
        promise,
        () => {},
        (reason) => this.#view.fail(this.#close(), reason),
      );
    }
    return answer;
  }

  #end(isDone: boolean): void {
    const call = this.#close();
    if (call !== undefined) this.#view.events.endCall(call, isDone);
  }

  #close(): Call | undefined {
    const call = this.#open;
    this.#open = undefined;
    return call;
  }
}

/** Looks at what a kernel does. */
export function probeKernel(kernel: Kernel, events: StageEvents, output: KernelOutput): Kernel {
  const view = new KernelView(events, output);
  return isOneKernel(kernel)
    ? new ProbedOneKernel(kernel, view)
    : new ProbedManyKernel(kernel, view);
}
