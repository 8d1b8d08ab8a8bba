/** A reason in words, for people who look at the dead letters. */
export function describeReason(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return reason.message === "" ? reason.name : `${reason.name}: ${reason.message}`;
}
