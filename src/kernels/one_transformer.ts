import type { Transformer } from "../web_types.ts";
import { NONE, type OneKernel, WAIT } from "./kernel.ts";
import { setKernel } from "./registry.ts";
import { type StreamStates, streamStates } from "./stream_states.ts";

type Controller = TransformStreamDefaultController<unknown>;

/**
 * The dictionary of an operator of one to one. `start` and `cancel` stand in the prototype, since accessors of its own
 * would cost ten times the rest; a copy made by spreading is without them, and its signal does not abort natively.
 */
class OneTransformer {
  readonly transform: (chunk: unknown, controller: Controller) => void | PromiseLike<void>;
  #kernels: StreamStates<OneKernel> | undefined;
  readonly #makeKernel: () => OneKernel;

  constructor(makeKernel: () => OneKernel) {
    this.#makeKernel = makeKernel;
    this.transform = (chunk, controller) =>
      transformBy(this.#states.of(controller), chunk, controller);
    setKernel(this, this.transform, makeKernel);
    Object.freeze(this);
  }

  get start(): (controller: Controller) => void {
    return this.#states.readStart();
  }

  get cancel(): (reason: unknown) => unknown {
    return this.#states.readCancel();
  }

  /** Made when it is run natively for the first time. */
  get #states(): StreamStates<OneKernel> {
    return this.#kernels ??= streamStates(
      this.#makeKernel,
      (kernel, reason) => kernel.stop(reason),
    );
  }
}

function transformBy(
  kernel: OneKernel,
  chunk: unknown,
  controller: Controller,
): void | PromiseLike<void> {
  const result = kernel.one(chunk);
  if (result === WAIT) {
    return (kernel.takePromise() as PromiseLike<unknown>).then((value) => {
      const settled = kernel.settle(value, chunk);
      if (settled !== NONE) controller.enqueue(settled);
    });
  }
  if (result !== NONE) controller.enqueue(result);
}

/** Makes the dictionary of an operator of what its kernel does with one chunk. */
export function oneTransformer<I, O>(makeKernel: () => OneKernel): Transformer<I, O> {
  return new OneTransformer(makeKernel) as Transformer<I, O>;
}
