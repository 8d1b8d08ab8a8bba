import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

/**
 * Whether a chain's last stage is cancelled in the turn in which it fails, be it that its `cancel` calls `error`, and
 * ours differs in nothing but that it takes the failure for the first: the cancel rejects with it, and what is before
 * that stage ends with it at once.
 */
export function isErrorInCancel({ schedule, expected, actual }: Case): boolean {
  const { way, stages, deviations } = schedule;
  const last = stages - 1;
  const at = deviations.find(({ at, does }) =>
    (at === `cancel ${last}` && does === "errors") ||
    (at === `start ${last}` && does === "rejects") ||
    (at.startsWith(`transform ${last}.`) && /^(?:throws|errors|rejects)$/.test(does))
  )?.at;
  if (way !== "fuse" || stages < 2 || at === undefined) return false;
  const isBefore = (event: string) =>
    event.startsWith("writer: ") ||
    (event.startsWith("stage ") && !event.startsWith(`stage ${last}: `));
  const isHeard = (event: string) => event.endsWith(` ! ${at}`) || event.endsWith(`: cancel ${at}`);
  const others = (log: readonly string[]) =>
    log.filter((event) => !isBefore(event)).map((event) =>
      event.startsWith("reader: cancel ") && isHeard(event)
        ? event.replace(/ ! .*/, " = done")
        : event
    );
  return isAlike(others(expected), others(actual), "parties") &&
    actual.every((event) => !isBefore(event) || expected.includes(event) || isHeard(event));
}
