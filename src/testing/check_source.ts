import { createDeferred } from "../deferred.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { isStream } from "../source/find_source.ts";
import { openStream } from "../source/open_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";
import { integer } from "../read_options.ts";
import { nextTurn, noteActivity } from "./activity.ts";
import { expectedOf, readLawOptions } from "./check_law_options.ts";
import {
  describeHeld,
  heardProblem,
  type HeldOutcome,
  type HeldProgram,
  type HeldWatch,
  lastLaws,
  noteCall,
  rejectionProblem,
  runHeld,
  waitTurns,
} from "./held_run.ts";
import type {
  CheckedSource,
  CheckResult,
  CheckSourceOptions,
  MadeFrom,
  WatchedReads,
} from "./law_types.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import { type InWays, type Knowledge, type Law, reasons, tryLaws, wholes } from "./try_laws.ts";
import { watchMembers } from "./watch_members.ts";

/** How a source is read. */
type SourceWay = "getReader" | "for await" | "pipeTo" | "pipeline" | "tee" | "BYOB";

/** One reading of a source; what it stands on gives the chunks. */
interface SourceProgram extends
  HeldProgram<
    SourceWay,
    | "cancel"
    | "cancel with a pending read"
    | "abort"
    | "write fails"
    | "no demand"
    | "stop reading",
    "underlying" | "reader"
  > {
  readonly before?: "other";
}

/** What a program's run has shown. */
interface SourceRun extends HeldOutcome {
  readonly chunks: readonly unknown[];
  /** What the other branch of a tee has given. */
  readonly branch: readonly unknown[];
  readonly readsAt: readonly number[];
  readonly reads: number;
  readonly cancels: readonly unknown[];
}

// deno-lint-ignore no-explicit-any -- sources of any chunks
type Any = any;

/** What a source can be. */
type SourceKind = "stream" | "dictionary" | "iterable";

/** A source that is read chunk by chunk. */
interface Reading {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** `undefined` if it has no way to be ended. */
  readonly cancel: ((reason: unknown) => Promise<unknown>) | undefined;
}

/** Where the methods of an underlying source have their controller. */
const controllerPlaces = { start: 0, pull: 0, cancel: -1 };

/** What a source is; throws if it is none. */
function kindOfSource(source: CheckedSource): SourceKind {
  if (source === null || typeof source !== "object") {
    throwTypeError(
      "check source",
      "source",
      "a stream, an underlying source or an iterable",
      source,
    );
  }
  if (isStream(source)) return "stream";
  return Symbol.asyncIterator in source || Symbol.iterator in source ? "iterable" : "dictionary";
}

/** The source as it is read: an underlying source becomes a stream, with an eye on what it does. */
function openSubject(
  source: CheckedSource,
  note: (call: string) => void,
): ReadableStream | AsyncIterable<unknown> {
  return kindOfSource(source) === "dictionary"
    ? new ReadableStream(watchMembers(source, controllerPlaces, note) as Any, { highWaterMark: 0 })
    : source as Any;
}

/** Whether it is a stream of bytes. */
function hasBytes(source: unknown): boolean {
  if (!isStream(source)) return false;
  try {
    source.getReader({ mode: "byob" } as Any).releaseLock();
    return true;
  } catch {
    return false;
  }
}

function iteratorOf(source: Any): AsyncIterator<unknown> | Iterator<unknown> {
  const method = source[Symbol.asyncIterator] ?? source[Symbol.iterator];
  return method === undefined ? sourceIterator(openStream(source)) : method.call(source);
}

/** Begins to read a source. */
function openReading(
  way: SourceWay,
  source: ReadableStream | AsyncIterable<unknown>,
): Reading {
  if (way === "for await") {
    const iterator = iteratorOf(source);
    return {
      next: async () => {
        const result = await iterator.next();
        return result.done ? result : { done: false, value: await result.value };
      },
      cancel: iterator.return === undefined
        ? undefined
        : async (reason) => await iterator.return!(reason),
    };
  }
  const stream = source as ReadableStream;
  if (way === "BYOB") {
    const reader = (stream as Any).getReader({ mode: "byob" });
    return {
      next: () => reader.read(new Uint8Array(3)),
      cancel: (reason) => reader.cancel(reason),
    };
  }
  const reader = stream.getReader();
  return { next: () => reader.read() as Any, cancel: (reason) => reader.cancel(reason) };
}

/** What programs are run with. */
interface SourceSubject {
  readonly make: (context: MadeFrom<WatchedReads>) => CheckedSource;
  readonly makeFailing: CheckSourceOptions["makeFailing"];
  readonly chunks: () => readonly unknown[];
  readonly io: boolean;
  /** Whether it has taken what it may stand on. */
  isWatched: boolean;
}

