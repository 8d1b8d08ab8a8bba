import { throwTypeError } from "../errors.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { isStream } from "../source/find_source.ts";
import { openStream } from "../source/open_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";
import { integer } from "../read_options.ts";
import { nextTurn } from "./activity.ts";
import { checkByLaws, type LawCheck } from "./check_by_laws.ts";
import { heardProblem, rejectionProblem } from "./held_run.ts";
import {
  chunksProblem,
  forReasons,
  lastLaws,
  type Law,
  type LawKnowledge,
  type LawProgram,
  type LawRun,
  type LawStart,
  type LawWay,
  outputProblem,
  reason,
  sourceOver,
  wholes,
} from "./law_program.ts";
import type {
  CheckedSource,
  CheckResult,
  CheckSourceOptions,
  MadeFrom,
  WatchedReads,
} from "./law_types.ts";
import { printChunk } from "./print_chunk.ts";
import { watchMembers } from "./watch_members.ts";

// deno-lint-ignore no-explicit-any -- sources of any chunks
type Any = any;

/** A source that is read chunk by chunk. */
interface Reading {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** `undefined` if it has no way to be ended. */
  readonly cancel: ((reason: unknown) => Promise<unknown>) | undefined;
}

/** Where the methods of an underlying source have their controller. */
const controllerPlaces = { start: 0, pull: 0, cancel: -1 };

