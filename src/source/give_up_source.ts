import { findSource } from "./find_source.ts";

function ignore(): void {}

/** Gives up a source, if `value` is one, that came when it was wanted no more: what only lies in memory is left alone. */
export function giveUpSource(value: unknown): void {
  try {
    const found = findSource("give up a source", value, "it");
    if (found?.isAsync === true) found.iterate().return?.()?.then(undefined, ignore);
  } catch {
    // Another reads it, or it is none.
  }
}
