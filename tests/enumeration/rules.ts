import type { Schedule } from "./schedule.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import {
  eventsBefore,
  eventsByTurn,
  isAlike,
  kindOf,
  partyOf,
  type Turn,
  turnWhere,
  viewsOf,
} from "./compare.ts";
import { contradictionIn } from "./contradiction_in.ts";

/** A run of ours that is not like the one that it is compared with. */
export interface Case {
  readonly schedule: Schedule;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
  /** Whether the standard says nothing: the reference failed an assertion, and `expected` is what the runtime does. */
  readonly hasTripped: boolean;
  /** The same schedule with the runtime's streams. */
  readonly native: readonly string[];
}

/** A deliberate difference, and which runs fall under it. */
interface Rule {
  readonly name: string;
  readonly reason: string;
  excuses(given: Case): boolean;
}

/** Whether a stage has run ahead of where it is natively: more or fewer chunks, and so its flush or its cancel. */
function isAheadAt(
  stage: number,
  { schedule, expected, actual }: Case,
  hasOneReason = true,
): boolean {
  const seen = (log: readonly string[]) =>
    log.filter((event) => event.startsWith(`stage ${stage}: `));
  const chunksOf = (log: readonly string[]) =>
    seen(log).filter((event) => event.includes(": transform "));
  const endOf = (log: readonly string[]) =>
    seen(log).filter((event) => /: (?:flush|cancel)/.test(event)).join();
  const [theirs, ours] = [chunksOf(expected), chunksOf(actual)];
  const shorter = Math.min(theirs.length, ours.length);
  if (`${theirs.slice(0, shorter)}` !== `${ours.slice(0, shorter)}`) return false;
  const [theirEnd, ourEnd] = [endOf(expected), endOf(actual)];
  // A stage learns of no end only if it ended the chain itself.
  const mayEnd = schedule.deviations.some(({ at, does }) =>
    !does.startsWith("fulfils") && new RegExp(`^(?:start|transform|flush) ${stage}\\b`).test(at)
  );
  if (ourEnd === "" && theirEnd !== "" && !mayEnd) return false;
  return !hasOneReason || theirEnd === ourEnd || theirEnd === "" || ourEnd === "" ||
    theirEnd.endsWith("flush") || ourEnd.endsWith("flush");
}

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

