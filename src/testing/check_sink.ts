import { checkFunction, checkInteger } from "../errors.ts";
import { checkLawOptions, readChunks } from "./check_law_options.ts";
import type {
  CheckedSink,
  CheckResult,
  CheckSinkOptions,
  MadeFrom,
  WatchedWrites,
} from "./law_types.ts";
import { isEqual } from "./is_equal.ts";
import {
  describeSinkProgram,
  kindOfSink,
  runSinkProgram,
  type SinkKind,
  type SinkSubject,
  type SinkWay,
} from "./sink_law_run.ts";
import { type SinkKnowledge, sinkLaws } from "./sink_laws.ts";
import { tryLaws } from "./try_laws.ts";

const action = "check sink";
const ownOptions = ["written", "writeAhead"];

/** What the runtime's own streams do under each law. */
const passSubject = (subject: SinkSubject): SinkSubject => ({
  ...subject,
  written: undefined,
  make: ({ underlying }) => ({
    write: (chunk) => underlying.write(chunk),
    close: () => underlying.close(),
    abort: (reason) => underlying.abort(reason),
  }),
  makeFailing: (reason) => ({
    write() {
      throw reason;
    },
  }),
});

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
export async function checkSink(
  makeSink: (context: MadeFrom<WatchedWrites>) => CheckedSink,
  options: CheckSinkOptions = {},
): Promise<CheckResult> {
  checkFunction(action, "makeSink", makeSink);
  checkLawOptions(action, options, sinkLaws, ownOptions);
  const { expected, isSame = isEqual, makeFailing, written, writeAhead = 0, io = false } = options;
  if (written !== undefined) checkFunction(action, "written", written);
  checkInteger(action, "writeAhead", writeAhead, 0, true);
  const chunks = () => [...readChunks(options, action)];
  const count = chunks().length;
  const seen: { kind?: SinkKind } = {};
  const make = (context: MadeFrom<WatchedWrites>) => {
    const made = makeSink(context);
    seen.kind = kindOfSink(made);
    return made;
  };
  const subject: SinkSubject = { make, makeFailing, written, chunks, io, isWatched: false };
  const whole = await runSinkProgram(subject, { way: "pipeline", give: count, then: "end" });
  const { kind } = seen;
  if (kind === undefined) throw whole.reason;
  const { isWatched } = subject;
  const ways: SinkWay[] = kind === "function" ? ["pipeline"] : ["writer", "pipeTo", "pipeline"];
  const skipped: Record<string, string> = { ...options.skip };
  if (makeFailing === undefined) skipped.ownError ??= "makeFailing is not given";
  if (kind === "function") skipped.closeError ??= "a function is not closed";
  if (!isWatched) {
    for (const law of ["oneAtATime", "backpressure", "writeError", "closeError"]) {
      skipped[law] ??= "it does not use `underlying`";
    }
    if (written === undefined) skipped.output ??= "what it has written is not known";
  }
  const knowledge: SinkKnowledge = {
    kind,
    ways,
    count,
    isWatched,
    isSame,
    writeAhead,
    expected: (give) => {
      if (typeof expected === "function") return expected(chunks().slice(0, give));
      if (expected !== undefined) return give === count ? expected : undefined;
      return chunks().slice(0, give);
    },
  };
  return await tryLaws({
    kind: "sink",
    laws: sinkLaws,
    run: runSinkProgram,
    subject,
    knowledge,
    passing: passSubject(subject),
    passKnowledge: { kind: "dictionary", isWatched: true, writeAhead: 0 },
    describe: describeSinkProgram,
  }, skipped);
}
