import { type Answer, DONE, FAILED, type ManyKernel, MORE, WAITS } from "./kernel.ts";
import type { Operation } from "./operation.ts";
import { Demand } from "./demand.ts";
import { Slice } from "./slice.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** Runs a kernel of many in a native stream. */
export function runManyNatively(kernel: ManyKernel, controller: Controller): Operation<unknown> {
  return new DrainLoop(kernel, controller);
}

/** Runs a kernel of many in a native transform stream: one chunk at a time, while there is room in its queue. */
class DrainLoop implements Operation<unknown> {
  readonly #kernel: ManyKernel;
  readonly #controller: Controller;
  readonly #demand: Demand;
  readonly #slice = new Slice();
  #isStopped = false;
  #endTransform: (() => void) | undefined;

  /** To be made by `start`. */
  constructor(kernel: ManyKernel, controller: Controller) {
    this.#kernel = kernel;
    this.#controller = controller;
    this.#demand = new Demand(controller);
    this.#slice.limit = 1;
  }

  /** Answers a promise only if it has to wait. */
  transform(chunk: unknown): void | Promise<void> {
    const kernel = this.#kernel;
    const slice = this.#slice;
    slice.load(chunk);
    let answer = kernel.run(slice);
    while (this.#emit(answer)) {
      if (answer === WAITS || !this.#mayGoOn()) return this.#goOnLater(answer);
      answer = kernel.more(slice);
    }
  }

  flush(): void | Promise<void> {
    if (!this.#kernel.end?.()) return;
    this.hearNothing();
    return this.#goOnLater(MORE);
  }

  hearNothing(): void {
    this.#demand.hearNothing();
  }

  /** Ends it for good, even if what it waits for never comes. */
  cancel(reason: unknown): unknown {
    this.#isStopped = true;
    this.#demand.askNow();
    this.#endTransform?.();
    return this.#kernel.stop(reason);
  }

  #goOnLater(answer: Answer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#endTransform = resolve;
      this.#goOn(answer).then(resolve, reject);
    });
  }

  async #goOn(answer: Answer): Promise<void> {
    const kernel = this.#kernel;
    const slice = this.#slice;
    do {
      if (answer === WAITS) {
        const value = await slice.promise;
        if (this.#isStopped) return;
        kernel.settle(value, (chunk) => this.#enqueue(chunk));
        if (!kernel.hasMore) return;
      }
      if (!this.#mayGoOn()) {
        await this.#demand.until(() => this.#isStopped || this.#mayGoOn());
      }
      if (this.#isStopped) return;
      answer = kernel.more(slice);
    } while (this.#emit(answer));
  }

  /** Enqueues what the kernel gave; tells whether there is more to come. */
  #emit(answer: Answer): boolean {
    const slice = this.#slice;
    const { out, outCount } = slice;
    slice.outCount = 0;
    for (let i = 0; i < outCount; i++) {
      this.#enqueue(out[i]);
      out[i] = undefined;
    }
    if (answer === FAILED) throw slice.reason;
    return answer !== DONE && !this.#isStopped;
  }

  #enqueue(chunk: unknown): void {
    try {
      this.#controller.enqueue(chunk);
    } catch (error) {
      // As in `for…of`, the first error counts.
      try {
        void Promise.resolve(this.#kernel.drop()).catch(() => {});
      } catch {
        // The same.
      }
      if (this.#kernel.end === undefined) throw error;
      // It gives when it likes, so the stream may have ended meanwhile, which counts first.
      this.#isStopped = true;
    }
  }

  #mayGoOn(): boolean {
    return this.#kernel.needsRoom !== true || this.#demand.isThere();
  }
}
