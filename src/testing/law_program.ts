import { createDeferred } from "../deferred.ts";
import { nextTurn, noteActivity } from "./activity.ts";
import {
  type HeldOutcome,
  type HeldWatch,
  lateProblem,
  leakProblem,
  noteCall,
  runHeld,
  unhandledProblem,
  waitTurns,
} from "./held_run.ts";
import type { MadeFrom, WatchedReads, WatchedWrites } from "./law_types.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";

/** What ends fail with: `undefined` is a reason, too. */
const reasons = [new Error("on purpose"), undefined];
export const [reason] = reasons;

/** How what is under test stands between its two ends. */
export type LawWay =
  | "native"
  | "fuse"
  | "pipeline"
  | "getReader"
  | "for await"
  | "pipeTo"
  | "tee"
  | "BYOB"
  | "writer";

/** One run of what is under test, as small as it can be to show what a law is about. */
export interface LawProgram {
  readonly way: LawWay;
  /** How many chunks the source gives, and what it does then. */
  readonly give: number;
  readonly then: "end" | "stall" | "fail";
  /** What is done when nothing moves any more, or after `at` chunks. */
  readonly stop?:
    | "abort"
    | "cancel"
    | "cancel with a pending read"
    | "close fails"
    | "no demand"
    | "stop reading"
    | "write fails"
    | "write hangs";
  readonly at?: number;
  /** What the source fails with, or what the stop gives. */
  readonly reason?: unknown;
  readonly slow?: "source" | "sink";
  /** Whether what is under test is one that fails with `reason` by itself. */
  readonly isFailing?: boolean;
  /** Whether all is read or written at once. */
  readonly isEager?: boolean;
  /** Whether it is noted what a stage's methods do. */
  readonly isWatched?: boolean;
  /** A run before this one: of the same to its end, or of another that stands still meanwhile. */
  readonly before?: "same" | "other";
}

/**
 * A program in the ways that it names, or in all that read or write chunk by chunk. By default all chunks are given, and
 * then the end, or none where something stops the run.
 */
export type LawRest = Partial<Omit<LawProgram, "way">> & { readonly ways?: readonly LawWay[] };

/** The programs in which all is well, with few chunks and with all. */
export const wholes: readonly LawRest[] = [{ give: 0 }, { give: 1 }, { give: 2 }, { give: 3 }, {}];

/** Programs with each of the reasons. */
export const forReasons = (...rests: readonly LawRest[]): LawRest[] =>
  reasons.flatMap((reason) => rests.map((rest) => ({ ...rest, reason })));

/** What laws know of what is under test. */
export interface LawKnowledge {
  /** What it is of the kinds that there are. */
  readonly kind: string;
  readonly ways: readonly LawWay[];
  readonly count: number;
  /** Whether it stands on what the laws watch; otherwise a source's own chunks are neither fewer nor late. */
  readonly isWatched: boolean;
  /** What comes out of the first so many chunks; `undefined` if that is not known. */
  readonly expected: (count: number) => readonly unknown[] | undefined;
  readonly isSame: (actual: readonly unknown[], expected: readonly unknown[]) => boolean;
  /** The most chunks that may be read for this many output chunks. */
  readonly mostReads: (outputs: number, way: LawWay) => number;
}

type FindProblem = (
  run: LawRun,
  program: LawProgram,
  knowledge: LawKnowledge,
) => string | undefined;

/** A law: programs, small ones first, and what is wrong with the run of one. */
export interface Law {
  readonly programs: readonly LawRest[];
  readonly problem: FindProblem;
  /** What is wrong where what is under test may have ended by itself before what the law is about. */
  readonly problemAfterEnd?: FindProblem;
}

/** Tells unless chunks are those that are wanted, if these are known. */
export function chunksProblem(
  did: string,
  chunks: readonly unknown[],
  wanted: readonly unknown[] | undefined,
  { isSame }: LawKnowledge,
): string | undefined {
  if (wanted === undefined || isSame(chunks, wanted)) return;
  return `it ${did} ${drawBuffer(chunks)}, not ${drawBuffer(wanted)}`;
}

/** Tells unless what has ended well did what is expected with its chunks. */
export const outputProblem =
  (did: string): FindProblem => ({ state, chunks }, { give }, knowledge) =>
    state === "fulfilled"
      ? chunksProblem(did, chunks, knowledge.expected(give), knowledge)
      : undefined;

/** The laws of what every run leaves behind, however it ends. */
export const lastLaws = (programs: Law["programs"]): Readonly<Record<string, Law>> => ({
  leaks: { programs, problem: leakProblem },
  unhandled: { programs, problem: unhandledProblem },
  idleAfterEnd: { programs, problem: lateProblem },
});

