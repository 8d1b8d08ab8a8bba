import { createDeferred } from "../deferred.ts";
import { nextTurn, noteActivity } from "./activity.ts";
import { collectRejections } from "./collect_rejections.ts";
import type { LawProgram } from "./law_program.ts";
import { connectStage, runStage, watchStage } from "./law_subject.ts";
import type { CheckedStage } from "./law_types.ts";
import { countListeners, type LawSubject, startOther } from "./law_other_run.ts";
import { virtualTime } from "./virtual_time.ts";
import type { VirtualTime } from "./virtual_time_types.ts";

/** What a program's run has shown. */
export interface LawRun {
  readonly chunks: unknown[];
  /** How many chunks had been read when each output chunk came. */
  readonly readsAt: number[];
  readonly state: "pending" | "fulfilled" | "rejected";
  /** What it was rejected with. */
  readonly reason: unknown;
  /** What both ends should have heard. */
  readonly stopReason: unknown;
  readonly reads: number;
  readonly cancels: unknown[];
  readonly aborts: unknown[];
  readonly closes: number;
  readonly timers: number;
  readonly listeners: number;
  readonly locks: string[];
  readonly unhandled: unknown[];
  /** What the stage did long after the end. */
  readonly late: string[];
}

const lateMs = 10_000;
const restMs = 1_000;
const { setTimeout: setRealTimeout } = globalThis;

async function rest(time: VirtualTime, io: boolean): Promise<void> {
  if (io) await new Promise((resolve) => setRealTimeout(resolve, 25));
  await time.advance(restMs);
}

/** Runs one program on virtual time, and says what both ends and the realm have seen. */
export async function runProgram(
  subject: LawSubject,
  program: LawProgram,
  prepared?: CheckedStage,
): Promise<LawRun> {
  const { way, give, then, stop, at = 0, reason, slow, before } = program;
  const { isFailing = false, isWatched = false } = program;
  const { io } = subject;
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = countListeners(signal);
  const make = () => isFailing ? subject.makeFailing!(reason) : subject.make({ signal });
  const same = prepared ?? (before === "same" ? make() : undefined);
  if (before === "same" && prepared === undefined) {
    await runProgram(subject, { way, give, then: "end" }, same);
  }
  const given = subject.chunks();
  const run = {
    chunks: [] as unknown[],
    readsAt: [] as number[],
    state: "pending" as LawRun["state"],
    reason: undefined as unknown,
    stopReason: reason,
    reads: 0,
    cancels: [] as unknown[],
    aborts: [] as unknown[],
    closes: 0,
    timers: 0,
    listeners: 0,
    locks: [] as string[],
    unhandled: [] as unknown[],
    late: [] as string[],
  };
  const rejections = collectRejections();
  const time = virtualTime();
  const hung = createDeferred<void>();
  const source = new ReadableStream<unknown>({
    async pull(controller) {
      noteActivity();
      if (slow === "source") { for (let turn = 0; turn < 30; turn++) await nextTurn(); }
      if (run.reads < give) return controller.enqueue(given[run.reads++]);
      if (then === "end") return controller.close();
      if (then === "fail") return controller.error(reason);
      await hung.promise;
    },
    cancel(reason) {
      noteActivity();
      run.cancels.push(reason);
    },
  }, { highWaterMark: 0 });
  const take = (chunk: unknown) => {
    noteActivity();
    run.chunks.push(chunk);
    run.readsAt.push(run.reads);
  };
  const sink = new WritableStream<unknown>({
    async write(chunk) {
      if (stop === "write fails" && run.chunks.length >= at) throw reason;
      if (stop === "write hangs" && run.chunks.length >= at) return await hung.promise;
      take(chunk);
      if (slow === "sink") { for (let turn = 0; turn < 10; turn++) await nextTurn(); }
    },
    close() {
      noteActivity();
      run.closes++;
    },
    abort(reason) {
      noteActivity();
      run.aborts.push(reason);
    },
  }, { highWaterMark: stop === "no demand" ? 0 : 1 });
  let isOver = false;
  const note = (call: string) => {
    noteActivity();
    if (isOver) run.late.push(call);
  };
  const other = before === "other" ? startOther(subject, program) : undefined;
  try {
    if (other !== undefined) await rest(time, io);
    const made = same ?? make();
    const stage = isWatched ? watchStage(made, note) : made;
    let work: Promise<unknown>;
    if (stop === "cancel") {
      const reader = connectStage(way, source, stage).getReader();
      readSome(reader, at, take);
      await rest(time, io);
      work = reader.cancel(reason);
    } else work = runStage(way, source, stage, sink, signal);
    const outcome = work.then(() => void (run.state = "fulfilled"), (error: unknown) => {
      run.state = "rejected";
      run.reason = error;
    });
    const isStill = stop === "abort" || stop === "write hangs" || stop === "no demand";
    if (isStill) {
      await rest(time, io);
      if (stop === "abort") {
        controller.abort(reason);
        run.stopReason = signal.reason;
      }
    }
    if (stop !== "write hangs" && stop !== "no demand") {
      await time.run(outcome, { io, limitMs: 1_000, maxTimers: 2_000 }).catch(() => {});
      if (other !== undefined) await other.stop();
      await time.advance(0);
      if (io) await rest(time, io);
    }
    const { state, reads } = run;
    run.timers = time.timers;
    run.listeners = listeners();
    if (source.locked) run.locks.push("source");
    if (sink.locked) run.locks.push("sink");
    if (state === "pending") {
      controller.abort(new Error("the program is over"));
      await time.advance(0);
    } else {
      isOver = true;
      await time.advance(lateMs);
      if (run.reads > reads) run.late.push("source read");
    }
    hung.resolve();
    await time.advance(0);
    run.unhandled.push(...rejections.take());
    return { ...run, state, reads };
  } finally {
    time.restore();
    rejections.close();
  }
}

/** Takes so many chunks if there are so many. */
function readSome(
  reader: ReadableStreamDefaultReader<unknown>,
  count: number,
  take: (chunk: unknown) => void,
): void {
  for (let taken = 0; taken < count; taken++) {
    reader.read().then(({ done, value }) => {
      if (!done) take(value);
    }).catch(() => {});
  }
}