async function drain(reading: Reading, take: (chunk: unknown) => unknown): Promise<void> {
  for (;;) {
    const { done, value } = await reading.next();
    if (done) return;
    await take(value);
  }
}

/** Takes so many chunks if there are so many. */
async function takeSome(reading: Reading, count: number, take: (chunk: unknown) => void) {
  try {
    for (let taken = 0; taken < count; taken++) {
      const { done, value } = await reading.next();
      if (done) return;
      take(value);
    }
  } catch { /* what it fails with is for another law */ }
}

/** What a source under test stands on. */
function watchedReads(
  given: readonly unknown[],
  { give, then, reason, slow }: SourceProgram,
  run: { reads: number; cancels: unknown[] },
  watch: HeldWatch,
): WatchedReads {
  const ended = createDeferred<void>();
  let isDone = false;
  const done = { done: true, value: undefined } as const;
  return {
    async read() {
      noteCall(watch, "underlying.read");
      if (isDone) return done;
      if (slow === "underlying") await waitTurns(30);
      if (isDone) return done;
      if (run.reads < give) {
        const value = given[run.reads++];
        return { done: false, value: value instanceof Uint8Array ? value.slice() : value };
      }
      if (then === "fail") throw reason;
      if (then === "stall") await ended.promise;
      return done;
    },
    cancel(reason) {
      noteCall(watch, "underlying.cancel");
      run.cancels.push(reason);
      isDone = true;
      ended.resolve();
      return Promise.resolve();
    },
  };
}

/** Runs one program on virtual time, and says what the source, what it stands on and the realm have seen. */
async function runSourceProgram(
  subject: SourceSubject,
  program: SourceProgram,
): Promise<SourceRun> {
  const { way, stop, at = 0, reason, slow, isEager = false, before, isFailing } = program;
  const controller = new AbortController();
  const { signal } = controller;
  const given = subject.chunks();
  const run = {
    chunks: [] as unknown[],
    branch: [] as unknown[],
    readsAt: [] as number[],
    reads: 0,
    cancels: [] as unknown[],
  };
  const watch: HeldWatch = { isOver: false, late: [] };
  const underlying = watchedReads(given, program, run, watch);
  const context: MadeFrom<WatchedReads> = {
    signal,
    get underlying() {
      subject.isWatched = true;
      return underlying;
    },
  };
  const note = (call: string) => {
    noteCall(watch, call);
    if (!subject.isWatched && call === "controller.enqueue") run.reads++;
  };
  const take = (chunk: unknown) => {
    noteActivity();
    run.chunks.push(chunk);
    run.readsAt.push(run.reads);
    return slow === "reader" ? waitTurns(10) : undefined;
  };
  const sink = new WritableStream<unknown>({
    write(chunk) {
      if (stop === "write fails" && run.chunks.length >= at) throw reason;
      if (stop === "stop reading" && run.chunks.length >= at) return new Promise(() => {});
      return take(chunk);
    },
  }, { highWaterMark: stop === "no demand" ? 0 : 1 });
  let source: ReadableStream | AsyncIterable<unknown> | undefined;
  return await runHeld({
    io: subject.io,
    controller,
    program,
    watch,
    startOther: before === undefined ? undefined : () => startOther(subject, program, signal),
    async start(rest) {
      const made = isFailing ? subject.makeFailing!(reason, context) : subject.make(context);
      source = openSubject(made, note);
      if (way === "pipeTo") return { work: (source as ReadableStream).pipeTo(sink, { signal }) };
      // deno-lint-ignore no-explicit-any -- of any chunks
      if (way === "pipeline") return { work: (pipeline as any)(source, sink, { signal }) };
      if (way === "tee") {
        const [one, other] = (source as ReadableStream).tee().map((branch) =>
          openReading("getReader", branch)
        );
        if (stop === "cancel") {
          await takeSome(other!, at, (chunk) => void run.branch.push(chunk));
          other!.cancel!(reason).catch(() => {});
          return { work: drain(one!, take) };
        }
        const both = [drain(one!, take), drain(other!, (chunk) => void run.branch.push(chunk))];
        return { work: Promise.all(both) };
      }
      const reading = openReading(way, source);
      if (isEager) {
        const reads = Array.from({ length: given.length + 2 }, () => reading.next());
        return {
          work: drain({ next: () => reads.shift() ?? reading.next(), cancel: undefined }, take),
        };
      }
      if (stop === undefined) return { work: drain(reading, take) };
      const taken = takeSome(reading, stop === "no demand" ? 0 : at, take);
      if (stop === "stop reading" || stop === "no demand") return { work: new Promise(() => {}) };
      await rest();
      await Promise.race([taken, nextTurn()]);
      const { cancel } = reading;
      if (cancel === undefined) return { work: Promise.resolve() };
      const last = stop === "cancel" ? undefined : reading.next();
      last?.catch(() => {});
      if (last !== undefined) await rest();
      const work = cancel(reason).then(async () => {
        const { done } = await (last ?? reading.next());
        if (!done) throw new Error("a read after the cancel gave a chunk");
      });
      return { work };
    },
    locks: () => {
      const isOurs = way !== "for await" && way !== "pipeTo" && way !== "pipeline";
      return !isOurs && (source as ReadableStream | undefined)?.locked ? ["source"] : [];
    },
  }, () => ({ ...run }));
}

