import { AbortableContext, type StageContext } from "./stage_context.ts";

/** What a stage's function is called with. */
export type StageFunction = (chunk: unknown, index: number, context: StageContext) => unknown;

/** What the kernels of one to one have in common: a function, and the promise it gave. */
export abstract class FunctionKernel {
  /** How many chunks the function was called with. */
  index = 0;
  readonly fn: StageFunction;
  readonly context: AbortableContext = new AbortableContext();
  protected promise: unknown = undefined;

  constructor(fn: StageFunction) {
    this.fn = fn;
  }

  takePromise(): unknown {
    const { promise } = this;
    this.promise = undefined;
    return promise;
  }

  stop(reason: unknown): void {
    this.context.stop(reason);
  }
}
