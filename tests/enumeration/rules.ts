import { isAlike, kindOf } from "./compare.ts";
import type { Schedule } from "./schedule.ts";

/** A run of ours that is not like the one that it is compared with. */
export interface Case {
  readonly schedule: Schedule;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
  /** The same schedule with the runtime's streams. */
  readonly native: readonly string[];
  /** The same schedule with the reference, so many microtasks between the steps of a turn. */
  readonly apart: ReadonlyMap<number, readonly string[]>;
}

/** A deliberate difference, and which runs fall under it. */
export interface Rule {
  readonly name: string;
  readonly reason: string;
  excuses(given: Case): boolean;
}

/** How many microtasks may be between two steps of a turn, where it is asked what the standard does then. */
export const pauses = [1, 2, 3, 4, 6, 8, 12] as const;

/** Whether ours differs in nothing but in what is read where theirs has failed: chunks, then that failure. */
function isDelivered({ expected, actual }: Case): boolean {
  const isOfReader = (event: string) => event.startsWith("reader: ");
  const others = (log: readonly string[]) => log.filter((event) => !isOfReader(event));
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  const readsOf = (log: readonly string[]) =>
    log.filter((event) => event.startsWith("reader: read "));
  const [theirs, ours] = [readsOf(expected), readsOf(actual)];
  const first = theirs.findIndex((read) => read.includes(" ! "));
  if (first < 0 || theirs.length !== ours.length) return false;
  const isWhole = theirs.slice(0, first).every((read, index) => read === ours[index]);
  const given = ours.slice(first).findIndex((read) => !read.includes(" = c"));
  const rest = given < 0 ? theirs.length : first + given;
  return isWhole && rest > first &&
    theirs.slice(rest).every((read, index) => read === ours[rest + index]);
}

/** Whether natively an abort waits, in the turn in which ours has ended. */
function isAbortedAtOnce({ expected, actual }: Case): boolean {
  const turnsOf = (log: readonly string[]) => log.join("\n").split("|");
  const [theirs, ours] = [turnsOf(expected), turnsOf(actual)];
  const turn = ours.findIndex((events, index) => {
    const name = /stage 0: cancel (abort \d+)/.exec(events)?.[1];
    return name !== undefined && !theirs[index]?.includes("stage 0: cancel") &&
      theirs[index]?.includes(`writer: ready ! ${name}`);
  });
  return turn >= 0 && isAlike(
    theirs.slice(0, turn).join("|").split("\n"),
    ours.slice(0, turn).join("|").split("\n"),
    "moments",
  );
}

export const rules: readonly Rule[] = [
  {
    name: "runtime",
    reason: "The runtime's own streams do the same, and not what the standard says.",
    excuses: ({ schedule, native, actual }) => kindOf(schedule, native, actual) === undefined,
  },
  {
    name: "microtasks",
    reason:
      "A fused stage takes fewer microtasks than two streams: in one turn of the event loop, " +
      "what one party sees may come before what another sees. Each sees the same, in its order.",
    excuses: ({ expected, actual }) => isAlike(expected, actual, "parties"),
  },
  {
    name: "one turn",
    reason: "Of several steps in one turn the first is answered before the next is taken, where " +
      "it takes two streams some microtasks. It is what they do if the steps are as far apart.",
    excuses: ({ actual, apart }) =>
      [...apart.values()].some((log) => isAlike(log, actual, "parties")),
  },
  {
    name: "made before",
    reason: "Chunks made before a failure are delivered, and it follows them.",
    excuses: isDelivered,
  },
  {
    name: "abort at once",
    reason:
      "An abort ends the chain at once, also while a write waits for room. In two streams it " +
      "waits until something is read or cancelled, and a later cancel's reason is heard in its place.",
    excuses: isAbortedAtOnce,
  },
];

/** The first rule that explains a difference. */
export function excuse(given: Case): string | undefined {
  return rules.find((rule) => rule.excuses(given))?.name;
}
