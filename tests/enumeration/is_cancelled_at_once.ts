import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

/** Whether a stage after the first has a `start` or a `transform` pending when the chain is cancelled, and ours ends. */
export function isCancelledAtOnce({ schedule, expected, actual }: Case): boolean {
  const { way, stages, deviations } = schedule;
  const isPending = deviations.some(({ at, does }) =>
    /^(?:start|transform) [1-9]/.test(at) && / later$| last$/.test(does)
  );
  if (way !== "fuse" || stages < 2 || !isPending) return false;
  const last = `stage ${stages - 1}: `;
  const others = (log: readonly string[]) =>
    log.filter((event) => event.startsWith(last) || event.startsWith("reader: ") || event === "|");
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  const reason = actual.find((event) => event.startsWith(`${last}cancel cancel `))
    ?.split(": cancel ")[1];
  const turnOf = (log: readonly string[], event: string) => {
    const place = log.indexOf(event);
    return place < 0 ? Infinity : log.slice(0, place).filter((one) => one === "|").length;
  };
  if (reason === undefined) return false;
  // Until then both are alike, and from then on ours fails by the cancel.
  const turn = turnOf(actual, `${last}cancel ${reason}`);
  const before = (log: readonly string[]) =>
    log.join("\n").split("|").slice(0, turn).join("|").split("\n");
  if (!isAlike(before(expected), before(actual), "parties")) return false;
  const heard = `stage 0: cancel ${reason}`;
  return turnOf(actual, heard) === turn && turnOf(expected, heard) > turn &&
    actual.every((event) =>
      !event.startsWith("writer: ") || expected.includes(event) || / ! TypeError$/.test(event) ||
      event.endsWith(` ! ${reason}`) || event === "writer: desiredSize null"
    );
}
