import { createDeferred } from "../deferred.ts";
import { noteActivity } from "./activity.ts";
import { type HeldOutcome, type HeldWatch, noteCall, runHeld } from "./held_run.ts";
import type { LawProgram } from "./law_program.ts";
import { connectStage, runStage, watchStage } from "./law_subject.ts";
import type { CheckedStage } from "./law_types.ts";
import { startOther } from "./other_run.ts";
import { waitTurns } from "./wait_turns.ts";

/** What programs are run with. */
export interface LawSubject {
  readonly make: (context: { readonly signal: AbortSignal }) => CheckedStage;
  readonly makeFailing: ((reason: unknown) => CheckedStage) | undefined;
  readonly chunks: () => readonly unknown[];
  readonly io: boolean;
}

/** What a program's run has shown. */
export interface LawRun extends HeldOutcome {
  readonly chunks: unknown[];
  /** How many chunks had been read when each output chunk came. */
  readonly readsAt: number[];
  readonly reads: number;
  readonly cancels: unknown[];
  readonly aborts: unknown[];
  readonly closes: number;
}

/** Runs one program on virtual time, and says what both ends and the realm have seen. */
export async function runProgram(
  subject: LawSubject,
  program: LawProgram,
  prepared?: CheckedStage,
): Promise<LawRun> {
  const { way, give, then, stop, at = 0, reason, slow, before } = program;
  const { isFailing = false, isWatched = false } = program;
  const controller = new AbortController();
  const { signal } = controller;
  const make = () => isFailing ? subject.makeFailing!(reason) : subject.make({ signal });
  const same = prepared ?? (before === "same" ? make() : undefined);
  if (before === "same" && prepared === undefined) {
    await runProgram(subject, { way, give, then: "end" }, same);
  }
  const given = subject.chunks();
  const run = {
    chunks: [] as unknown[],
    readsAt: [] as number[],
    reads: 0,
    cancels: [] as unknown[],
    aborts: [] as unknown[],
    closes: 0,
  };
  const hung = createDeferred<void>();
  const watch: HeldWatch = { isOver: false, late: [] };
  const source = new ReadableStream<unknown>({
    async pull(controller) {
      noteCall(watch, "source read");
      if (slow === "source") await waitTurns(30);
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
      if (slow === "sink") await waitTurns(10);
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
  return await runHeld({
    io: subject.io,
    controller,
    program,
    watch,
    startOther: before !== "other" ? undefined : () =>
      startOther(
        subject.chunks().slice(0, give),
        (source, signal) =>
          runStage(way, source, subject.make({ signal }), new WritableStream(), signal),
      ),
    async start(rest) {
      const made = same ?? make();
      const stage = isWatched ? watchStage(made, (call) => noteCall(watch, call)) : made;
      if (stop !== "cancel") return { work: runStage(way, source, stage, sink, signal) };
      const reader = connectStage(way, source, stage).getReader();
      readSome(reader, at, take);
      await rest();
      return { work: reader.cancel(reason) };
    },
    locks: () => [...(source.locked ? ["source"] : []), ...(sink.locked ? ["sink"] : [])],
    free: () => hung.resolve(),
  }, () => ({ ...run }));
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
