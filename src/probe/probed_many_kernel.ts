import { type Answer, DONE, FAILED, type ManyKernel, WAITS } from "../kernels/kernel.ts";
import type { Slice } from "../kernels/slice.ts";
import type { KernelView } from "./kernel_view.ts";
import type { Call } from "./stage_events.ts";
import { watchPromise } from "./watch_promise.ts";

/** A kernel of many that is looked at: it is given one chunk at a time. */
export class ProbedManyKernel implements ManyKernel {
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
