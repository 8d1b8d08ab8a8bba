import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

type Turn = readonly string[];

const dependent = /^(?:writer: (?:ready|closed|close \d+|abort \d+)|reader: cancel \d+) /;

/** A write to what has ended fails with a `TypeError` if that was closed, and by its reason if it has failed. */
const lateWrite = /^writer: write \d+ ! /;

function turnsOf(log: readonly string[]): Turn[] {
  return log.join("\n").split("\n|").map((turn) => turn.split("\n"));
}

/** Whether a stage took a chunk and was cancelled in this turn, in which that chunk's write was done. */
function isWrittenAndCancelled(turn: Turn | undefined): boolean {
  const find = (event: RegExp) => turn?.findIndex((one) => event.test(one)) ?? -1;
  const transformed = find(/^stage 0: transform /);
  return transformed >= 0 && find(/^stage 0: cancel /) > transformed &&
    find(/^writer: write \d+ = done$/) > transformed;
}

/**
 * Whether ours differs in nothing but this: of a stage that took a chunk and was cancelled in one turn, the write was
 * done already for what came beside it, and so the two ends settle in other ways, by reasons that theirs has, too.
 */
export function isDoneSooner({ schedule: { way, stages }, expected, actual }: Case): boolean {
  if (way !== "fuse" || stages !== 1) return false;
  const [theirs, ours] = [turnsOf(expected), turnsOf(actual)];
  const turn = theirs.findIndex(isWrittenAndCancelled);
  if (turn < 0 || !isWrittenAndCancelled(ours[turn])) return false;
  const others = (turns: readonly Turn[]) => {
    const closed = turns[turn]!.find((event) => event.startsWith("writer: closed "));
    // Who takes the writer anew hears the same once more.
    const isAgain = (event: string) =>
      event === closed || event === closed?.replace("closed", "ready");
    return turns.flatMap((events, index) =>
      [...events.filter((event) => !(index === turn && dependent.test(event))), "|"].map((event) =>
        index > turn && lateWrite.test(event) ? event.replace(/ ! .*/, " !") : event
      ).filter((event) => !(index > turn && isAgain(event)))
    ).filter((event) => !event.startsWith("writer: desiredSize "));
  };
  return isAlike(others(theirs), others(ours), "parties") &&
    ours[turn]!.every((event) =>
      !event.includes(" ! ") || expected.some((other) => other.endsWith(event.split(" ! ")[1]!))
    );
}
