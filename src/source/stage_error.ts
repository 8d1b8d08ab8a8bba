/**
 * Carries a falsy error through `node:stream`, which takes `destroy(undefined)`, `callback(0)` and the like
 * for "no error". Only falsy values are wrapped; every other value travels as it is.
 * {@linkcode fromNode}, {@linkcode toNode} and {@linkcode pipeline} unwrap it, so that whatever is on
 * the far side learns the very value.
 *
 * @example
 * ```ts
 * import { reader, StageError } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * const readable = reader(() => {
 *   throw undefined;
 * });
 * const error = await new Promise<StageError>((resolve) => readable.on("error", resolve).resume());
 * assert(error instanceof StageError);
 * assert.deepEqual(error.reason, undefined);
 * ```
 */
export class StageError extends Error {
  /** The value that was thrown. */
  readonly reason: unknown;

  /** Wraps `reason`. */
  constructor(reason: unknown) {
    super(`A stage failed with ${Object.is(reason, "") ? '""' : String(reason)}`);
    this.name = "StageError";
    this.reason = reason;
  }
}

/** What to hand to node instead of `reason`. */
export function toError(reason: unknown): Error {
  return reason ? reason as Error : new StageError(reason);
}

/** The value behind what node handed to us. */
export function toReason(error: unknown): unknown {
  return error instanceof StageError ? error.reason : error;
}
