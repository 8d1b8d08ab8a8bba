import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

const ofReader = /^reader: (?:closed|read \d+|cancel \d+) /;

/** Whether a reader cancels while a chunk waits before a failure: ours is closed then, where theirs has failed. */
export function isClosedByCancel({ expected, actual }: Case): boolean {
  const others = (log: readonly string[]) => log.filter((event) => !ofReader.test(event));
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  const cancelled = actual.findIndex((event) => /^reader: cancel \d+ ! /.test(event));
  const failure = actual[cancelled]?.split(" ! ")[1];
  if (
    failure === undefined || !expected.includes(`reader: closed ! ${failure}`) ||
    !actual.includes("reader: closed = done")
  ) return false;
  const closed = actual.indexOf("reader: closed = done");
  const readsOf = (log: readonly string[]) =>
    log.filter((event) => /^reader: (?:read|cancel) /.test(event));
  const sorted = (log: readonly string[]) => readsOf(log).toSorted();
  const [theirs, ours] = [sorted(expected), sorted(actual)];
  return theirs.length === ours.length && theirs.every((read, index) => {
    const own = ours[index]!;
    if (read === own) return true;
    const [name, reason] = read.split(" ! ");
    const isAfter = actual.indexOf(own) > closed;
    // A cancel of a reader that is closed has nothing to cancel.
    return reason === failure &&
      (isAfter
        ? own === `${name} = ${name!.includes(" cancel ") ? "done" : "end"}`
        : own.startsWith(`${name} = c`));
  });
}