/** Starts another run of a source of its own, which stands still after a chunk. */
function startOther(
  subject: SourceSubject,
  { give }: SourceProgram,
  signal: AbortSignal,
): { stop(): Promise<void> } {
  const quiet: SourceProgram = { way: "getReader", give, then: "stall" };
  const watch: HeldWatch = { isOver: false, late: [] };
  const underlying = watchedReads(subject.chunks(), quiet, { reads: 0, cancels: [] }, watch);
  const source = openSubject(subject.make({ signal, underlying }), noteActivity);
  const reading = openReading("getReader" in source ? "getReader" : "for await", source);
  const taken = takeSome(reading, 1, noteActivity);
  return {
    async stop() {
      const end = taken.then(() => reading.cancel?.(new Error("the other run is over")));
      await Promise.race([end.catch(() => {}), nextTurn()]);
    },
  };
}

/** What a law knows of the source. */
interface SourceKnowledge extends Knowledge<SourceWay> {
  readonly kind: SourceKind;
  /** Whether it reads from what the laws watch; its own chunks are neither fewer nor late. */
  readonly isWatched: boolean;
  readonly mostReads: (outputs: number) => number;
}

/** A program for some ways to read; without any named, for chunks of all kinds. */
type SourceRest = InWays<SourceProgram>;

/** Ways that read chunk by chunk. */
const readings: readonly SourceWay[] = ["getReader", "for await"];
/** Ways that have a sink. */
const pipes: readonly SourceWay[] = ["pipeTo", "pipeline"];

/** The program as the source can show it; one that a source with chunks of its own cannot show is left out. */
function adaptProgram(
  program: SourceRest,
  { isWatched, count }: SourceKnowledge,
): SourceRest[] {
  const shown = { ways: [...readings, ...pipes], ...program };
  const { give, then, stop, isFailing } = program;
  if (isWatched || isFailing) return [shown];
  const isHidden = give < count || then === "fail" || stop === "abort" ||
    stop === "cancel with a pending read";
  return isHidden ? [] : [{ ...shown, then: "end" }];
}

/** Ends of all kinds. */
const stops = ({ count }: SourceKnowledge): SourceRest[] => [
  { give: count, then: "end" },
  { ways: readings, give: count, then: "stall", stop: "cancel", at: 1, reason: reasons[0] },
  { ways: pipes, give: count, then: "stall", stop: "abort", reason: reasons[0] },
  { ways: pipes, give: count, then: "stall", stop: "write fails", at: 1, reason: reasons[0] },
  { give: 1, then: "fail", reason: reasons[0] },
];

type SourceLaw = Law<SourceProgram, SourceRun, SourceKnowledge>;

function compare(
  chunks: readonly unknown[],
  wanted: readonly unknown[] | undefined,
  { isSame }: SourceKnowledge,
): string | undefined {
  if (wanted === undefined || isSame(chunks, wanted)) return;
  return `it gave ${drawBuffer(chunks)}, not ${drawBuffer(wanted)}`;
}

const endProblem = ({ state, reason }: SourceRun): string | undefined => {
  if (state === "pending") return "it has not ended";
  return state === "rejected" ? `it failed with ${printChunk(reason)}` : undefined;
};

const outputProblem: SourceLaw["problem"] = (run, { give }, knowledge) =>
  run.state === "fulfilled" ? compare(run.chunks, knowledge.expected(give), knowledge) : undefined;

const wholeProblem: SourceLaw["problem"] = (run, program, knowledge) =>
  endProblem(run) ?? outputProblem(run, program, knowledge);

/** The bytes of chunks, one after the other. */
const bytesOf = (chunks: readonly unknown[]): number[] =>
  chunks.flatMap((chunk) => [...chunk as Uint8Array]);

/** An iterator is not given the reason, and one that waits cannot be ended. */
function cancelProblem(
  { cancels, stopReason }: SourceRun,
  { kind, isWatched }: SourceKnowledge,
): string | undefined {
  if (!isWatched) return;
  const isReasonless = kind === "iterable" && cancels.length === 1;
  return isReasonless ? undefined : heardProblem("what it stands on", cancels, stopReason);
}

