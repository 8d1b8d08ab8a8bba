import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

/**
 * Whether a chain's last stage is cancelled in the turn in which it fails, be it that its `cancel` calls `error`, and
 * ours differs in nothing but how that cancel settles: it rejects with that failure.
 */
export function isErrorInCancel({ schedule, expected, actual }: Case): boolean {
  const { way, stages, deviations } = schedule;
  const last = stages - 1;
  const at = deviations.find(({ at, does }) =>
    (at === `cancel ${last}` && does === "errors") ||
    (at.startsWith(`transform ${last}.`) && /^(?:throws|errors|rejects)$/.test(does))
  )?.at;
  if (way !== "fuse" || stages < 2 || at === undefined) return false;
  const settled = (log: readonly string[]) =>
    log.map((event) =>
      event.endsWith(` ! ${at}`) && event.startsWith("reader: cancel ")
        ? event.replace(` ! ${at}`, " = done")
        : event
    );
  return isAlike(expected, settled(actual), "parties");
}
