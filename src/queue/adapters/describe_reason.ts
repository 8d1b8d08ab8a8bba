/** So many UTF-16 units of a reason are kept: it is for people, and brokers have limits. */
export const longestReason = 8_192;

function textOf(reason: unknown): string {
  try {
    if (!(reason instanceof Error)) return String(reason);
    return reason.message === "" ? String(reason.name) : `${reason.name}: ${reason.message}`;
  } catch {
    return "a value that has no text";
  }
}

/**
 * A reason in words, for people who look at the dead letters: of any value, and such as every broker can keep, with
 * U+FFFD in place of NUL and lone surrogates.
 */
export function describeReason(reason: unknown): string {
  const text = textOf(reason);
  const cut = text.length > longestReason ? `${text.slice(0, longestReason - 3)}...` : text;
  return cut.replaceAll(/\p{Surrogate}|\0/gu, "\ufffd");
}
