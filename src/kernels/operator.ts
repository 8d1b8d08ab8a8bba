import type { Transformer } from "../web_types.ts";
import { describeStage, inspectSymbol } from "./inspect.ts";
import type { Open } from "./operation.ts";
import { type Meaning, setMeaning } from "./registry.ts";
import { StreamOperations } from "./stream_operations.ts";

/** Inherited, and so neither copied nor made for each. */
const inspected = {
  [inspectSymbol](): string {
    return describeStage(this);
  },
};

/**
 * Makes the dictionary of an operator of what it does in one stream. The engine begins that itself; a native stream
 * calls the dictionary's methods.
 *
 * @param open Begins the operator in one stream, as a stream starts.
 * @param meaning What is known of it besides.
 */
export function operator<I, O>(open: Open<I, O>, meaning: Meaning = {}): Transformer<I, O> {
  const streams = new StreamOperations(open as Open<unknown, unknown>);
  const transformer = {
    __proto__: inspected,
    get start() {
      return streams.readStart();
    },
    transform: (chunk, controller) => streams.of(controller).transform(chunk),
    flush: (controller) => streams.of(controller).flush?.(),
    get cancel() {
      return streams.readCancel() as (reason: unknown) => void;
    },
  } as Transformer<I, O>;
  setMeaning(transformer, { open, ...meaning });
  setMeaning(transformer.transform!, { operationOf: (controller) => streams.of(controller) });
  return Object.freeze(transformer);
}
