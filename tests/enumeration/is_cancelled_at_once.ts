import { isAlike } from "./compare.ts";
import { isAhead } from "./is_ahead.ts";
import type { Case } from "./rule.ts";

/** In which turn an event is, from 0. */
function turnOf(log: readonly string[], event: string): number {
  const place = log.indexOf(event);
  return place < 0 ? Infinity : log.slice(0, place).filter((one) => one === "|").length;
}

/**
 * Whether a chain of several stages is cancelled, or its last stage fails, and ours ends all of it in that turn: the
 * first stage hears of it and of nothing after that, and what is written fails by it.
 */
export function isCancelledAtOnce(given: Case): boolean {
  const { schedule, expected, actual } = given;
  const { way, stages } = schedule;
  if (way !== "fuse" || stages < 2) return false;
  const last = `stage ${stages - 1}: `;
  const others = (log: readonly string[]) =>
    log.filter((event) => event.startsWith(last) || event.startsWith("reader: ") || event === "|");
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  const end = actual.find((event) => event.startsWith(`${last}cancel `)) ??
    actual.find((event) => event.startsWith("reader: closed ! "));
  const reason = end?.split(/: cancel | ! /)[1];
  if (end === undefined || reason === undefined) return false;
  // Until then both are alike, and from then on ours fails by it.
  const turn = turnOf(actual, end);
  const before = (log: readonly string[]) =>
    log.join("\n").split("|").slice(0, turn).join("|").split("\n");
  const start = { ...given, expected: before(expected), actual: before(actual) };
  if (!isAlike(start.expected, start.actual, "parties") && !isAhead(start)) return false;
  for (let stage = 0; stage < stages - 1; stage++) {
    const [theirs, ours] = [expected, actual].map((log) =>
      log.filter((event) => event.startsWith(`stage ${stage}: `))
    );
    const heard = ours!.at(-1);
    if (heard !== `stage ${stage}: cancel ${reason}` || turnOf(actual, heard) !== turn) {
      return false;
    }
    if (!isAhead(start) && !ours!.slice(0, -1).every((event, at) => event === theirs![at])) {
      return false;
    }
  }
  return actual.every((event) =>
    !event.startsWith("writer: ") || expected.includes(event) || / ! TypeError$/.test(event) ||
    event.endsWith(` ! ${reason}`) || event === "writer: desiredSize null"
  );
}