/** What programs are run with. */
export interface LawSubject {
  // deno-lint-ignore no-explicit-any -- a source, a stage or a sink, of what it may stand on
  readonly make: (context: any) => any;
  // deno-lint-ignore no-explicit-any -- the same
  readonly makeFailing: ((reason: unknown, context: any) => any) | undefined;
  readonly written?:
    // deno-lint-ignore no-explicit-any -- a sink
    | ((made: any) => readonly unknown[] | PromiseLike<readonly unknown[]>)
    | undefined;
  readonly chunks: () => readonly unknown[];
  readonly io: boolean;
  /** Whether it has taken what it may stand on. */
  isWatched: boolean;
}

/** A run that begins. */
export interface LawStart {
  // deno-lint-ignore no-explicit-any -- a source, a stage or a sink
  readonly made: any;
  readonly subject: LawSubject;
  readonly program: LawProgram;
  readonly ends: LawEnds;
  readonly signal: AbortSignal;
  /** Waits until nothing moves. */
  readonly rest: () => Promise<void>;
}

/** What kind of thing is under test, and how a run of it begins. */
export interface LawRunner {
  readonly noun: "source" | "stage" | "sink";
  /** What its ends are called. */
  readonly names: { readonly source: string; readonly sink: string };
  /** Of the ends, what it is made from. */
  readonly below?: "reads" | "writes";
  readonly start: (start: LawStart) => Promise<{ readonly work: Promise<unknown> }>;
}

/** What a program's run has shown. */
export type LawRun = HeldOutcome & LawEnds["noted"];

/** The source over what is read. */
export const sourceOver = (reads: WatchedReads, type?: "bytes") => ({
  type,
  async pull(controller: ReadableStreamDefaultController | ReadableByteStreamController) {
    const { done, value } = await reads.read();
    if (!done) return controller.enqueue(value as never);
    controller.close();
    if ("byobRequest" in controller) controller.byobRequest?.respond(0);
  },
  cancel: (reason: unknown) => reads.cancel(reason),
});

const copy = (chunk: unknown) => chunk instanceof Uint8Array ? chunk.slice() : chunk;

/** Both ends of a run, which do what its program says, and what was noted there. */
export class LawEnds {
  readonly noted = {
    /** What has arrived, and of a tee in its other branch. */
    chunks: [] as readonly unknown[],
    branch: [] as unknown[],
    /** How many chunks had been read when each arrived, and in all. */
    readsAt: [] as number[],
    reads: 0,
    cancels: [] as unknown[],
    aborts: [] as unknown[],
    closes: 0,
    /** How many writes a sink has called done. */
    accepted: 0,
    /** How many writes had begun when one of them failed, and in all. */
    begunAtFailure: undefined as number | undefined,
    begun: 0,
    /** What was asked of a sink while it was busy. */
    overlap: undefined as string | undefined,
  };
  readonly watch: HeldWatch = { isOver: false, late: [] };
  /** The streams that must not stay locked. */
  readonly streams: { source?: { readonly locked: boolean }; sink?: { readonly locked: boolean } } =
    {};
  readonly reads: WatchedReads;
  readonly writes: WatchedWrites;
  readonly #program: LawProgram;
  readonly #stalled = createDeferred<void>();
  readonly #hung = createDeferred<void>();

  constructor(program: LawProgram, given: readonly unknown[], names: LawRunner["names"]) {
    this.#program = program;
    this.reads = this.#watchReads(given, names.source);
    this.writes = this.#watchWrites(names.sink);
  }

  /** Notes a call of what is under test. */
  readonly note = (call: string): void => noteCall(this.watch, call);

  /** Lets go what hangs. */
  free(): void {
    this.#stalled.resolve();
    this.#hung.resolve();
  }

  openSource(): ReadableStream {
    const source = new ReadableStream(sourceOver(this.reads) as UnderlyingDefaultSource, {
      highWaterMark: 0,
    });
    this.streams.source = source;
    return source;
  }

  openSink(): WritableStream {
    const highWaterMark = this.#program.stop === "no demand" ? 0 : 1;
    const sink = new WritableStream(this.writes, { highWaterMark });
    this.streams.sink = sink;
    return sink;
  }

