import { createDeferred } from "../deferred.ts";
import { throwTypeError } from "../errors.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { callback, integer } from "../read_options.ts";
import { checkByLaws, type LawCheck } from "./check_by_laws.ts";
import { heardProblem, rejectionProblem } from "./held_run.ts";
import {
  forReasons,
  lastLaws,
  type Law,
  type LawEnds,
  type LawKnowledge,
  type LawProgram,
  type LawRest,
  type LawRun,
  outputProblem,
  reason,
  wholes,
} from "./law_program.ts";
import type {
  CheckedSink,
  CheckResult,
  CheckSinkOptions,
  MadeFrom,
  WatchedWrites,
} from "./law_types.ts";
import { printChunk } from "./print_chunk.ts";
import { watchMembers } from "./watch_members.ts";

// deno-lint-ignore no-explicit-any -- sinks of any chunks
type Any = any;

/** Where the methods of an underlying sink have their controller. */
const controllerPlaces = { start: 0, write: 1, close: -1, abort: -1 };

/** What a sink is; throws if it is none. */
function kindOfSink(sink: Any): "stream" | "dictionary" | "function" {
  if (typeof sink === "function") return "function";
  if (sink === null || typeof sink !== "object") {
    throwTypeError("check sink", "sink", "a stream, an underlying sink or a function", sink);
  }
  return typeof sink.getWriter === "function" ? "stream" : "dictionary";
}

const ignore = () => {};

