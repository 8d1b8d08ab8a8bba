import type { Transformer } from "../web_types.ts";
import { describeStage, inspectSymbol } from "./inspect.ts";
import type { Kernel, OneKernel } from "./kernel.ts";
import { runOneNatively } from "./one_operation.ts";
import type { Operation } from "./operation.ts";
import { type Meaning, setMeaning } from "./registry.ts";
import { StreamOperations } from "./stream_operations.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** Runs a kernel in a native stream. */
export type RunNatively<K extends Kernel> = (
  kernel: K,
  controller: Controller,
) => Operation<unknown>;

/**
 * The dictionary of an operator that has a kernel. `start` and `cancel` stand in the prototype, since accessors of its own
 * would cost ten times the rest; a copy made by spreading is without them, and its signal does not abort natively.
 */
class KernelTransformer<K extends Kernel> {
  readonly transform: (chunk: unknown, controller: Controller) => void | PromiseLike<void>;
  #operations: StreamOperations | undefined;
  readonly #makeKernel: () => K;
  readonly #runNatively: RunNatively<K>;

  constructor(makeKernel: () => K, runNatively: RunNatively<K>, name: string, fn: Meaning["fn"]) {
    this.#makeKernel = makeKernel;
    this.#runNatively = runNatively;
    this.transform = (chunk, controller) => this.#streams.of(controller).transform(chunk);
    const meaning = { makeKernel, name, fn };
    setMeaning(this, meaning);
    // A copy that a user changed is believed as far as its `transform` is still the operator's own.
    setMeaning(this.transform, meaning);
    Object.freeze(this);
  }

  get start(): (controller: Controller) => void {
    return this.#streams.readStart();
  }

  get cancel(): (reason: unknown) => unknown {
    return this.#streams.readCancel();
  }

  [inspectSymbol](): string {
    return describeStage(this);
  }

  /** Made when it is run natively for the first time. */
  get #streams(): StreamOperations {
    return this.#operations ??= new StreamOperations((controller) =>
      this.#runNatively(this.#makeKernel(), controller)
    );
  }
}

/** Makes the dictionary of an operator of the kernel that the engine runs, and of how a native stream runs that. */
export function kernelTransformer<I, O, K extends Kernel = OneKernel>(
  makeKernel: () => K,
  name: string,
  fn?: Meaning["fn"],
  runNatively: RunNatively<K> = runOneNatively as unknown as RunNatively<K>,
): Transformer<I, O> {
  return new KernelTransformer(makeKernel, runNatively, name, fn) as Transformer<I, O>;
}
