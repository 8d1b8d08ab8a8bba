import { isAlike } from "./compare.ts";
import { isAhead } from "./is_ahead.ts";
import { isAheadAt } from "./is_ahead_at.ts";
import type { Case } from "./rule.ts";

function turnsOf(log: readonly string[]): string[] {
  return log.join("\n").split("\n|");
}

/**
 * Whether natively an abort waits, in the turn in which it ends ours: until then both are alike, and from then on all
 * fails by the abort, or by what a stage fails with that is between it and the reader.
 */
export function isAbortedAtOnce(given: Case): boolean {
  const { schedule: { way, stages, deviations }, expected, actual } = given;
  if (way !== "fuse") return false;
  const [theirs, ours] = [turnsOf(expected), turnsOf(actual)];
  const find = (events: string) => /stage 0: cancel (abort \d+)/.exec(events)?.[1];
  const turn = ours.findIndex((events, index) => {
    const abort = find(events);
    return abort !== undefined && theirs[index] !== undefined &&
      find(theirs[index]) === undefined &&
      theirs[index].includes(`writer: ready ! ${abort}`);
  });
  if (turn < 0) return false;
  const [before, own] = [theirs, ours].map((turns) => turns.slice(0, turn).join("\n|").split("\n"));
  if (
    !isAlike(before!, own!, "moments") && !isAhead({ ...given, expected: before!, actual: own! })
  ) return false;
  for (let stage = 0; stage < stages; stage++) {
    if (!isAheadAt(stage, given, false)) return false;
  }
  const abort = find(ours[turn]!)!;
  const reasons = [
    abort,
    "TypeError",
    ...deviations.filter(({ does }) => /^(?:throws|errors|rejects)/.test(does)).map(({ at }) => at),
  ];
  const isEnded = actual.some((event) => event === "reader: closed = done");
  return ours.slice(turn).join("\n").split("\n").every((event) => {
    if (expected.includes(event) || event === "") return true;
    if (event.startsWith("writer: desiredSize ")) return event.endsWith(" null");
    if (/^writer: abort \d+ = done$|^reader: read \d+ = c/.test(event)) return true;
    // Who cancels behind the abort has nothing to cancel, and reads the end.
    if (/^reader: (?:closed|cancel \d+) = done$|^reader: read \d+ = end$/.test(event)) {
      return isEnded;
    }
    // A first stage that has run ahead has taken it before.
    if (/^writer: write \d+ = done$/.test(event)) return stages > 1;
    const reason = /(?: ! |^stage \d+: cancel )(.*)$/.exec(event)?.[1];
    return reason !== undefined ? reasons.includes(reason) : event.startsWith("stage ");
  });
}
