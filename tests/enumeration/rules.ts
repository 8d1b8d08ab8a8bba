import { asIfRejected } from "./as_if_rejected.ts";
import { isAlike, kindOf } from "./compare.ts";
import { contradictionIn } from "./contradiction_in.ts";
import { isAbortedAtOnce } from "./is_aborted_at_once.ts";
import { isAhead } from "./is_ahead.ts";
import { isCancelledAtOnce } from "./is_cancelled_at_once.ts";
import { isClosedByCancel } from "./is_closed_by_cancel.ts";
import { isDoneSooner } from "./is_done_sooner.ts";
import { isEitherEnd } from "./is_either_end.ts";
import { isErrorInCancel } from "./is_error_in_cancel.ts";
import { isHeldByCancel } from "./is_held_by_cancel.ts";
import { isReadyInNode } from "./is_ready_in_node.ts";
import { pipelineRules } from "./pipeline_rules.ts";
import { outcomesOf } from "./outcomes_of.ts";
import { runtimeInPart } from "./runtime_in_part.ts";
import { settlesLike, turnsOfSettling } from "./settles_like.ts";
import type { Case, Rule } from "./rule.ts";
import type { Schedule } from "./schedule.ts";

/** A rule by which ours does what the reference does in another schedule. */
export interface Alternative {
  readonly name: string;
  readonly reason: string;
  /** The other schedules. */
  variants(difference: Pick<Case, "schedule" | "actual">): readonly Schedule[];
}

