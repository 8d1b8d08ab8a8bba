import type { Case } from "./rule.ts";

/** Whether a stage has run ahead of where it is natively: more or fewer chunks, and so its flush or its cancel. */
export function isAheadAt(
  stage: number,
  { schedule, expected, actual }: Case,
  hasOneReason = true,
): boolean {
  const seen = (log: readonly string[]) =>
    log.filter((event) => event.startsWith(`stage ${stage}: `));
  const chunksOf = (log: readonly string[]) =>
    seen(log).filter((event) => event.includes(": transform "));
  const endOf = (log: readonly string[]) =>
    seen(log).filter((event) => /: (?:flush|cancel)/.test(event)).join();
  const [theirs, ours] = [chunksOf(expected), chunksOf(actual)];
  const shorter = Math.min(theirs.length, ours.length);
  if (`${theirs.slice(0, shorter)}` !== `${ours.slice(0, shorter)}`) return false;
  const [theirEnd, ourEnd] = [endOf(expected), endOf(actual)];
  // A stage learns of no end only if it ended the chain itself.
  const mayEnd = schedule.deviations.some(({ at, does }) =>
    !does.startsWith("fulfils") && new RegExp(`^(?:start|transform|flush) ${stage}\\b`).test(at)
  );
  if (ourEnd === "" && theirEnd !== "" && !mayEnd) return false;
  return !hasOneReason || theirEnd === ourEnd || theirEnd === "" || ourEnd === "" ||
    theirEnd.endsWith("flush") || ourEnd.endsWith("flush");
}
