import { NONE, type OneKernel, WAIT } from "./kernel.ts";
import type { Operation } from "./operation.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** Runs a kernel of one to one in a native stream. One function for all: to make a stage is part of a short run. */
export function runOneNatively(kernel: OneKernel, controller: Controller): Operation<unknown> {
  const emit = (result: unknown): void => {
    if (result !== NONE) controller.enqueue(result);
  };
  return {
    transform(chunk) {
      const result = kernel.one(chunk);
      if (result !== WAIT) return emit(result);
      return Promise.resolve(kernel.takePromise()).then((value) =>
        emit(kernel.settle(value, chunk))
      );
    },
    flush() {
      if (kernel.flush !== undefined) emit(kernel.flush());
    },
    cancel: (reason) => kernel.stop(reason),
  };
}
