import type { Chain } from "./chain.ts";
import type { Stage } from "./stage.ts";

// Apart from the loops that call them, which would else have to keep what the closures hold on the heap, for every chunk.

/** Waits for the promise a map gave; what it holds goes on. */
export function awaitMapped(chain: Chain, stage: Stage, promise: PromiseLike<unknown>): void {
  chain.awaitStage(stage, promise, (value) => chain.emit(stage, value));
}

/** Waits for the promise a filter gave; `chunk` goes on if it holds something true. */
export function awaitVerdict(
  chain: Chain,
  stage: Stage,
  promise: PromiseLike<unknown>,
  chunk: unknown,
): void {
  chain.awaitStage(stage, promise, (verdict) => verdict && chain.emit(stage, chunk));
}

/** Waits for the promise a tap gave; then `chunk` goes on. */
export function awaitTapped(
  chain: Chain,
  stage: Stage,
  promise: PromiseLike<unknown>,
  chunk: unknown,
): void {
  chain.awaitStage(stage, promise, () => chain.emit(stage, chunk));
}
