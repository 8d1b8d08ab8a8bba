import { type Case, isAheadAt, type Rule } from "./rule.ts";

/** What came of a run from a source into a sink, by what each part heard. */
interface Ends {
  /** `done`, or what it failed with; undefined if it went on. */
  readonly result: string | undefined;
  readonly writes: readonly string[];
  /** `close`, or `abort` with its reason; undefined if it heard of no end. */
  readonly sink: string | undefined;
  /** `cancel` with its reason; undefined if it heard of none. */
  readonly source: string | undefined;
  readonly isLocked: boolean;
}

function endsOf(log: readonly string[]): Ends {
  const find = (start: RegExp) => {
    const event = log.find((event) => start.test(event));
    return event?.replace(start, "");
  };
  return {
    result: find(/^pipe (?:= |! )/),
    writes: log.filter((event) => event.startsWith("sink: write ")),
    sink: find(/^sink: (?=close|abort )/),
    source: find(/^source: (?=cancel )/),
    isLocked: log.includes("source: locked") || log.includes("sink: locked"),
  };
}

function isPrefix(one: readonly string[], other: readonly string[]): boolean {
  return one.every((chunk, index) => chunk === other[index]);
}

function hasFailed({ result }: Ends): boolean {
  return result !== "done";
}

/** Whether a schedule has one of these among its deviations. */
function hasStep({ schedule }: Case, ...steps: string[]): boolean {
  return schedule.deviations.some(({ does }) => steps.includes(does));
}

/** Whether a source's own queue may drop what it holds, by failing. */
function isSourceFailing(given: Case): boolean {
  return hasStep(given, "error source") ||
    given.schedule.deviations.some(({ at, does }) =>
      at.startsWith("pull ") && !does.startsWith("fulfils")
    );
}

/** Whether both ends come to the same, though one of the runs has read more of the source than the other. */
function isLike(given: Case, theirs: Ends, ours: Ends, hasOneReason = true): boolean {
  if (theirs.isLocked !== ours.isLocked || theirs.sink !== ours.sink) return false;
  for (let stage = 0; stage < given.schedule.stages; stage++) {
    if (!isAheadAt(stage, given, hasOneReason)) return false;
  }
  const isShorter = isPrefix(theirs.writes, ours.writes);
  const mayDrop = isSourceFailing(given) || hasStep(given, "signal", "error sink");
  if (!isShorter && !(mayDrop && isPrefix(ours.writes, theirs.writes))) return false;
  if (!hasFailed(ours) && theirs.writes.length !== ours.writes.length) return false;
  // A source that had given all has nothing to cancel.
  return !hasOneReason || theirs.source === ours.source || theirs.source === undefined ||
    ours.source === undefined;
}

/** Whether the sink failed by itself while a write went on that took time, and so with what it was given before. */
function isWritingLong({ schedule }: Case, { result }: Ends): boolean {
  return result?.startsWith("error sink ") === true &&
    schedule.deviations.some(({ at, does }) =>
      at.startsWith("write ") && / later$| last$/.test(does)
    );
}

/** The event of the call that fails with this reason. */
function callOf(reason: string): string {
  return reason.replace(/^pull /, "source: pull ").replace(/^write /, "sink: write c")
    .replace(/^transform (\d+)\./, "stage $1: transform c").replace(
      /^flush (\d+)$/,
      "stage $1: flush",
    );
}

/** Whether of two methods that are called in another order than natively, and take as long, that called first has failed. */
function isCalledFirst(
  { schedule, expected, actual }: Case,
  theirs: string,
  ours: string,
): boolean {
  const isSlow = (reason: string) =>
    schedule.deviations.some(({ at, does }) =>
      at === reason && /^rejects (?:later|last)$/.test(does)
    );
  const isBefore = (log: readonly string[], one: string, other: string) =>
    log.indexOf(callOf(one)) >= 0 && log.indexOf(callOf(one)) < log.indexOf(callOf(other));
  return isSlow(theirs) && isSlow(ours) && isBefore(expected, theirs, ours) &&
    isBefore(actual, ours, theirs);
}

