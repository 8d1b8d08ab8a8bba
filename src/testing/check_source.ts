import { checkFunction, checkInteger } from "../errors.ts";
import { checkLawOptions, readChunks } from "./check_law_options.ts";
import type {
  CheckedSource,
  CheckResult,
  CheckSourceOptions,
  MadeFrom,
  WatchedReads,
} from "./law_types.ts";
import { isEqual } from "./is_equal.ts";
import {
  describeSourceProgram,
  hasBytes,
  kindOfSource,
  runSourceProgram,
  type SourceKind,
  type SourceSubject,
  type SourceWay,
} from "./source_law_run.ts";
import { adaptProgram, type SourceKnowledge, sourceLaws } from "./source_laws.ts";
import { tryLaws } from "./try_laws.ts";

const action = "check source";

/** What the runtime's own streams do under each law. */
function passSubject(subject: SourceSubject, isBytes: boolean): SourceSubject {
  return {
    ...subject,
    make: ({ underlying }) => ({
      type: isBytes ? "bytes" : undefined,
      async pull(controller: ReadableStreamDefaultController) {
        const { done, value } = await underlying.read();
        if (!done) controller.enqueue(value);
        else controller.close();
        // deno-lint-ignore no-explicit-any -- only a stream of bytes has one
        if (done) (controller as any).byobRequest?.respond(0);
      },
      cancel: (reason: unknown) => underlying.cancel(reason),
      // deno-lint-ignore no-explicit-any -- one of two types
    } as any),
    makeFailing: (reason) => ({
      pull() {
        throw reason;
      },
    }),
  };
}

/**
 * Reads a source as laws of sources say: with `getReader`, `for await`, `pipeTo`, `pipeline`, `tee` and into buffers of
 * the reader, with ends that are slow, stall, fail, cancel and abort, on virtual time.
 *
 * The laws: `ends`, `output` (each chunk once, in order), `pace` (slow ends and eager readers change nothing), `fresh`
 * (two sources know nothing of each other), `laziness`, `boundedReading`, `cancel`, `abort`, `sinkError`, `sourceError`
 * and `ownError` (each reason arrives itself, `undefined` too), `tee`, `bytes`, `leaks` (timers, locks, listeners of the
 * signal), `unhandled` and `idleAfterEnd`. A law that the runtime's own streams break is left out with that reason.
 *
 * @param makeSource Makes a source: a `ReadableStream`, an underlying source, or something to iterate over, such as a
 * Node stream. It is given `signal`, which aborts with the run, and `underlying`, which it may read from and cancel:
 * only so is it seen how it reads, and that a cancel reaches what is below.
 * @param options `chunks`: what `underlying` gives, or what makes it (default: 1 to 8); `expected`: what comes out, or
 * what makes it of the first chunks (default: the chunks of `underlying`; if it is not used, what the first way to read
 * gives); `isSame`: compares two lists of output (default: by content); `makeFailing`: makes a source that fails with a
 * reason by itself (default: none, and `ownError` is left out); `readAhead`: how many chunks beyond one it may read
 * before they are asked for (default: 0); `io`: whether it takes real time (default: `false`); `skip`: reasons of laws
 * that do not apply, by name (default: none).
 * @returns The laws held, skipped and failed, the last with their smallest program; `throwIfFailed()` for tests.
 * @throws {TypeError} If an option or a law's name is unknown, or something is of the wrong type.
 * @throws {RangeError} If `readAhead` is not a non-negative integer.
 * @throws {Error} If the realm's time is virtual already.
 *
 * @example A source that forgets to cancel what it reads from
 * ```ts
 * import { checkSource } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const result = await checkSource(({ underlying }) => ({
 *   async pull(controller: ReadableStreamDefaultController<unknown>) {
 *     const { done, value } = await underlying.read();
 *     if (done) controller.close();
 *     else controller.enqueue(value);
 *   },
 * }));
 *
 * assert.deepEqual(result.failed[0]?.law, "cancel");
 * assert.throws(() => result.throwIfFailed(), /what it stands on did not learn of it/);
 * ```
 */
export async function checkSource(
  makeSource: (context: MadeFrom<WatchedReads>) => CheckedSource,
  options: CheckSourceOptions = {},
): Promise<CheckResult> {
  checkFunction(action, "makeSource", makeSource);
  checkLawOptions(action, options, sourceLaws, ["readAhead"]);
  const { expected, isSame = isEqual, makeFailing, readAhead = 0, io = false } = options;
  checkInteger(action, "readAhead", readAhead, 0, true);
  const chunks = () => [...readChunks(options, action)];
  const count = chunks().length;
  const seen: { kind?: SourceKind; isBytes: boolean } = { isBytes: false };
  const make = (context: MadeFrom<WatchedReads>) => {
    const made = makeSource(context);
    seen.kind = kindOfSource(made);
    seen.isBytes = seen.kind === "dictionary"
      ? (made as { type?: unknown }).type === "bytes"
      : hasBytes(made);
    return made;
  };
  const subject: SourceSubject = { make, makeFailing, chunks, io, isWatched: false };
  const first = { way: "for await", give: count, then: "end", slow: "underlying" } as const;
  const whole = await runSourceProgram(subject, first);
  const { kind, isBytes } = seen;
  if (kind === undefined) throw whole.reason;
  const { isWatched } = subject;
  const ways: SourceWay[] = kind === "iterable"
    ? ["for await", "pipeline"]
    : ["getReader", "for await", "pipeTo", "pipeline", "tee"];
  if (isBytes) ways.push("BYOB");
  const all = typeof expected === "object" ? expected : isWatched ? chunks() : whole.chunks;
  const skipped: Record<string, string> = { ...options.skip };
  if (makeFailing === undefined) skipped.ownError ??= "makeFailing is not given";
  if (kind === "iterable") skipped.tee ??= "it is not a stream";
  if (!isBytes) skipped.bytes ??= "it is not a stream of bytes";
  if (!isWatched) {
    const laws = ["abort", "sourceError"];
    if (kind !== "dictionary") laws.push("laziness", "boundedReading");
    for (const law of laws) skipped[law] ??= "it does not use `underlying`";
  }
  const knowledge: SourceKnowledge = {
    kind,
    ways,
    count,
    isWatched,
    isSame,
    expected: (give) => {
      if (typeof expected === "function") return expected(chunks().slice(0, give));
      if (typeof expected === "object" || !isWatched) return give === count ? all : undefined;
      return all.slice(0, give);
    },
    // One is held by a stream with a queue of its own.
    mostReads: (wanted) => (wanted === 0 ? 0 : whole.readsAt[wanted - 1] ?? count) + 1 + readAhead,
  };
  return await tryLaws({
    kind: "source",
    laws: sourceLaws,
    adapt: (program) => adaptProgram(program, knowledge),
    run: runSourceProgram,
    subject,
    knowledge,
    passing: passSubject(subject, isBytes),
    passKnowledge: { kind: "dictionary", isWatched: true, mostReads: (wanted) => wanted + 1 },
    describe: (program) => describeSourceProgram(program, isWatched),
  }, skipped);
}
