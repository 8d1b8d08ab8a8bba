import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

/**
 * Whether a chain of several stages is aborted in the turn in which it ends otherwise, and ours differs in nothing but
 * in what a stage between hears of: not of the abort, but of the other, whereupon the abort may reject with its reason.
 */
export function isEitherEnd({ schedule: { way, stages }, expected, actual }: Case): boolean {
  if (way !== "fuse" || stages < 2) return false;
  const isBetween = (event: string) =>
    /^stage \d+: cancel /.test(event) && !event.startsWith(`stage ${stages - 1}: `);
  const heard = (log: readonly string[]) =>
    log.filter(isBetween).map((event) => event.split(": cancel ")[1]!);
  const others = (log: readonly string[]) =>
    log.filter((event) => !/^writer: abort \d+ /.test(event))
      .map((event) => isBetween(event) ? event.replace(/ cancel .*/, " cancel") : event);
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  const aborts = (log: readonly string[]) =>
    log.filter((event) => /^writer: abort \d+ /.test(event)).map((event) => event.slice(8));
  const [theirs, ours] = [aborts(expected), aborts(actual)];
  const reason = heard(expected)[0];
  return theirs.length === 1 && theirs[0] === `${reason} = done` && ours.length === 1 &&
    (ours[0] === theirs[0] || ours[0] === `${reason} ! ${reason}`) &&
    heard(expected).every((one) => one === reason) && !heard(actual).includes(reason!);
}
