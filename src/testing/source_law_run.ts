import { createDeferred } from "../deferred.ts";
import { throwTypeError } from "../errors.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { isStream } from "../source/find_source.ts";
import { openStream } from "../source/open_source.ts";
import { sourceIterator } from "../source/source_iterator.ts";
import { nextTurn, noteActivity } from "./activity.ts";
import {
  type HeldOutcome,
  type HeldProgram,
  type HeldWatch,
  noteCall,
  runHeld,
  waitTurns,
} from "./held_run.ts";
import type { CheckedSource, CheckSourceOptions, MadeFrom, WatchedReads } from "./law_types.ts";
import { printChunk } from "./print_chunk.ts";
import { watchMembers } from "./watch_members.ts";

/** How a source is read. */
export type SourceWay = "getReader" | "for await" | "pipeTo" | "pipeline" | "tee" | "BYOB";

/** One reading of a source; what it stands on gives the chunks. */
export interface SourceProgram extends
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
  /** Whether all is read at once. */
  readonly isEager?: boolean;
  /** Another run that stands still meanwhile. */
  readonly before?: "other";
}

/** What a program's run has shown. */
export interface SourceRun extends HeldOutcome {
  readonly chunks: readonly unknown[];
  /** What the other branch of a tee has given. */
  readonly branch: readonly unknown[];
  readonly readsAt: readonly number[];
  readonly reads: number;
  readonly cancels: readonly unknown[];
}

/** A program in words, as a report has it. */
export function describeSourceProgram(program: SourceProgram, isWatched: boolean): string {
  const { way, give, then, stop, at = 0, reason, slow, isEager, before, isFailing } = program;
  const why = "reason" in program ? ` with ${printChunk(reason)}` : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    before && "while another run stands still",
    isFailing && `the source fails${why}`,
    isWatched &&
    `the ${slow === "underlying" ? "slow " : ""}underlying source gives ${chunks}, then ${then}s${
      then === "fail" ? why : ""
    }`,
    slow === "reader" && "the reader is slow",
    isEager && "all is read at once",
    stop && (stop === "no demand" ? stop : `${stop} after ${at}${why}`),
  ].filter(Boolean).join(", ");
}

// deno-lint-ignore no-explicit-any -- sources of any chunks
type Any = any;

/** What a source can be. */
export type SourceKind = "stream" | "dictionary" | "iterable";

/** A source that is read chunk by chunk. */
interface Reading {
  next(): Promise<IteratorResult<unknown, unknown>>;
  /** `undefined` if it has no way to be ended. */
  readonly cancel: ((reason: unknown) => Promise<unknown>) | undefined;
}

/** Where the methods of an underlying source have their controller. */
const controllerPlaces = { start: 0, pull: 0, cancel: -1 };

/** What a source is; throws if it is none. */
export function kindOfSource(source: CheckedSource): SourceKind {
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
export function hasBytes(source: unknown): boolean {
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
export interface SourceSubject {
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
export async function runSourceProgram(
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
