import { isAheadAt } from "./is_ahead_at.ts";
import { outcomesOf } from "./outcomes_of.ts";
import type { Case } from "./rule.ts";

/** An abort says so at once, also of a stream that then closes before it. */
const readyAtAbort = /^writer: ready ! abort /;

/** With what something has failed: a `TypeError` says only that it came later than a failure. */
function failuresOf(log: readonly string[]): Set<string> {
  return new Set(
    log.filter((event) => / ! (?!TypeError)/.test(event) && !readyAtAbort.test(event)).map((
      event,
    ) => event.split(" ! ")[1]!),
  );
}

/** Whether ours differs in nothing but how far stages before the last have run, and what follows from that. */
export function isAhead(given: Case): boolean {
  const { schedule: { way, stages }, expected, actual } = given;
  if (way !== "fuse" || stages < 2) return false;
  const [known, own] = [failuresOf(expected), failuresOf(actual)];
  if (![...own].every((reason) => known.has(reason))) return false;
  for (let stage = 0; stage < stages; stage++) {
    // One between that has run on may hear of the other end's failure first.
    const heard = [expected, actual].map((log) =>
      log.find((event) => event.startsWith(`stage ${stage}: cancel `))?.split(": cancel ")[1]
    );
    const isEither = stage > 0 && stage < stages - 1 &&
      heard.every((reason) => reason !== undefined && known.has(reason) && own.has(reason));
    if (!isAheadAt(stage, given, !isEither)) return false;
  }
  // What the first stage's own method has failed with is what that write or close fails with.
  const written = outcomesOf(actual, "writer");
  const isLost = [...outcomesOf(expected, "writer")].some(([name, outcome]) =>
    /^! (?:start|transform|flush) 0/.test(outcome) && written.get(name) === "= done" &&
    !name.startsWith("writer: ready")
  );
  if (isLost) return false;
  const [theirs, ours] = [outcomesOf(expected, "reader"), outcomesOf(actual, "reader")];
  return [...theirs].every(([name, outcome]) =>
    ours.get(name) === outcome ||
    (outcome.startsWith("!") && ours.get(name)?.startsWith("= c")) ||
    name === "reader: closed"
  );
}