/** Whether it is a stream of bytes. */
function hasBytes(source: Any): boolean {
  try {
    source.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

const isIterable = (source: object): boolean =>
  Symbol.asyncIterator in source || Symbol.iterator in source;

/** What a source is; throws if it is none. */
function kindOfSource(source: Any): string {
  if (source === null || typeof source !== "object") {
    throwTypeError(
      "check source",
      "source",
      "a stream, an underlying source or an iterable",
      source,
    );
  }
  if (isStream(source)) return hasBytes(source) ? "stream of bytes" : "stream";
  if (isIterable(source)) return "iterable";
  return source.type === "bytes" ? "dictionary of bytes" : "dictionary";
}

/** The source as it is read: an underlying source becomes a stream, with an eye on what it does. */
function openSubject(
  source: Any,
  note: (call: string) => void,
): ReadableStream | AsyncIterable<unknown> {
  return isStream(source) || isIterable(source)
    ? source
    : new ReadableStream(watchMembers(source, controllerPlaces, note), { highWaterMark: 0 });
}

function iteratorOf(source: Any): AsyncIterator<unknown> | Iterator<unknown> {
  const method = source[Symbol.asyncIterator] ?? source[Symbol.iterator];
  return method === undefined ? sourceIterator(openStream(source)) : method.call(source);
}

/** Begins to read a source. */
function openReading(
  way: LawWay,
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

/** Begins to read a source as a program says. */
async function start(
  { made, subject, program, ends, signal, rest }: LawStart,
): Promise<{ readonly work: Promise<unknown> }> {
  const { way, stop, at = 0, reason, isEager } = program;
  const { noted } = ends;
  const source = openSubject(made, (call) => {
    ends.note(call);
    if (!subject.isWatched && call === "controller.enqueue") noted.reads++;
  });
  const take = (chunk: unknown) => ends.writes.write(chunk);
  const stream = source as ReadableStream;
  const isOurs = way !== "for await" && way !== "pipeTo" && way !== "pipeline";
  if (!isOurs) ends.streams.source = stream;
  if (way === "pipeTo") return { work: stream.pipeTo(ends.openSink(), { signal }) };
  if (way === "pipeline") return { work: (pipeline as Any)(source, ends.openSink(), { signal }) };
  if (way === "tee") {
    const takeOther = (chunk: unknown) => void noted.branch.push(chunk);
    const [one, other] = stream.tee().map((branch) => openReading("getReader", branch));
    if (stop !== "cancel") {
      return { work: Promise.all([drain(one!, take), drain(other!, takeOther)]) };
    }
    await takeSome(other!, at, takeOther);
    other!.cancel!(reason).catch(() => {});
    return { work: drain(one!, take) };
  }
  const reading = openReading(way, source);
  if (isEager) {
    const reads = Array.from({ length: program.give + 2 }, () => reading.next());
    const next = () => reads.shift() ?? reading.next();
    return { work: drain({ next, cancel: undefined }, take) };
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
}

/** Ways that read chunk by chunk. */
const readings: readonly LawWay[] = ["getReader", "for await"];
/** Ways that have a sink. */
const pipes: readonly LawWay[] = ["pipeTo", "pipeline"];

/** The program as the source can show it; one that it cannot show is left out. */
function adaptProgram(
  program: LawProgram,
  { isWatched, count, kind }: LawKnowledge,
): LawProgram | undefined {
  const { give, then, stop, at, isFailing } = program;
  const isPending = stop === "cancel with a pending read";
  // A generator that has not begun has nothing to end, and one that waits cannot be ended.
  if (kind === "iterable" && (isPending || stop === "cancel" && at === 0)) return;
  if (isWatched || isFailing) return program;
  // It gives its own chunks.
  if (give < count || then === "fail" || stop === "abort" || isPending) return;
  return { ...program, then: "end" };
}

const gave = outputProblem("gave");

const endProblem = ({ state, reason }: LawRun): string | undefined => {
  if (state === "pending") return "it has not ended";
  return state === "rejected" ? `it failed with ${printChunk(reason)}` : undefined;
};

const wholeProblem: Law["problem"] = (run, program, knowledge) =>
  endProblem(run) ?? gave(run, program, knowledge);

/** The bytes of chunks, one after the other. */
const bytesOf = (chunks: readonly unknown[]): number[] =>
  chunks.flatMap((chunk) => [...chunk as Uint8Array]);

/** An iterator is not given the reason, and one that waits cannot be ended. */
function cancelProblem(
  { cancels, stopReason }: LawRun,
  { kind, isWatched }: LawKnowledge,
): string | undefined {
  if (!isWatched) return;
  const isReasonless = kind === "iterable" && cancels.length === 1;
  return isReasonless ? undefined : heardProblem("what it stands on", cancels, stopReason);
}

/** The laws of sources by their names, in the order in which they are tried. */
const laws: Readonly<Record<string, Law>> = {
  ends: { programs: wholes, problem: endProblem },
  output: { programs: wholes, problem: gave },
  pace: {
    programs: [{ slow: "source" }, { slow: "sink" }, { ways: ["getReader"], isEager: true }],
    problem: wholeProblem,
  },
  fresh: { programs: [{ before: "other" }], problem: wholeProblem },
  laziness: {
    programs: [{ ways: ["getReader", "for await", "pipeline"], stop: "no demand" }],
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(0, way);
      return reads > most ? `it read ${reads} chunks without demand, more than ${most}` : undefined;
    },
  },
  boundedReading: {
    programs: [{ stop: "stop reading", at: 1 }],
    problem({ reads }, { way }, { mostReads }) {
      const most = mostReads(pipes.includes(way) ? 2 : 1, way);
      return reads > most ? `it read ${reads} chunks for 1, more than ${most}` : undefined;
    },
  },
  cancel: {
    programs: [
      ...forReasons(
        { ways: readings, give: 0, stop: "cancel", at: 0 },
        { ways: readings, stop: "cancel", at: 1 },
      ),
      ...forReasons({ ways: ["getReader"], give: 1, stop: "cancel with a pending read", at: 1 }),
    ],
    problem(run, _, knowledge) {
      if (run.state === "pending") return "the cancel has not settled";
      if (run.state === "rejected") return `the cancel failed with ${printChunk(run.reason)}`;
      return cancelProblem(run, knowledge);
    },
  },
  abort: {
    programs: [0, undefined].map((give) => ({ ways: pipes, give, stop: "abort", reason })),
    problem: (run, _, knowledge) =>
      rejectionProblem(run) ??
        (knowledge.kind === "iterable" ? undefined : cancelProblem(run, knowledge)),
  },
  sinkError: {
    programs: forReasons({ ways: pipes, stop: "write fails", at: 1 }),
    problem: (run, { give }, knowledge) =>
      (knowledge.expected(give)?.length ?? 0) < 2
        ? undefined
        : rejectionProblem(run) ?? cancelProblem(run, knowledge),
  },
  sourceError: {
    programs: forReasons({ give: 0, then: "fail" }, { give: 2, then: "fail" }),
    problem: rejectionProblem,
  },
  ownError: { programs: forReasons({ isFailing: true }), problem: rejectionProblem },
  tee: {
    programs: [
      { ways: ["tee"] },
      { ways: ["tee"], then: "end", stop: "cancel", at: 1, reason },
    ],
    problem(run, { give, stop }, knowledge) {
      const wanted = knowledge.expected(give);
      return endProblem(run) ?? chunksProblem("gave", run.chunks, wanted, knowledge) ??
        chunksProblem(
          "gave",
          run.branch,
          stop === undefined ? wanted : wanted?.slice(0, 1),
          knowledge,
        );
    },
  },
  bytes: {
    programs: [{ ways: ["BYOB"] }],
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
  ...lastLaws([
    {},
    { ways: readings, stop: "cancel", at: 1, reason },
    { ways: pipes, stop: "abort", reason },
    { ways: pipes, stop: "write fails", at: 1, reason },
    { give: 1, then: "fail", reason },
  ]),
};

const check: LawCheck = {
  noun: "source",
  names: { source: "underlying source", sink: "reader" },
  below: "reads",
  laws,
  options: { readAhead: integer(undefined, 0, true) },
  kindOf: kindOfSource,
  start,
  adapt: adaptProgram,
  learn({ subject: { chunks, isWatched }, kind, count, all, readsFor, ahead, skip }) {
    const isBytes = kind.endsWith("of bytes");
    const isIterable = kind === "iterable";
    if (isIterable) skip("it is not a stream", "tee");
    if (!isBytes) skip("it is not a stream of bytes", "bytes");
    if (!isWatched) {
      skip("it does not use `underlying`", "abort", "sourceError");
      if (!kind.startsWith("dictionary")) {
        skip("it does not use `underlying`", "laziness", "boundedReading");
      }
    }
    return {
      ways: isIterable
        ? ["for await", "pipeline"]
        : [...readings, ...pipes, "tee", ...isBytes ? ["BYOB"] as const : []],
      expected: (give) => isWatched ? chunks().slice(0, give) : give === count ? all : undefined,
      // One is held by a stream with a queue of its own.
      mostReads: (outputs) => readsFor(outputs) + 1 + ahead,
    };
  },
  passing: (kind) => ({
    make: ({ underlying }) =>
      sourceOver(underlying, kind.endsWith("of bytes") ? "bytes" : undefined),
    makeFailing: (reason) => ({
      pull() {
        throw reason;
      },
    }),
  }),
};

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
export function checkSource(
  makeSource: (context: MadeFrom<WatchedReads>) => CheckedSource,
  options: CheckSourceOptions = {},
): Promise<CheckResult> {
  return checkByLaws(check, makeSource, options);
}