/** The laws of sources by their names, in the order in which they are tried. */
const sourceLaws: Readonly<Record<string, SourceLaw>> = {
  ends: { programs: wholes, problem: endProblem },
  output: { programs: wholes, problem: outputProblem },
  pace: {
    programs: ({ count }) => [
      { give: count, then: "end", slow: "underlying" },
      { give: count, then: "end", slow: "reader" },
      { ways: ["getReader"], give: count, then: "end", isEager: true },
    ],
    problem: wholeProblem,
  },
  fresh: {
    programs: ({ count }) => [{ give: count, then: "end", before: "other" }],
    problem: wholeProblem,
  },
  laziness: {
    programs: ({ count }) => [{
      ways: ["getReader", "for await", "pipeline"],
      give: count,
      then: "stall",
      stop: "no demand",
    }],
    problem({ reads }, _, { mostReads }) {
      const most = mostReads(0);
      return reads > most ? `it read ${reads} chunks without demand, more than ${most}` : undefined;
    },
  },
  boundedReading: {
    programs: ({ count }) => [{ give: count, then: "stall", stop: "stop reading", at: 1 }],
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(pipes.includes(way) ? 2 : 1);
      return reads > most ? `it read ${reads} chunks for 1, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs({ kind, count }) {
      const stopped = reasons.flatMap((reason): SourceRest[] => [
        { ways: readings, give: 0, then: "stall", stop: "cancel", at: 0, reason },
        { ways: readings, give: count, then: "stall", stop: "cancel", at: 1, reason },
      ]);
      const stop = "cancel with a pending read";
      const reading = reasons.map((reason): SourceRest => (
        { ways: ["getReader"], give: 1, then: "stall", stop, at: 1, reason }
      ));
      // A generator that has not begun has nothing to end, and one that waits cannot be ended.
      return kind === "iterable" ? stopped.filter(({ at }) => at === 1) : [...stopped, ...reading];
    },
    problem(run, _, knowledge) {
      if (run.state === "pending") return "the cancel has not settled";
      if (run.state === "rejected") return `the cancel failed with ${printChunk(run.reason)}`;
      return cancelProblem(run, knowledge);
    },
  },
  abort: {
    programs: ({ count }) => [
      { ways: pipes, give: 0, then: "stall", stop: "abort", reason: reasons[0] },
      { ways: pipes, give: count, then: "stall", stop: "abort", reason: reasons[0] },
    ],
    problem: (run, _, knowledge) =>
      rejectionProblem(run) ??
        (knowledge.kind === "iterable" ? undefined : cancelProblem(run, knowledge)),
  },
  sinkError: {
    programs: ({ count: give }) =>
      reasons.map((reason) => (
        { ways: pipes, give, then: "stall", stop: "write fails", at: 1, reason }
      )),
    problem: (run, { give }, knowledge) =>
      (knowledge.expected(give)?.length ?? 0) < 2
        ? undefined
        : rejectionProblem(run) ?? cancelProblem(run, knowledge),
  },
  sourceError: {
    programs: () =>
      reasons.flatMap((reason): SourceRest[] => [
        { give: 0, then: "fail", reason },
        { give: 2, then: "fail", reason },
      ]),
    problem: rejectionProblem,
  },
  ownError: {
    programs: ({ count }) =>
      reasons.map((reason) => ({ give: count, then: "stall", reason, isFailing: true })),
    problem: rejectionProblem,
  },
  tee: {
    programs: ({ count }) => [
      { ways: ["tee"], give: count, then: "end" },
      { ways: ["tee"], give: count, then: "end", stop: "cancel", at: 1, reason: reasons[0] },
    ],
    problem(run, { give, stop }, knowledge) {
      const wanted = knowledge.expected(give);
      return endProblem(run) ?? compare(run.chunks, wanted, knowledge) ??
        compare(run.branch, stop === undefined ? wanted : wanted?.slice(0, 1), knowledge);
    },
  },
  bytes: {
    programs: ({ count }) => [{ ways: ["BYOB"], give: count, then: "end" }],
    problem(run, { give }, { expected }) {
      const wanted = expected(give);
      if (run.state !== "fulfilled") return endProblem(run);
      if (wanted === undefined) return;
      const [one, other] = [bytesOf(run.chunks), bytesOf(wanted)];
      return one.join() === other.join()
        ? undefined
        : `it gave ${one.length} bytes, not the ${other.length} of its chunks`;
    },
  },
  ...lastLaws(stops),
};

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
  const own = { readAhead: integer(undefined, 0, true) };
  const { read, chunks, isSame, io, skipped } = readLawOptions(action, options, sourceLaws, own);
  const { expected, makeFailing, readAhead = 0 } = read;
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
    expected: expectedOf(expected, chunks, all, expected === undefined && isWatched),
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
    describe: (program) =>
      describeHeld(program, "source", isWatched ? "underlying source" : undefined),
  }, skipped);
}