/** Writes as a writer does, each chunk when there is room, or all at once. */
async function writeAll(
  sink: WritableStream,
  { give, then, reason, isEager }: LawProgram,
  { reads, noted }: LawEnds,
  signal: AbortSignal,
): Promise<void> {
  const writer = sink.getWriter();
  const aborted = createDeferred<void>();
  const abort = () => {
    writer.abort(signal.reason).then(() => aborted.reject(signal.reason), aborted.reject);
  };
  signal.addEventListener("abort", abort, { once: true });
  aborted.promise.catch(ignore);
  writer.closed.catch(ignore);
  writer.ready.catch(ignore);
  const end = async () => {
    const writes: Promise<void>[] = [];
    for (let n = 0; n < give; n++) {
      const { value } = await reads.read();
      if (!isEager) await writer.ready;
      const write = writer.write(value);
      write.then(() => noted.accepted++, ignore);
      writes.push(write);
    }
    if (then === "end") await writer.close();
    if (then === "fail") await writer.abort(reason);
    if (then === "stall") {
      await Promise.all(writes);
      await writer.closed;
    }
  };
  try {
    await Promise.race([end(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    writer.releaseLock();
  }
}

const paces: readonly LawRest[] = [
  { slow: "sink" },
  { slow: "source" },
  { ways: ["writer"], slow: "sink", isEager: true },
];

function endProblem(
  { state, reason, closes, aborts }: LawRun,
  { kind, isWatched }: LawKnowledge,
): string | undefined {
  if (state === "pending") return "the run has not ended";
  if (state === "rejected") return `the run failed with ${printChunk(reason)}`;
  if (!isWatched || kind === "function") return;
  if (closes !== 1) return `what it stands on was closed ${closes} times`;
  return aborts.length > 0 ? "what it stands on was aborted, too" : undefined;
}

const wrote = outputProblem("wrote");

const wholeProblem: Law["problem"] = (run, program, knowledge) =>
  endProblem(run, knowledge) ?? wrote(run, program, knowledge);

const abortProblem: Law["problem"] = (run, _, { kind, isWatched }) =>
  rejectionProblem(run) ??
    (!isWatched || kind === "function"
      ? undefined
      : heardProblem("what it stands on", run.aborts, run.stopReason) ??
        (run.closes > 0 ? "what it stands on was closed, too" : undefined));

/** Tells unless the run has failed with the reason, and the source of a pipe has heard it. */
const failProblem = (run: LawRun, { way }: LawProgram): string | undefined =>
  rejectionProblem(run) ??
    (way === "writer" ? undefined : heardProblem("the source", run.cancels, run.stopReason));

/** The laws of sinks by their names, in the order in which they are tried. */
const laws: Readonly<Record<string, Law>> = {
  ends: { programs: wholes, problem: (run, _, knowledge) => endProblem(run, knowledge) },
  output: { programs: wholes, problem: wrote },
  pace: { programs: paces, problem: wholeProblem },
  fresh: { programs: [{ before: "other" }], problem: wholeProblem },
  oneAtATime: { programs: paces, problem: ({ overlap }) => overlap },
  backpressure: {
    programs: [{ give: 1, then: "end", stop: "write hangs" }, { stop: "write hangs" }],
    problem({ state, reads, accepted }, { then, way }, { mostReads }) {
      if (then === "end" && state !== "pending") return "it has ended before its write had settled";
      if (then === "end" || way === "writer" && accepted <= mostReads(0, way)) return;
      if (way === "writer") return `${accepted} writes were called done that were not`;
      const most = mostReads(2, way);
      return reads > most
        ? `it took ${reads} chunks while its write hung, more than ${most}`
        : undefined;
    },
  },
  abort: {
    programs: [0, 1].map((give) => ({ give, stop: "abort", reason })),
    problem: abortProblem,
  },
  sourceError: {
    programs: forReasons(
      { ways: ["pipeTo", "pipeline"], give: 0, then: "fail" },
      { ways: ["pipeTo", "pipeline"], give: 1, then: "fail" },
    ),
    problem: abortProblem,
  },
  writeError: {
    programs: forReasons({ stop: "write fails", at: 0 }, { stop: "write fails", at: 1 }),
    problem: (run, program) =>
      failProblem(run, program) ??
        (run.begun !== run.begunAtFailure ? "it wrote on after its failure" : undefined) ??
        (run.closes > 0 ? "what it stands on was closed, too" : undefined),
  },
  closeError: {
    programs: forReasons({ give: 1, then: "end", stop: "close fails" }),
    problem: rejectionProblem,
  },
  ownError: { programs: forReasons({ isFailing: true }), problem: failProblem },
  ...lastLaws([
    {},
    { give: 1, stop: "abort", reason },
    { stop: "write fails", at: 1, reason },
  ]),
};

const check: LawCheck = {
  noun: "sink",
  names: { source: "source", sink: "underlying sink" },
  below: "writes",
  laws,
  options: { written: callback(), writeAhead: integer(undefined, 0, true) },
  kindOf: kindOfSink,
  start({ made, subject, program, ends, signal }) {
    const { way, then, stop, isFailing } = program;
    const sink = kindOfSink(made) === "dictionary"
      ? new WritableStream(watchMembers(made, controllerPlaces, ends.note))
      : made;
    ends.streams.sink = sink;
    const work: Promise<unknown> = way === "writer"
      ? writeAll(sink, program, ends, signal)
      : way === "pipeTo"
      ? ends.openSource().pipeTo(sink, { signal })
      : (pipeline as Any)(ends.openSource(), sink, { signal });
    const { written } = subject;
    const isWhole = stop === undefined && then === "end" && !isFailing;
    return Promise.resolve({
      work: written === undefined || !isWhole
        ? work
        : work.then(async () => void (ends.noted.chunks = await written(made))),
    });
  },
  learn({ subject: { chunks, isWatched, written }, kind, ahead, skip }) {
    const isFunction = kind === "function";
    if (isFunction) skip("a function is not closed", "closeError");
    if (!isWatched) {
      const laws = ["oneAtATime", "backpressure", "writeError", "closeError"];
      skip("it does not use `underlying`", ...laws);
    }
    if (!isWatched && written === undefined) skip("what it has written is not known", "output");
    return {
      ways: isFunction ? ["pipeline"] : ["writer", "pipeTo", "pipeline"],
      expected: (give) => chunks().slice(0, give),
      mostReads: (outputs) => outputs + ahead,
    };
  },
  passing: () => ({
    make: ({ underlying }) => underlying,
    makeFailing: (reason) => ({
      write() {
        throw reason;
      },
    }),
  }),
};

/**
 * Writes to a sink as laws of sinks say: with a writer, `pipeTo` and `pipeline`, with ends that are slow, stall, fail
 * and abort, on virtual time.
 *
 * The laws: `ends` (it is closed once), `output` (each chunk once, in order), `pace` (slow ends and eager writers change
 * nothing), `fresh` (two sinks know nothing of each other), `oneAtATime` (a write waits for the one before, and the
 * close for the last), `backpressure` (what is not written is not called done, and no more is taken meanwhile), `abort`,
 * `sourceError`, `writeError`, `closeError` and `ownError` (each reason arrives itself, `undefined` too), `leaks`
 * (timers, locks, listeners of the signal), `unhandled` and `idleAfterEnd`. A law that the runtime's own streams break
 * is left out with that reason.
 *
 * @param makeSink Makes a sink: a `WritableStream`, an underlying sink, or a function that is given each chunk. It is
 * given `signal`, which aborts with the run, and `underlying`, which it may write to, close and abort: the laws see
 * only what reaches that.
 * @param options `chunks`: the chunks that the sink is given, or a function that makes them (default: 1 to 8);
 * `expected`: the chunks that are written, or a function from the first of the given ones (default: the chunks);
 * `isSame`: compares two lists of written chunks (default: by content); `written`: reads back what a sink has written
 * elsewhere than to `underlying` (default: none, and the writes of such a sink are not seen); `makeFailing`: makes a
 * sink that fails with a reason by itself at its first chunk (default: none, and `ownError` is left out);
 * `writeAhead`: how many chunks beyond one it may take before they are written (default: 0); `io`: whether it takes
 * real time (default: `false`); `skip`: reasons of laws that do not apply, by name (default: none).
 * @returns The laws held, skipped and failed, the last with their smallest program; `throwIfFailed()` for tests.
 * @throws {TypeError} If an option or a law's name is unknown, or something is of the wrong type.
 * @throws {RangeError} If `writeAhead` is not a non-negative integer.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A sink that does not wait for what it writes to
 * ```ts
 * import { checkSink } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const result = await checkSink(({ underlying }) => ({
 *   write(chunk) {
 *     void underlying.write(chunk).catch(() => {});
 *   },
 *   close: () => underlying.close(),
 *   abort: (reason) => underlying.abort(reason),
 * }));
 *
 * assert.deepEqual(result.failed.some(({ law }) => law === "backpressure"), true);
 * assert.throws(() => result.throwIfFailed(), /it has ended before its write had settled/);
 * ```
 */
export function checkSink(
  makeSink: (context: MadeFrom<WatchedWrites>) => CheckedSink,
  options: CheckSinkOptions = {},
): Promise<CheckResult> {
  return checkByLaws(check, makeSink, options);
}
