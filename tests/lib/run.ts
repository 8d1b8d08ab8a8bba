import { from } from "./from.ts";

/** Runs chunks through a native stream of the transformer, and gathers what comes out. */
export function run<I, O>(chunks: Iterable<I>, transformer: Transformer<I, O>): Promise<O[]> {
  return Array.fromAsync(from(chunks).pipeThrough(new TransformStream(transformer)));
}