/** Whether two runs are alike but for these events. */
function isAlikeBut(
  { expected, actual }: Pick<Case, "expected" | "actual">,
  isLeftOut: (event: string) => boolean,
): boolean {
  const others = (log: readonly string[]) => log.filter((event) => !isLeftOut(event));
  return isAlike(others(expected), others(actual), "parties");
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
  if (!isAheadEverywhere(given, hasOneReason)) return false;
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

/** In which turn something of this name is first heard of as a failure; `Infinity` if it never is. */
function turnHeard(log: readonly string[], name: string): number {
  return turnWhere(log, (event) => event.endsWith(` ${name}`) && !event.startsWith("source: pull"));
}

const isOfPipe = (event: string) => event.startsWith("pipe ");

/** Whether no stage has run further ahead, or less far, than it may. */
function isAheadEverywhere(given: Case, hasOneReason = true): boolean {
  return Array.from({ length: given.schedule.stages }).every((_, stage) =>
    isAheadAt(stage, given, hasOneReason)
  );
}

/**
 * Whether each stage had the chunks that it has natively, or some of them, and an end, and both ends were informed of
 * what the run failed with, or of another failure of the run.
 */
function isKnownAtEnds(given: Case, { sink, source }: Ends, ...results: string[]): boolean {
  const { schedule } = given;
  if (!isAheadEverywhere(given, false)) return false;
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

/** A difference of `pipeline`, by what came of both runs. */
interface PipelineRule extends Omit<Rule, "excuses"> {
  excuses(given: Case, theirs: Ends, ours: Ends): boolean;
}

/** The deliberate differences of `pipeline`. */
const pipelineRules: readonly PipelineRule[] = [
  {
    name: "reads later",
    reason: "pipeline reads nothing before the sink can take it, where pipes fill the queues " +
      "between: a stage before the one that ends has had fewer chunks or more, has heard its " +
      "flush or its cancel, and a source that has ended has nothing to cancel.",
    excuses: (given, theirs, ours) => theirs.result === ours.result && isLike(given, theirs, ours),
  },
  {
    name: "sink without room",
    reason: "Into a sink that never takes a chunk pipeline reads nothing, so that it does not " +
      "hear what reading would say; and it hears of what ends without a chunk in between.",
    excuses(given, theirs, ours) {
      if (given.schedule.lastMark !== 0) return false;
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
    excuses(_, theirs, ours) {
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
    excuses(given, theirs, ours) {
      const { schedule: { stages, deviations }, expected, actual } = given;
      const start = deviations.find(({ at, does }) =>
        /^start \d+$/.test(at) && /^(?:errors|terminates)$/.test(does)
      );
      if (start === undefined) return false;
      const hasFailed = start.does === "errors";
      // Of one stage natively, too, a signal comes too late.
      const isOvertaken = theirs.sink?.startsWith("abort signal ")
        ? Number(start.at.split(" ")[1]) < stages - 1
        : theirs.result?.startsWith("error sink ") === true;
      const result = hasFailed ? start.at : "done";
      return isOvertaken && turnWhere(expected, isOfPipe) === turnWhere(actual, isOfPipe) &&
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
    excuses(given, theirs, ours) {
      if (!isSourceFailing(given)) return false;
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
    excuses(given, theirs, ours) {
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
    excuses(given, theirs, ours) {
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
    excuses(given, theirs, ours) {
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
    excuses(given, theirs, ours) {
      if (given.schedule.deviations.length < 2) return false;
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
    excuses(given, theirs, ours) {
      return theirs.result === "done" &&
        /^(?:cancel source|error source \d+|pull \d+)$/.test(ours.result ?? "") &&
        isLike(given, theirs, { ...ours, result: "done" }, ours.result === "cancel source");
    },
  },
  {
    name: "seen later",
    reason: "Only a runtime sees at once that a stream has failed: others hear of it a microtask " +
      "later, so that of two failures in one turn the second may be heard first.",
    excuses(given, theirs, ours) {
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
    excuses(given, theirs, ours) {
      if (!hasStep(given, "signal")) return false;
      return ours.result !== undefined &&
        (ours.result.startsWith("signal ") || ours.result === theirs.result) &&
        isKnownAtEnds(given, { ...ours, sink: ours.sink?.replace("close", "") }, ours.result, "") &&
        (isPrefix(theirs.writes, ours.writes) || isPrefix(ours.writes, theirs.writes)) &&
        (theirs.sink === ours.sink || theirs.sink === "close" || theirs.sink === undefined ||
          ours.sink === undefined);
    },
  },
];

const settled = /^(?:(?:(?:writer|reader): (?:\w+ \d+|closed))|pipe)(?= [=!])/;

/** In which turn each call, and each end, has settled. */
function turnsOfSettling(log: readonly string[]): Map<string, number> {
  return new Map(
    eventsByTurn(log).flatMap((events, turn) =>
      events.flatMap((event) => settled.exec(event)?.[0] ?? []).map((name) => [name, turn])
    ),
  );
}

/**
 * Whether all that settles natively does so in ours, and no later; but what waits for a cancel that takes time, for
 * chunks made before a failure, or, in a chain or a pipe, for one of two methods that take time.
 */
function settlesLike(
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
      return eventsByTurn(actual)[own]!.some((event) =>
        /^reader: (?:read \d+ = c|cancel )/.test(event)
      );
    }
    return stages > 1 && slow.length > 1;
  });
}

/** The name of an operation, such as `writer: write 2`, and what came of it. */
function outcomesOf(log: readonly string[], party: string): Map<string, string> {
  return new Map(
    log.filter((event) => event.startsWith(`${party}: `)).map((event) => {
      const [, name, outcome] = /^(.*?) ([=!#] .*)$/s.exec(event) ?? [event, event, ""];
      return [name!, outcome!];
    }),
  );
}

const isReady = (event: string) => event.startsWith("writer: ready ");

/** Whether ours differs in nothing but that Node leaves `ready` fulfilled where a flush ends the stream that closes. */
function isReadyInNode({ schedule, expected, actual }: Case): boolean {
  if (currentRuntime().name !== "node") return false;
  const hasEnded = schedule.deviations.some(({ at, does }) =>
    at.startsWith("flush ") && /^(?:terminates|errors)$/.test(does)
  );
  const [theirs, ours] = [expected.filter(isReady), actual.filter(isReady)];
  return hasEnded && isAlikeBut({ expected, actual }, isReady) &&
    actual.includes("writer: closed = done") &&
    theirs.at(-1)?.startsWith("writer: ready ! ") === true &&
    `${ours}` === `${[...theirs.slice(0, -1), "writer: ready = done"]}`;
}

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
function isAhead(given: Case): boolean {
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

/**
 * Whether a stage after the first has a `cancel` that takes time, and ours differs in nothing but in what is before it:
 * that has taken less meanwhile, and has ended by what the stage is cancelled for, or by what its cancel fails with.
 */
function isHeldByCancel(given: Case): boolean {
  const { schedule, expected, actual } = given;
  const { way, deviations } = schedule;
  if (way !== "fuse") return false;
  const pending = deviations.find(({ at, does }) =>
    /^cancel [1-9]/.test(at) && /^(?:fulfils|rejects)/.test(does)
  );
  if (pending === undefined) return false;
  const stage = Number(pending.at.split(" ")[1]);
  const isBefore = (event: string) =>
    event.startsWith("writer: ") || event.startsWith(`stage ${stage}: transform `) ||
    Number(/^stage (\d+): /.exec(event)?.[1] ?? stage) < stage;
  if (!isAlikeBut(given, isBefore)) return false;
  const start = `stage ${stage}: cancel `;
  const reason = actual.find((event) => event.startsWith(start))?.slice(start.length);
  if (reason === undefined) return false;
  // What a stage has taken before may be more than natively, where the chain runs ahead.
  const before = (log: readonly string[]) => {
    const place = log.findIndex((event) => event.startsWith(start));
    return place < 0 ? log : log.slice(0, log.lastIndexOf("|", place) + 1);
  };
  const mayBeAhead = isAhead({ ...given, expected: before(expected), actual: before(actual) });
  const reasons = [pending.does.startsWith("rejects") ? pending.at : reason];
  for (let index = 0; index <= stage; index++) {
    const [theirs, ours] = [expected, actual].map((log) =>
      log.filter((event) =>
        event.startsWith(`stage ${index}: `) && (index < stage || !event.includes(": cancel "))
      )
    );
    const taken = ours!.filter((event) => !event.includes(": cancel "));
    const ends = ours!.slice(taken.length);
    const isLess = taken.every((event, place) => event === theirs![place]);
    if (!isLess && !mayBeAhead) return false;
    if (!ends.every((end) => reasons.includes(end.split(": cancel ")[1]!))) return false;
  }
  const theirs = outcomesOf(expected, "writer");
  return [...outcomesOf(actual, "writer")].every(([name, outcome]) =>
    outcome === theirs.get(name) || reasons.some((reason) => outcome === `! ${reason}`) ||
    outcome === "! TypeError" || name.startsWith("writer: desiredSize") || name === "writer: ready"
  );
}

/**
 * Whether a chain's last stage is cancelled in the turn in which it fails, be it that its `cancel` calls `error`, and
 * ours differs in nothing but that it takes the failure for the first: the cancel rejects with it, and what is before
 * that stage ends with it at once.
 */
function isErrorInCancel({ schedule, expected, actual }: Case): boolean {
  const { way, stages, deviations } = schedule;
  const last = stages - 1;
  const at = deviations.find(({ at, does }) =>
    (at === `cancel ${last}` && does === "errors") ||
    (at === `start ${last}` && does === "rejects") ||
    (at.startsWith(`transform ${last}.`) && /^(?:throws|errors|rejects)$/.test(does))
  )?.at;
  if (way !== "fuse" || stages < 2 || at === undefined) return false;
  const isBefore = (event: string) =>
    event.startsWith("writer: ") ||
    (event.startsWith("stage ") && !event.startsWith(`stage ${last}: `));
  const isHeard = (event: string) => event.endsWith(` ! ${at}`) || event.endsWith(`: cancel ${at}`);
  const [theirs, ours] = [expected, actual].map((log) =>
    log.map((event) =>
      event.startsWith("reader: cancel ") && isHeard(event)
        ? event.replace(/ ! .*/, " = done")
        : event
    )
  );
  return isAlikeBut({ expected: theirs!, actual: ours! }, isBefore) &&
    actual.every((event) => !isBefore(event) || expected.includes(event) || isHeard(event));
}

/**
 * Whether both ends of a chain of several stages end in one turn, and ours differs in nothing but in what a stage
 * before the last hears of: the other of the two. If it is not the abort, that may reject with its own reason.
 */
function isEitherEnd({ schedule, expected, actual }: Case): boolean {
  const { way, stages, deviations } = schedule;
  if (way !== "fuse" || stages < 2) return false;
  const last = `stage ${stages - 1}: `;
  const isBetween = (event: string) => /^stage \d+: cancel /.test(event) && !event.startsWith(last);
  const isAbort = (event: string) => /^writer: abort \d+ /.test(event);
  const [their, own] = [expected, actual].map((log) =>
    log.map((event) => isBetween(event) ? event.replace(/ cancel .*/, " cancel") : event)
  );
  if (!isAlikeBut({ expected: their!, actual: own! }, isAbort)) return false;
  // What an end has failed with, or was cancelled for.
  const reasons = new Set(
    [...expected, ...actual].map((event) =>
      /^(?:reader|writer): closed ! (.*)$/.exec(event)?.[1] ??
        (event.startsWith(last) ? event.split(": cancel ")[1] : undefined)
    ),
  );
  if (deviations.some(({ does }) => does === "terminates")) reasons.add("TypeError");
  const heard = (log: readonly string[]) =>
    log.filter(isBetween).map((event) => event.split(": cancel ")[1]!);
  const aborts = (log: readonly string[]) =>
    log.filter(isAbort).map((event) => event.slice("writer: ".length));
  const [theirs, ours] = [aborts(expected), aborts(actual)];
  return [...heard(expected), ...heard(actual)].every((reason) => reasons.has(reason)) &&
    theirs.length === ours.length && theirs.every((abort, index) => {
      const [reason] = abort.split(" = ");
      return ours[index] === abort ||
        (abort === `${reason} = done` && ours[index] === `${reason} ! ${reason}`);
    });
}

const ofReader = /^reader: (?:closed|read \d+|cancel \d+) /;

/** Whether a reader cancels while a chunk waits before a failure: ours is closed then, where theirs has failed. */
function isClosedByCancel({ expected, actual }: Case): boolean {
  if (!isAlikeBut({ expected, actual }, (event) => ofReader.test(event))) return false;
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

/**
 * Whether a chain of several stages is cancelled, or its last stage fails, and ours ends all of it in that turn: the
 * first stage hears of it and of nothing after that, and what is written fails by it.
 */
function isCancelledAtOnce(given: Case): boolean {
  const { schedule, expected, actual } = given;
  const { way, stages } = schedule;
  if (way !== "fuse" || stages < 2) return false;
  const last = `stage ${stages - 1}: `;
  const isBefore = (event: string) =>
    !event.startsWith(last) && !event.startsWith("reader: ") && event !== "|";
  if (!isAlikeBut(given, isBefore)) return false;
  const end = actual.find((event) => event.startsWith(`${last}cancel `)) ??
    actual.find((event) => event.startsWith("reader: closed ! "));
  const reason = end?.split(/: cancel | ! /)[1];
  if (end === undefined || reason === undefined) return false;
  // Until then both are alike, and from then on ours fails by it.
  const turn = turnWhere(actual, (event) => event === end);
  const before = (log: readonly string[]) => eventsBefore(turn, log);
  const start = { ...given, expected: before(expected), actual: before(actual) };
  if (!isAlike(start.expected, start.actual, "parties") && !isAhead(start)) return false;
  for (let stage = 0; stage < stages - 1; stage++) {
    const [theirs, ours] = [expected, actual].map((log) =>
      log.filter((event) => event.startsWith(`stage ${stage}: `))
    );
    const heard = ours!.at(-1);
    if (
      heard !== `stage ${stage}: cancel ${reason}` ||
      turnWhere(actual, (event) => event === heard) !== turn
    ) {
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

/**
 * Whether natively an abort waits, in the turn in which it ends ours: until then both are alike, and from then on all
 * fails by the abort, or by what a stage fails with that is between it and the reader.
 */
function isAbortedAtOnce(given: Case): boolean {
  const { schedule: { way, stages, deviations }, expected, actual } = given;
  if (way !== "fuse") return false;
  const [theirs, ours] = [eventsByTurn(expected), eventsByTurn(actual)];
  const find = (events: Turn | undefined) => {
    const cancel = events?.find((event) => /^stage 0: cancel abort \d/.test(event));
    return cancel?.slice("stage 0: cancel ".length);
  };
  const turn = ours.findIndex((events, index) => {
    const abort = find(events);
    return abort !== undefined && find(theirs[index]) === undefined &&
      theirs[index]?.includes(`writer: ready ! ${abort}`);
  });
  if (turn < 0) return false;
  const [before, own] = [expected, actual].map((log) => eventsBefore(turn, log));
  if (
    !isAlike(before!, own!, "moments") && !isAhead({ ...given, expected: before!, actual: own! })
  ) return false;
  if (!isAheadEverywhere(given, false)) return false;
  const abort = find(ours[turn])!;
  const reasons = [
    abort,
    "TypeError",
    ...deviations.filter(({ does }) => /^(?:throws|errors|rejects)/.test(does)).map(({ at }) => at),
  ];
  const isEnded = actual.some((event) => event === "reader: closed = done");
  return ours.slice(turn).flat().every((event) => {
    if (expected.includes(event)) return true;
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

/** A rule by which ours does what the reference does in another schedule. */
interface Alternative {
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
  if (!isAlikeBut({ expected, actual }, (event) => event.startsWith("reader: "))) return false;
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
  ...pipelineRules.map(({ excuses, ...rule }): Rule => ({
    ...rule,
    excuses: (given) =>
      given.schedule.way === "pipeline" &&
      excuses(given, endsOf(given.expected), endsOf(given.actual)),
  })),
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

const thrown = /^(write \d+) # Error$/;

/**
 * In Node a write while a close goes on throws, where others reject: the logs as if it did, since a rejection is seen
 * at any later point of its turn. None if nothing throws.
 */
export function asIfRejected(log: readonly string[]): string[][] {
  const at = currentRuntime().name === "node" ? log.findIndex((event) => thrown.test(event)) : -1;
  if (at < 0) return [];
  const rejected = log[at]!.replace(thrown, "writer: $1 ! TypeError");
  const rest = log.slice(at + 1);
  const end = rest.indexOf("|");
  const logs = Array.from(
    { length: (end < 0 ? rest.length : end) + 1 },
    (_, later) => [...log.slice(0, at), ...rest.slice(0, later), rejected, ...rest.slice(later)],
  );
  return logs.flatMap((one) => one.some((event) => thrown.test(event)) ? asIfRejected(one) : [one]);
}

const dependent = /^(?:writer: (?:ready|closed|close \d+|abort \d+)|reader: cancel \d+) /;

/** A write to what has ended fails with a `TypeError` if that was closed, and by its reason if it has failed. */
const lateWrite = /^writer: write \d+ ! /;

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
function isDoneSooner({ schedule: { way, stages }, expected, actual }: Case): boolean {
  if (way !== "fuse" || stages !== 1) return false;
  const [theirs, ours] = [eventsByTurn(expected), eventsByTurn(actual)];
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

/**
 * What the standard says, but for the parties that see in ours what they do with the runtime's own streams: those see
 * that. Undefined if there are none, or the runs do not have the same turns.
 */
function runtimeInPart(
  { expected, actual, native }: Pick<Case, "expected" | "actual" | "native">,
): string[] | undefined {
  const [standard, runtime, ours] = [expected, native, actual].map((log) => viewsOf(log, true));
  const textOf = (view: readonly string[] | undefined) => JSON.stringify(view ?? []);
  const given = new Set(
    [...new Set([...standard!.keys(), ...ours!.keys()])].filter((party) => {
      const own = textOf(ours!.get(party));
      return own !== textOf(standard!.get(party)) && own === textOf(runtime!.get(party));
    }),
  );
  const [plain, other] = [expected, native].map(eventsByTurn);
  if (given.size === 0 || plain!.length !== other!.length) return undefined;
  return plain!.flatMap((events, index) => [
    ...(index === 0 ? [] : ["|"]),
    ...events.filter((event) => !given.has(partyOf(event))),
    ...other![index]!.filter((event) => given.has(partyOf(event))),
  ]);
}