const microtasks = [1, 2, 3, 4, 6, 8, 12];
const steps = [undefined, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

export const alternatives: readonly Alternative[] = [
  {
    name: "one turn",
    reason: "Of several steps in one turn the first is answered before the next is taken, where " +
      "that takes two streams some microtasks: it is what they do if the steps are as far apart.",
    variants: ({ schedule }) =>
      schedule.way === "pipeline" ? [] : steps.flatMap((step) =>
        microtasks.map((microtasks) => ({
          ...schedule,
          pause: { microtasks, ...(step === undefined ? {} : { step }) },
        }))
      ),
  },
  {
    name: "closed before",
    reason:
      "A chain that has taken all its chunks is closed, and what aborts it then has nothing " +
      "to abort: an earlier stage of ours may have run ahead so far.",
    variants: ({ schedule, actual }) =>
      schedule.way === "fuse" && schedule.stages > 1 && actual.includes("writer: closed = done")
        ? schedule.deviations.filter(({ does }) => does === "abort").map((abort) => ({
          ...schedule,
          deviations: schedule.deviations.map((one) =>
            one === abort ? { at: one.at, does: "nothing" } : one
          ),
        }))
        : [],
  },
];

/** Whether ours differs in nothing but in what is read where theirs has failed: chunks, then that failure. */
function isDelivered({ expected, actual }: Case): boolean {
  const others = (log: readonly string[]) => log.filter((event) => !event.startsWith("reader: "));
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  if (!expected.some((event) => event.startsWith("reader: closed ! "))) return false;
  const of = (log: readonly string[], name: string) =>
    log.filter((event) => event.startsWith(`reader: ${name}`));
  if (`${of(expected, "cancel")}` !== `${of(actual, "cancel")}`) return false;
  const [theirs, ours] = [of(expected, "read "), of(actual, "read ")];
  if (theirs.length !== ours.length) return false;
  const first = theirs.findIndex((read, index) => read !== ours[index]);
  if (first < 0) return true;
  if (!theirs[first]!.includes(" ! ")) return false;
  const given = ours.slice(first).findIndex((read) => !read.includes(" = c"));
  const rest = given < 0 ? theirs.length : first + given;
  return rest > first && theirs.slice(rest).every((read, index) => read === ours[rest + index]);
}

/** Whether each party sees what it would by the standard, or what it does with the runtime's own streams. */
function isRuntimeInPart(given: Case): boolean {
  const { actual } = given;
  const expected = runtimeInPart(given);
  if (expected === undefined) return false;
  if (isAlike(expected, actual, "parties")) return true;
  const of = (log: readonly string[], name: RegExp) => log.filter((event) => name.test(event));
  // What the reader has heard before the failure, such as that it was released, is the same.
  const [theirs, ours] = [expected, actual].map((log) => of(log, /^reader: closed /));
  return isDelivered({ ...given, expected }) &&
    of(actual, / = c\d+$/).every((read, index) => read.endsWith(` = c${index}`)) &&
    theirs!.slice(0, -1).every((end, index) => end === ours![index]);
}

/** Whether all that the writer hears in ours is what it natively hears, or the reason for which the stream has failed. */
function isRefused(expected: readonly string[], actual: readonly string[]): boolean {
  const [theirs, ours] = [outcomesOf(expected, "writer"), outcomesOf(actual, "writer")];
  const failure = ours.get("writer: closed");
  return [...ours].every(([name, outcome]) =>
    outcome === theirs.get(name) || outcome === failure ||
    name.startsWith("writer: desiredSize ") ||
    (name.startsWith("writer: close ") && outcome === "! TypeError")
  );
}

/** Whether a write waited for the stage's cancel, which went on, where theirs has failed before. */
function isWaitingForCancel({ schedule, expected, actual }: Case): boolean {
  const isPending = schedule.deviations.some(({ at, does }) =>
    at.startsWith("cancel ") && /^(?:fulfils|rejects)/.test(does)
  );
  if (!isPending) return false;
  // Until then nothing has failed for which the cancel, and an abort beside it, would reject.
  const late = expected.filter((event) => /^reader: cancel \d+ ! (?:TypeError|abort )/.test(event))
    .map((event) => event.split(" ! ")[0]);
  const isOfEnd = (event: string) => late.length > 0 && /^writer: abort \d+ [=!]/.test(event);
  const others = (log: readonly string[]) =>
    log.filter((event) =>
      !event.startsWith("writer: ") && !late.includes(event.split(/ [=!] /)[0]!)
    );
  const [theirs, ours] = [turnsOfSettling(expected), turnsOfSettling(actual)];
  return isAlike(others(expected), others(actual), "parties") && isRefused(
    expected.filter((event) => !isOfEnd(event)),
    actual.filter((event) => !isOfEnd(event)),
  ) &&
    (late.length > 0 ||
      [...theirs].some(([name, turn]) =>
        name.startsWith("writer: write ") && (ours.get(name) ?? turn) > turn
      ));
}

/** Whether the standard has no answer, and ours gives one: it differs in what the writer hears, by a reason of the run. */
function isWithoutAnswer(given: Case): boolean {
  if (!given.hasTripped) return false;
  // What aborts it, or cancels it behind what it has ended by itself, has nothing to end.
  // In Node they may throw.
  const isOfEnd = (event: string) =>
    /^(?:(?:writer: abort|reader: cancel) \d+ |(?:abort|cancel) \d+ # TypeError$)/.test(event);
  const isSame = given.actual.every((event) =>
    !event.startsWith("reader: cancel ") || event.endsWith(" = done") ||
    given.expected.includes(event)
  );
  const without = (log: readonly string[]) => log.filter((event) => !isOfEnd(event));
  const [expected, actual] = [without(given.expected), without(given.actual)];
  const others = (log: readonly string[]) => log.filter((event) => !event.startsWith("writer: "));
  const [theirs, ours] = [others(expected), others(actual)];
  return isSame && isRefused(expected, actual) &&
    (isAlike(theirs, ours, "parties") || isDelivered({ ...given, expected: theirs, actual: ours }));
}

const runtimeRule: Rule = {
  name: "runtime",
  reason: "The runtime's own streams do the same, and not what the standard says.",
  excuses: ({ schedule, native, actual }) => kindOf(schedule, native, actual) === undefined,
};

/** The deliberate differences, in the order in which they are asked. */
export const rules: readonly Rule[] = [
  {
    name: "ready in Node",
    reason: "Node leaves `ready` fulfilled where a stream fails while it closes. Its transform " +
      "streams take a microtask more, and so may reject it before.",
    excuses: isReadyInNode,
  },
  {
    name: "microtasks",
    reason:
      "A fused stage takes fewer microtasks than two streams: in one turn of the event loop, " +
      "what one party sees may come before what another sees. Each sees the same, in its order.",
    excuses: ({ expected, actual }) => isAlike(expected, actual, "parties"),
  },
  {
    name: "made before",
    reason: "Chunks made before a failure are delivered, and it follows them.",
    excuses: isDelivered,
  },
  {
    name: "closed by cancel",
    reason: "A failure waits behind chunks made before it. Who cancels while it does gives those " +
      "up, and hears of the failure from cancel alone: the reader is closed, and reads the end.",
    excuses: isClosedByCancel,
  },
  {
    name: "done sooner",
    reason:
      "A write that a stage takes at once is done a microtask sooner than in two streams: what " +
      "comes beside a cancel in its turn finds it done, where natively it still goes on.",
    excuses: isDoneSooner,
  },
  {
    name: "no answer",
    reason:
      "The standard calls what it has cleared before, and each runtime does something of its " +
      "own: ours fails a write with the reason for which the stream ended, and ends what aborts it.",
    excuses: isWithoutAnswer,
  },
  {
    name: "ahead",
    reason:
      "An earlier stage may run ahead of a later one, or less far: it hears its flush or its " +
      "cancel, and a write is done or fails, accordingly. What is read is the same.",
    excuses: isAhead,
  },
  {
    name: "write during cancel",
    reason:
      "A chunk that is written, or let go, while the stage's own cancel goes on waits for that.",
    excuses: isWaitingForCancel,
  },
  {
    name: "abort at once",
    reason:
      "An abort ends the chain at once, also while a write waits for room. In two streams it " +
      "waits until something is read or cancelled, and a later cancel's reason is heard in its place.",
    excuses: isAbortedAtOnce,
  },
  {
    name: "cancel at once",
    reason:
      "A cancel ends the chain at once, also while a later stage is busy. Between two streams a " +
      "pipe waits for the write that goes on, and earlier stages hear of what comes meanwhile.",
    excuses: isCancelledAtOnce,
  },
  {
    name: "held by cancel",
    reason: "While a later stage's own cancel goes on, what is written waits for it, and fails " +
      "with its reason. Between two streams a pipe goes on until that is done, and an earlier " +
      "stage may have flushed by then.",
    excuses: isHeldByCancel,
  },
  {
    name: "either end",
    reason: "Where both ends of a chain end in one turn, a stage between hears of one of them. " +
      "If it is not the abort, that rejects as beside any cancel.",
    excuses: isEitherEnd,
  },
  {
    name: "error in cancel",
    reason: "If the last stage fails in the turn in which it is cancelled, ours rejects with " +
      "that, and what is before it ends with it. Natively cancel fulfils, and may go first, if that " +
      "stage still starts or a chunk is on its way to it.",
    excuses: isErrorInCancel,
  },
  {
    name: "runtime in part",
    reason:
      "The ends of a chain are the runtime's own streams: where those take other microtasks " +
      "than the standard's, one party sees what they do, another what the standard says, or chunks " +
      "made before a failure and then that.",
    excuses: isRuntimeInPart,
  },
  ...pipelineRules,
];

/** The first rule that explains a difference. None explains what contradicts itself, or does not settle. */
export function excuse(given: Case): string | undefined {
  const { schedule, expected, actual } = given;
  // A runtime's own streams may have faults of any kind.
  const isRuntimes = runtimeRule.excuses(given);
  if (isRuntimes) return runtimeRule.name;
  const rejected = asIfRejected(actual);
  if (rejected.length > 0) {
    const isSame = (log: readonly string[]) => kindOf(schedule, expected, log) === undefined;
    return rejected.some(isSame) || rejected.some((log) => excuse({ ...given, actual: log }))
      ? "throws in Node"
      : undefined;
  }
  if (contradictionIn(schedule, actual) !== undefined || !settlesLike(given)) return undefined;
  return rules.find((rule) => rule.excuses(given))?.name;
}