  #watchReads(given: readonly unknown[], name: string): WatchedReads {
    const { give, then, reason, slow } = this.#program;
    const { noted } = this;
    const done = { done: true, value: undefined } as const;
    let isDone = false;
    return {
      read: async () => {
        this.note(`a read of the ${name}`);
        if (slow === "source" && !isDone) await waitTurns(30);
        if (isDone) return done;
        if (noted.reads < give) return { done: false, value: copy(given[noted.reads++]) };
        if (then === "fail") throw reason;
        if (then === "stall") await this.#stalled.promise;
        return done;
      },
      cancel: (reason) => {
        noteActivity();
        noted.cancels.push(reason);
        isDone = true;
        this.#stalled.resolve();
        return Promise.resolve();
      },
    };
  }

  #watchWrites(name: string): WatchedWrites {
    const { stop, at = 0, reason, slow } = this.#program;
    const { noted } = this;
    const chunks: unknown[] = noted.chunks = [];
    let isBusy = false;
    const begin = (call: string) => {
      this.note(`a ${call} of the ${name}`);
      if (isBusy) noted.overlap ??= `${call} was called before a write had settled`;
    };
    return {
      write: async (chunk) => {
        begin("write");
        const isLast = noted.begun++ >= at;
        isBusy = true;
        try {
          if (stop === "write fails" && isLast) {
            noted.begunAtFailure ??= noted.begun;
            throw reason;
          }
          if ((stop === "write hangs" || stop === "stop reading") && isLast) {
            return await this.#hung.promise;
          }
          chunks.push(chunk);
          noted.readsAt.push(noted.reads);
          if (slow === "sink") await waitTurns(10);
        } finally {
          isBusy = false;
        }
      },
      close: async () => {
        begin("close");
        noted.closes++;
        if (slow === "sink") await waitTurns(10);
        if (stop === "close fails") throw reason;
      },
      abort: (reason) => {
        noteActivity();
        noted.aborts.push(reason);
        return Promise.resolve();
      },
    };
  }
}

/** What something is made from in a run. */
function contextOf(
  { below }: LawRunner,
  subject: LawSubject,
  ends: LawEnds,
  signal: AbortSignal,
): { readonly signal: AbortSignal } | MadeFrom<unknown> {
  if (below === undefined) return { signal };
  return {
    signal,
    get underlying() {
      subject.isWatched = true;
      return ends[below];
    },
  };
}

/** Runs one program on virtual time, and says what both ends and the realm have seen; `same` is what was made before. */
export async function runProgram(
  runner: LawRunner,
  subject: LawSubject,
  program: LawProgram,
  same?: unknown,
): Promise<LawRun> {
  const { give, reason, before, isFailing } = program;
  const controller = new AbortController();
  const { signal } = controller;
  const ends = new LawEnds(program, subject.chunks(), runner.names);
  const make = () => {
    const context = contextOf(runner, subject, ends, signal);
    return isFailing ? subject.makeFailing!(reason, context) : subject.make(context);
  };
  if (before === "same") {
    same = make();
    await runProgram(runner, subject, { way: program.way, give, then: "end" }, same);
  }
  return await runHeld({
    io: subject.io,
    controller,
    program,
    watch: ends.watch,
    async start(rest) {
      const stopOther = before === "other" ? await startOther(runner, subject, give) : undefined;
      if (stopOther !== undefined) await rest();
      const made = same ?? make();
      const { work } = await runner.start({ made, subject, program, ends, signal, rest });
      return { work: work.finally(stopOther) };
    },
    locks: () =>
      Object.entries(ends.streams).filter(([, { locked }]) => locked).map(([name]) => name),
    free: () => ends.free(),
  }, () => ({ ...ends.noted }));
}

/** Starts another run, which stands still after a chunk, and gives what stops it. */
async function startOther(
  runner: LawRunner,
  subject: LawSubject,
  give: number,
): Promise<() => Promise<unknown>> {
  const program = { way: "pipeline", give, then: "stall", stop: "stop reading", at: 1 } as const;
  const controller = new AbortController();
  const { signal } = controller;
  const ends = new LawEnds(program, subject.chunks(), runner.names);
  const made = subject.make(contextOf(runner, subject, ends, signal));
  const rest = () => Promise.resolve();
  const { work } = await runner.start({ made, subject, program, ends, signal, rest });
  const ended = work.catch(() => {});
  return () => {
    controller.abort(new Error("the other run is over"));
    ends.free();
    return Promise.race([ended, nextTurn()]);
  };
}

/** A program in words, as a report has it; what gives chunks is left out where it is not seen. */
export function describeProgram(
  program: LawProgram,
  { noun, names }: LawRunner,
  isWatched: boolean,
): string {
  const { way, give, then, stop, at = 0, slow, before, isFailing, isEager } = program;
  const why = "reason" in program ? ` with ${printChunk(program.reason)}` : "";
  const chunks = give === 1 ? "1 chunk" : `${give} chunks`;
  return [
    way,
    before === "same" && `the same ${noun} again`,
    before === "other" && "while another run stands still",
    isFailing && `the ${noun} fails${why}`,
    isWatched && `the ${names.source} gives ${chunks}, then ${then}s${then === "fail" ? why : ""}`,
    slow && `the ${names[slow]} is slow`,
    isEager && "all at once",
    stop && (stop === "no demand" ? stop : `${stop} after ${at}${why}`),
  ].filter(Boolean).join(", ");
}
