import type { Transformer } from "../web_types.ts";
import { DrainLoop } from "./drain_loop.ts";
import type { ManyKernel } from "./kernel.ts";
import { setKernel } from "./registry.ts";
import { streamStates } from "./stream_states.ts";

/** Makes the dictionary of an operator whose kernel makes many chunks of one. */
export function manyTransformer<I, O>(makeKernel: () => ManyKernel): Transformer<I, O> {
  const loops = streamStates(
    (controller) =>
      new DrainLoop(makeKernel(), controller as TransformStreamDefaultController<unknown>),
    (loop, reason) => loop.stop(reason),
  );
  const dictionary: Transformer<I, O> = {
    get start() {
      return loops.readStart();
    },
    transform: (chunk, controller) => loops.of(controller).take(chunk),
    get cancel() {
      return loops.readCancel() as (reason: unknown) => void;
    },
  };
  setKernel(dictionary, dictionary.transform!, makeKernel);
  return Object.freeze(dictionary);
}
