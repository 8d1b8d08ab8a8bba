import type { Transformer } from "../web_types.ts";
import { runManyNatively } from "./drain_loop.ts";
import { type GeneratorFunction, GeneratorKernel, generatorMeaning } from "./generator.ts";
import { operator } from "./operator.ts";

/** The dictionary of a function from an async iterable to another. */
export function generatorTransformer<I, O>(fn: GeneratorFunction): Transformer<I, O> {
  return operator(
    (controller) => runManyNatively(new GeneratorKernel(fn, { controller }), controller),
    generatorMeaning(fn),
  );
}
