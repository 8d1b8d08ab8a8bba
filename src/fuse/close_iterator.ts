import { isPromiseLike } from "../is_promise_like.ts";
import type { Stage } from "./stage.ts";

/** Closes what flatMap has begun and will not finish. */
export function closeIterator(stage: Stage): void {
  const { iterator } = stage;
  stage.iterator = undefined;
  if (iterator?.return === undefined) return;
  try {
    const result: unknown = iterator.return();
    if (isPromiseLike(result)) Promise.resolve(result).catch(() => {});
  } catch {
    // The reason it is closed for matters more than how it closes.
  }
}