const cleanUp = /^(?:cancel source|abort sink|close sink|cancel \d+)$/;

/** In which turn the run ended. */
function turnOf(log: readonly string[]): number {
  const end = log.findIndex((event) => event.startsWith("pipe "));
  return log.slice(0, end).filter((event) => event === "|").length;
}

/** In which turn something of this name is first heard of as a failure; `Infinity` if it never is. */
function turnHeard(log: readonly string[], name: string): number {
  return turnWhere(log, (event) => event.endsWith(` ${name}`) && !event.startsWith("source: pull"));
}

function turnWhere(log: readonly string[], isIt: (event: string) => boolean): number {
  const place = log.findIndex(isIt);
  return place < 0 ? Infinity : log.slice(0, place).filter((event) => event === "|").length;
}

/**
 * Whether each stage had the chunks that it has natively, or some of them, and an end, and both ends were informed of
 * what the run failed with, or of another failure of the run.
 */
function isKnownAtEnds(given: Case, { sink, source }: Ends, ...results: string[]): boolean {
  const { schedule } = given;
  for (let stage = 0; stage < schedule.stages; stage++) {
    if (!isAheadAt(stage, given, false)) return false;
  }
  const reasons = [
    ...results,
    ...schedule.deviations.filter(({ at }) => /^cancel \d/.test(at)).map(({ at }) => at),
    ...(schedule.deviations.some(({ does }) => does === "terminates") ? ["TypeError"] : []),
  ];
  return [sink?.replace("abort ", ""), source?.replace("cancel ", "")].every((heard) =>
    heard === undefined || reasons.includes(heard)
  );
}

/** Whether two deviations may be of one turn: at least two come from an end or from outside. */
function hasTwoInOneTurn({ schedule }: Case): boolean {
  return schedule.deviations.filter(({ at }) =>
    /^(?:slot|pull|write|start|transform|flush) /.test(at)
  ).length > 1;
}

