import type { Transformer } from "../web_types.ts";
import { NONE, type OneKernel, WAIT } from "./kernel.ts";
import { setKernel } from "./registry.ts";
import { streamStates } from "./stream_states.ts";

/** Makes the dictionary of an operator of what its kernel does with one chunk. */
export function oneTransformer<I, O>(makeKernel: () => OneKernel): Transformer<I, O> {
  const kernels = streamStates(makeKernel, (kernel, reason) => kernel.stop(reason));
  const dictionary: Transformer<I, O> = {
    get start() {
      return kernels.readStart();
    },
    transform(chunk, controller) {
      const kernel = kernels.of(controller);
      const result = kernel.one(chunk);
      if (result === WAIT) {
        return (kernel.takePromise() as PromiseLike<unknown>).then((value) => {
          const settled = kernel.settle(value, chunk);
          if (settled !== NONE) controller.enqueue(settled as O);
        });
      }
      if (result !== NONE) controller.enqueue(result as O);
    },
    get cancel() {
      return kernels.readCancel() as (reason: unknown) => void;
    },
  };
  setKernel(dictionary, dictionary.transform!, makeKernel);
  return Object.freeze(dictionary);
}
