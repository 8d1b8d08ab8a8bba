import type { Case } from "./rule.ts";

const settled = /^(?:(?:(?:writer|reader): (?:\w+ \d+|closed))|pipe)(?= [=!])/;

/** In which turn each call, and each end, has settled. */
export function turnsOfSettling(log: readonly string[]): Map<string, number> {
  const turns = new Map<string, number>();
  let turn = 0;
  for (const event of log) {
    const name = settled.exec(event)?.[0];
    if (event === "|") turn++;
    else if (name !== undefined) turns.set(name, turn);
  }
  return turns;
}

function isInTurn(log: readonly string[], turn: number, event: RegExp): boolean {
  return log.join("\n").split("\n|")[turn]!.split("\n").some((one) => event.test(one));
}

/**
 * Whether all that settles natively does so in ours, and no later; but what waits for a cancel that takes time, for
 * chunks made before a failure, or, in a chain or a pipe, for one of two methods that take time.
 */
export function settlesLike(
  { schedule: { way, stages, lastMark, deviations }, expected, actual }: Case,
): boolean {
  const [theirs, ours] = [turnsOfSettling(expected), turnsOfSettling(actual)];
  const slow = deviations.filter(({ at, does }) =>
    !at.startsWith("slot ") && / later$| last$/.test(does)
  );
  if (way === "pipeline") {
    const [their = Infinity, own = Infinity] = [theirs.get("pipe"), ours.get("pipe")];
    // A sink without room may be waited for without end.
    return own <= their || slow.length > 0 || lastMark === 0;
  }
  const isCancelSlow = deviations.some(({ at, does }) =>
    at.startsWith("cancel ") && /^(?:fulfils|rejects)/.test(does)
  );
  const countOf = (event: RegExp) => actual.filter((one) => event.test(one)).length;
  const hasUnread =
    countOf(new RegExp(`^stage ${stages - 1}: transform `)) > countOf(/^reader: read \d+ = c/);
  return [...theirs].every(([name, turn]) => {
    // One that was let go has settled by that.
    if (deviations.some(({ does }) => name.endsWith("closed") && does.startsWith("release "))) {
      return true;
    }
    const own = ours.get(name);
    // A failure waits there, also without end, until what was made before it is read.
    if (own === undefined) return name === "reader: closed" && hasUnread;
    if (own <= turn || isCancelSlow) return true;
    if (name === "reader: closed") {
      return isInTurn(actual, own, /^reader: (?:read \d+ = c|cancel )/);
    }
    return stages > 1 && slow.length > 1;
  });
}