/** The deliberate differences of `pipeline`. */
export const pipelineRules: readonly Rule[] = [
  {
    name: "reads later",
    reason: "pipeline reads nothing before the sink can take it, where pipes fill the queues " +
      "between: a stage before the one that ends has had fewer chunks or more, has heard its " +
      "flush or its cancel, and a source that has ended has nothing to cancel.",
    excuses(given) {
      if (given.schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      return theirs.result === ours.result && isLike(given, theirs, ours);
    },
  },
  {
    name: "sink without room",
    reason: "Into a sink that never takes a chunk pipeline reads nothing, so that it does not " +
      "hear what reading would say; and it hears of what ends without a chunk in between.",
    excuses(given) {
      if (given.schedule.way !== "pipeline" || given.schedule.lastMark !== 0) return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      if (ours.result === undefined) {
        return !given.actual.some((event) =>
          /^(?:sink: (?:write|close|abort)|source: cancel|stage \d+: (?!start|cancel))/.test(event)
        );
      }
      // What ours has not asked for does not fail; what comes from outside then does.
      return /^(?:error sink|error source|signal|pull) \d+$/.test(ours.result) &&
        !given.actual.some((event) => /^stage \d+: (?:transform|flush)/.test(event)) &&
        isKnownAtEnds(given, ours, ours.result) && ours.writes.length + theirs.writes.length === 0;
    },
  },
  {
    name: "start",
    reason: "A start that throws makes pipeline reject and end both its ends; natively it throws " +
      "where the stream is made, before anything is piped.",
    excuses({ schedule, expected, actual }) {
      if (schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(expected), endsOf(actual)];
      return theirs.result !== undefined && /^start \d+$/.test(theirs.result) &&
        theirs.result === ours.result && theirs.sink === undefined && theirs.source === undefined;
    },
  },
  {
    name: "ended in start",
    reason:
      "What a stage does in its start has ended the run before a signal that comes after the " +
      "call, with that failure or early. Natively it takes some microtasks from one stage to the " +
      "next, and the signal comes to the sink before it.",
    excuses(given) {
      const { schedule: { way, stages, deviations }, expected, actual } = given;
      const start = deviations.find(({ at, does }) =>
        /^start \d+$/.test(at) && /^(?:errors|terminates)$/.test(does)
      );
      if (way !== "pipeline" || start === undefined) return false;
      const [theirs, ours] = [endsOf(expected), endsOf(actual)];
      const hasFailed = start.does === "errors";
      // Of one stage natively, too, a signal comes too late.
      const isOvertaken = theirs.sink?.startsWith("abort signal ")
        ? Number(start.at.split(" ")[1]) < stages - 1
        : theirs.result?.startsWith("error sink ") === true;
      const result = hasFailed ? start.at : "done";
      return isOvertaken && turnOf(expected) === turnOf(actual) &&
        // A source that has failed says so as it is cancelled.
        (ours.result === result || (!hasFailed && ours.result!.startsWith("error source "))) &&
        ours.sink === (hasFailed ? `abort ${start.at}` : "close") &&
        ours.writes.length + theirs.writes.length === 0 &&
        isKnownAtEnds(given, { ...ours, sink: undefined }, start.at);
    },
  },
  {
    name: "source drops",
    reason:
      "A source that fails drops what its own queue holds, be it chunks or its end; pipeline " +
      "had not read that yet.",
    excuses(given) {
      if (given.schedule.way !== "pipeline" || !isSourceFailing(given)) return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      return ours.result !== undefined && /^(?:error source|pull) \d+$/.test(ours.result) &&
        isPrefix(ours.writes, theirs.writes) &&
        (ours.writes.length < theirs.writes.length ||
          /^(?:done|close sink)$/.test(theirs.result ?? "")) &&
        ours.sink !== "close";
    },
  },
  {
    name: "first failure",
    reason:
      "pipeline rejects with the first failure, and a sink that fails with what it was given " +
      "before has failed before; with pipeTo a failure while it ends the two streams comes later " +
      "and replaces it.",
    excuses(given) {
      if (given.schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      if (theirs.result === undefined || ours.result === undefined || !hasFailed(ours)) {
        return false;
      }
      // A stage that gives a chunk while its own cancel goes on fails by that natively.
      const isCleanUp = cleanUp.test(theirs.result) || theirs.result === "TypeError";
      const isGivenBefore = (/^write \d+$/.test(ours.result) || isWritingLong(given, ours)) &&
        /^(?:error source|pull|transform|flush|signal) /.test(theirs.result);
      // Natively a stage that is cancelled, or flushed, delays what it is cancelled for.
      const isDelayed = ours.result.startsWith("error sink ") && /^flush /.test(theirs.result);
      if (isDelayed) {
        return `${theirs.writes}` === `${ours.writes}` && isKnownAtEnds(given, ours, ours.result);
      }
      // Each sink is aborted with what its run fails with.
      const sink = theirs.sink?.startsWith("abort ") && ours.sink === `abort ${ours.result}`
        ? ours.sink
        : theirs.sink;
      return (isCleanUp || isGivenBefore) && isLike(given, { ...theirs, sink }, ours, false);
    },
  },
  {
    name: "heard first",
    reason: "Of two failures in different turns the first is what pipeline rejects with. A pipe " +
      "that waits for room, or for a stage's cancel, may hear of the second before that; and which of " +
      "two methods is called first, and so fails first, depends on how far a source is read.",
    excuses(given) {
      if (given.schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      const { result } = ours;
      return result !== undefined && theirs.result !== undefined &&
        hasFailed(ours) && hasFailed(theirs) &&
        (turnHeard(given.actual, result) < turnHeard(given.expected, theirs.result) ||
          isCalledFirst(given, theirs.result, result)) &&
        isKnownAtEnds(given, ours, result) &&
        (isPrefix(ours.writes, theirs.writes) || isPrefix(theirs.writes, ours.writes));
    },
  },
  {
    name: "asked later",
    reason:
      "A pipe's source fills its queue while a stage still starts, or the sink still writes. " +
      "pipeline asks it only then, so that a stage gets its chunks and its flush later, and what " +
      "fails while it waits for that fails the run.",
    excuses(given) {
      if (given.schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      const isAskedLater = given.expected.some((event) =>
        /^(?:source: pull|stage \d+: (?:transform|flush))/.test(event) &&
        turnWhere(given.actual, (own) => own === event) >
          turnWhere(given.expected, (other) => other === event)
      );
      return isAskedLater && /^(?:done|(?:pull|flush) \d+)$/.test(theirs.result ?? "") &&
        /^(?:error sink|error source|signal) \d+$/.test(ours.result ?? "") &&
        isKnownAtEnds(given, ours, ours.result!) && isPrefix(ours.writes, theirs.writes);
    },
  },
  {
    name: "either reason",
    reason: "Where two parts fail, one that is between them hears of that which comes to it first.",
    excuses(given) {
      if (given.schedule.way !== "pipeline" || given.schedule.deviations.length < 2) return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      // A sink that has failed by then hears of no abort.
      const sink = hasStep(given, "error sink") && theirs.sink === undefined
        ? ours.sink
        : theirs.sink;
      return theirs.result === ours.result && ours.result !== undefined &&
        isLike(given, { ...theirs, sink }, ours, false);
    },
  },
  {
    name: "only failure",
    reason:
      "A source that fails while it is cancelled, or has failed by then, where nothing else " +
      "has failed, makes pipeline fail; a pipe that ends early keeps it to itself.",
    excuses(given) {
      if (given.schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      return theirs.result === "done" &&
        /^(?:cancel source|error source \d+|pull \d+)$/.test(ours.result ?? "") &&
        isLike(given, theirs, { ...ours, result: "done" }, ours.result === "cancel source");
    },
  },
  {
    name: "seen later",
    reason: "Only a runtime sees at once that a stream has failed: others hear of it a microtask " +
      "later, so that of two failures in one turn the second may be heard first.",
    excuses(given) {
      if (given.schedule.way !== "pipeline") return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      const isOfEnd = (result: string | undefined) =>
        result !== undefined &&
        /^(?:error source|error sink|signal|pull|write|start|transform|flush) [\d.]+$/
          .test(result);
      return isOfEnd(theirs.result) && isOfEnd(ours.result) && theirs.result !== ours.result &&
        turnHeard(given.expected, theirs.result!) === turnHeard(given.actual, ours.result!) &&
        hasTwoInOneTurn(given) &&
        isKnownAtEnds(given, ours, ours.result!, theirs.result!) &&
        (isPrefix(ours.writes, theirs.writes) || isPrefix(theirs.writes, ours.writes));
    },
  },
  {
    name: "signal",
    reason: "After its signal aborts, pipeline rejects within a turn of the event loop, whatever " +
      "hangs; pipeTo waits for the write that goes on, and for the clean-up, and no longer hears " +
      "the signal once the source has ended.",
    excuses(given) {
      if (given.schedule.way !== "pipeline" || !hasStep(given, "signal")) return false;
      const [theirs, ours] = [endsOf(given.expected), endsOf(given.actual)];
      return ours.result !== undefined &&
        (ours.result.startsWith("signal ") || ours.result === theirs.result) &&
        isKnownAtEnds(given, { ...ours, sink: ours.sink?.replace("close", "") }, ours.result, "") &&
        (isPrefix(theirs.writes, ours.writes) || isPrefix(ours.writes, theirs.writes)) &&
        (theirs.sink === ours.sink || theirs.sink === "close" || theirs.sink === undefined ||
          ours.sink === undefined);
    },
  },
];
