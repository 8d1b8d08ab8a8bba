import { createDeferred } from "../deferred.ts";
import { throwTypeError } from "../errors.ts";
import { fuse } from "../fuse/fuse.ts";
import { generatorTag } from "../generator_tag.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { reader } from "../sources/reader.ts";
import { noteActivity } from "./activity.ts";
import {
  type HeldOutcome,
  type HeldProgram,
  type HeldWatch,
  noteCall,
  runHeld,
  waitTurns,
} from "./held_run.ts";
import type { CheckedStage } from "./law_types.ts";
import { startOther } from "./other_run.ts";
import { printChunk } from "./print_chunk.ts";
import { watchMembers } from "./watch_members.ts";
import type { Transformer } from "../web_types.ts";

/** How the stage stands between source and sink. */
export type LawWay = "native" | "fuse" | "pipeline";

/** One run of a stage. */
export interface LawProgram extends
  HeldProgram<
    LawWay,
    "cancel" | "abort" | "write fails" | "write hangs" | "no demand",
    "source" | "sink"
  > {
  /** A run before this one: of the same stage to its end, or of another that stands still meanwhile. */
  readonly before?: "same" | "other";
  /** Whether it is noted what the stage's methods do. */
  readonly isWatched?: boolean;
}

/** A program in words, as a report has it. */
export function describeProgram(program: LawProgram): string {
  const { way, give, then, stop, at = 0, reason, slow, before, isFailing } = program;
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  const why = "reason" in program ? ` with ${printChunk(reason)}` : "";
  return [
    way,
    before === "same" && "the same stage again",
    before === "other" && "while another run stands still",
    isFailing && `the stage throws${why}`,
    `the ${slow === "source" ? "slow " : ""}source gives ${chunks}, then ${then}s${
      then === "fail" ? why : ""
    }`,
    slow === "sink" && "the sink is slow",
    stop && `${stop}${stop === "no demand" ? "" : ` after ${at} output${why}`}`,
  ].filter(Boolean).join(", ");
}

// deno-lint-ignore no-explicit-any -- stages of any chunks
type Any = any;

/** What a stage can be. */
export type StageKind = "dictionary" | "pair" | "generator" | "function";

/** What a stage is; throws if it is none. */
export function kindOf(stage: CheckedStage): StageKind {
  if (typeof stage === "function") {
    return generatorTag(stage) === "AsyncGeneratorFunction" ? "generator" : "function";
  }
  if (stage === null || typeof stage !== "object") {
    throwTypeError("check stage", "stage", "a transformer, a pair or a function", stage);
  }
  return "readable" in stage && "writable" in stage ? "pair" : "dictionary";
}

/** The stream after the stage. */
function connectStage(
  way: LawWay,
  source: ReadableStream<unknown>,
  stage: CheckedStage,
): ReadableStream<unknown> {
  const kind = kindOf(stage);
  if (kind === "function") {
    const after = (stage as Any)(source);
    return after instanceof ReadableStream ? after : reader(after) as ReadableStream<unknown>;
  }
  if (way === "fuse") return source.pipeThrough((fuse as Any)(stage));
  return source.pipeThrough(
    kind === "pair" ? stage as Any : new TransformStream(stage as Transformer),
  );
}

/** Runs the stage between both ends to the end. */
function runStage(
  way: LawWay,
  source: ReadableStream<unknown>,
  stage: CheckedStage,
  sink: WritableStream<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  if (way !== "pipeline") return connectStage(way, source, stage).pipeTo(sink, { signal });
  return kindOf(stage) === "function"
    ? (pipeline as Any)((stage as Any)(source), sink, { signal })
    : (pipeline as Any)(source, stage, sink, { signal });
}

/** Where the methods of a transformer have their controller. */
const controllerPlaces = { start: 0, transform: 1, flush: 0, cancel: -1 };

/** The stage with an eye on what its methods do with their controller. */
function watchStage(stage: CheckedStage, note: (call: string) => void): CheckedStage {
  return kindOf(stage) === "dictionary" ? watchMembers(stage, controllerPlaces, note) : stage;
}

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
