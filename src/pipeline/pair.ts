import { yieldTurn } from "../engine/turn_budget.ts";
import { withJoinedWrites } from "./joined_writes.ts";
import { openSink, type PushSink } from "./sink.ts";

/** A pair of streams, such as a `CompressionStream`. */
export type Pair = ReadableWritablePair<unknown, unknown>;

const usedPairs = new WeakSet<object>();

/** Whether a stage is a pair of streams. */
export function isPair(stage: unknown): stage is Pair {
  // A Node `Duplex` has flags of these names.
  return typeof stage === "object" && stage !== null && "readable" in stage &&
    "writable" in stage && !("pipe" in stage);
}

/** Throws if a pair cannot be used, or is among `others`; touches nothing. */
export function checkPair(
  action: string,
  pair: Pair,
  index: number,
  others: readonly Pair[],
): void {
  const name = `Cannot ${action}: stage ${index + 1} is a pair`;
  const { readable, writable } = pair;
  if (typeof readable?.getReader !== "function" || typeof writable?.getWriter !== "function") {
    throw new TypeError(`${name} whose readable and writable are not web streams`);
  }
  if (readable.locked) throw new TypeError(`${name} whose readable is locked to another reader`);
  if (writable.locked) throw new TypeError(`${name} whose writable is locked to another writer`);
  if (usedPairs.has(writable) || others.some((other) => other.writable === writable)) {
    throw new TypeError(`${name} that was used before; a pair serves one pipeline`);
  }
}

/** Remembers that a pair is used. */
export function markUsed({ writable }: Pair): void {
  usedPairs.add(writable);
}

/** Opens the writable side of a pair that `checkPair` let pass. */
export function openPair(pair: Pair): PushSink {
  const sink = withJoinedWrites(pair, openSink(pair.writable));
  return {
    ...sink,
    // What reads from the pair says how it ended; an abort that is never answered, as Deno's may be, holds nothing up.
    abort: (reason) =>
      Promise.race([
        sink.abort(reason)!,
        new Promise<undefined>((resolve) => yieldTurn(() => resolve(undefined))),
      ]),
  };
}
