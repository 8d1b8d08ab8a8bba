import { generatorTag } from "./generator_tag.ts";

/** A pair of streams, such as a `CompressionStream`. */
export type Pair = ReadableWritablePair<unknown, unknown>;

const usedPairs = new WeakSet<object>();

/** Whether a stage is a pair of streams. */
export function isPair(stage: unknown): stage is Pair {
  // A Node `Duplex` has flags of these names.
  return typeof stage === "object" && stage !== null && "readable" in stage &&
    "writable" in stage && !("pipe" in stage);
}

/** Whether a stage is a pair of streams, or a function that is to make one: one of chunks would take them. */
export function isPairPart(stage: unknown): stage is Pair | (() => unknown) {
  return isPair(stage) ||
    typeof stage === "function" && stage.length === 0 && generatorTag(stage) === undefined;
}

/** Throws if a pair cannot be used; touches nothing. `name` is what the message begins with: "Cannot fuse: stage 1". */
export function checkPair(name: string, { readable, writable }: Pair): void {
  const is = `${name} is a pair whose`;
  if (typeof readable?.getReader !== "function" || typeof writable?.getWriter !== "function") {
    throw new TypeError(`${is} readable and writable are not web streams`);
  }
  if (readable.locked) throw new TypeError(`${is} readable is locked to another reader`);
  if (writable.locked) throw new TypeError(`${is} writable is locked to another writer`);
  if (usedPairs.has(writable)) refuseUsed(name);
}

/** Throws since a pair is used already. */
export function refuseUsed(name: string): never {
  throw new TypeError(`${name} is a pair that was used before; a pair serves one run`);
}

/** Remembers that a pair is used. */
export function markUsed({ writable }: Pair): void {
  usedPairs.add(writable);
}
