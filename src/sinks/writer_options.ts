import type { StrategyOptions } from "../strategy.ts";

/** How `writer` writes. */
export interface WriterOptions<T> extends StrategyOptions<T> {
  /** How many writes may be in flight at a time, a positive integer or `Infinity`. Default: 1. */
  concurrency?: number | undefined;
  /** Called once after the last write has finished. */
  close?: (() => void | PromiseLike<void>) | undefined;
  /**
   * Called once with the reason when the stream is aborted, after the writes in flight have settled. Like
   * `close`, it is not called once a write has failed. A `close()` that still waits for writes is rejected with the reason.
   */
  abort?: ((reason: unknown) => void | PromiseLike<void>) | undefined;
  /** Called once, last of all, however the writing ends; to release what `write` uses. */
  release?: (() => void | PromiseLike<void>) | undefined;
}
