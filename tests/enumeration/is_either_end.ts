import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

/**
 * Whether both ends of a chain of several stages end in one turn, and ours differs in nothing but in what a stage
 * before the last hears of: the other of the two. If it is not the abort, that may reject with its own reason.
 */
export function isEitherEnd({ schedule, expected, actual }: Case): boolean {
  const { way, stages, deviations } = schedule;
  if (way !== "fuse" || stages < 2) return false;
  const last = `stage ${stages - 1}: `;
  const isBetween = (event: string) => /^stage \d+: cancel /.test(event) && !event.startsWith(last);
  const isAbort = (event: string) => /^writer: abort \d+ /.test(event);
  const others = (log: readonly string[]) =>
    log.filter((event) => !isAbort(event))
      .map((event) => isBetween(event) ? event.replace(/ cancel .*/, " cancel") : event);
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  // What an end has failed with, or was cancelled for.
  const reasons = new Set(
    [...expected, ...actual].map((event) =>
      /^(?:reader|writer): closed ! (.*)$/.exec(event)?.[1] ??
        (event.startsWith(last) ? event.split(": cancel ")[1] : undefined)
    ),
  );
  if (deviations.some(({ does }) => does === "terminates")) reasons.add("TypeError");
  const heard = (log: readonly string[]) =>
    log.filter(isBetween).map((event) => event.split(": cancel ")[1]!);
  const aborts = (log: readonly string[]) =>
    log.filter(isAbort).map((event) => event.slice("writer: ".length));
  const [theirs, ours] = [aborts(expected), aborts(actual)];
  return [...heard(expected), ...heard(actual)].every((reason) => reasons.has(reason)) &&
    theirs.length === ours.length && theirs.every((abort, index) => {
      const [reason] = abort.split(" = ");
      return ours[index] === abort ||
        (abort === `${reason} = done` && ours[index] === `${reason} ! ${reason}`);
    });
}
