import { createDeferred } from "../deferred.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { nextTurn, noteActivity } from "./activity.ts";
import type { CheckedSource, CheckSourceOptions, MadeFrom, WatchedReads } from "./end_law_types.ts";
import { type HeldWatch, noteCall, runHeld } from "./held_run.ts";
import type { SourceProgram, SourceRun } from "./source_law_types.ts";
import { waitTurns } from "./wait_turns.ts";
import { openReading, openSubject, type Reading } from "./source_subject.ts";

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
