import { NONE, type OneKernel, WAIT } from "./kernel.ts";
import type { Operation } from "./operation.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** Runs a kernel of one to one in a native stream. One function for all: to make a stage is part of a short run. */
export function runOneNatively(kernel: OneKernel, controller: Controller): Operation<unknown> {
  return new OneOperation(kernel, controller);
}

/** Runs a kernel of one to one in a native transform stream. */
class OneOperation implements Operation<unknown> {
  readonly #kernel: OneKernel;
  readonly #controller: Controller;

  constructor(kernel: OneKernel, controller: Controller) {
    this.#kernel = kernel;
    this.#controller = controller;
  }

  transform(chunk: unknown): void | PromiseLike<void> {
    const kernel = this.#kernel;
    const result = kernel.one(chunk);
    if (result === WAIT) {
      return Promise.resolve(kernel.takePromise()).then((value) =>
        this.#emit(kernel.settle(value, chunk))
      );
    }
    this.#emit(result);
  }

  flush(): void {
    if (this.#kernel.flush !== undefined) this.#emit(this.#kernel.flush());
  }

  cancel(reason: unknown): void {
    this.#kernel.stop(reason);
  }

  #emit(result: unknown): void {
    if (result !== NONE) this.#controller.enqueue(result);
  }
}
