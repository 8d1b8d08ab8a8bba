import type { Value } from "./value.ts";

/** Names a row to people, such as `row id=3`, by values that it may be known by. */
export function nameRow(
  keys: readonly { readonly title: string }[],
  values: readonly Value[],
): string {
  const shown = keys.flatMap(({ title }, index) => {
    // What only sorts has no name.
    if (title === "") return [];
    const value = values[index];
    const text = value instanceof Uint8Array ? "…" : String(value);
    return [`${title}=${text.length > 40 ? `${text.slice(0, 40)}…` : text}`];
  });
  return `row ${shown.join(", ")}`;
}

/** A row that cannot be exported as it is. */
export class BadRowError extends Error {
  override name = "BadRowError";
  /** Which one, such as `row id=3`. */
  readonly row: string;
  /** What is wrong with it, the same words for all that have it. */
  readonly reason: string;

  constructor(row: string, reason: string) {
    super(`${row}: ${reason}`);
    this.row = row;
    this.reason = reason;
  }
}
