import * as library from "@hosepipe/streams";
import { buildStage, runHook } from "./build_stage.ts";
import type { Chain, Outcome, OutsideEnd, Stage, Strategy, Way } from "./chain.ts";
import { type Probe, probe } from "../../../src/inspect/mod.ts";
import { microtasks } from "../../lib/microtasks.ts";
import { libraryOf, standardOf } from "../../enumeration/implementations.ts";
import type { MakePair } from "../../enumeration/run_fuse.ts";
import { problemsOfCounts } from "../../lib/probing.ts";
import { Journal, oddValue } from "./journal.ts";

// deno-lint-ignore no-explicit-any -- parts of any kind, which stay what they are
type Any = any;
type Stages = Transformer<unknown, unknown>[];
type StageController = TransformStreamDefaultController<unknown>;

/** How stages become one pair of streams. */
const makePairs: Readonly<Record<"fused" | "native" | "composed", MakePair>> = {
  fused: libraryOf(library).makePair,
  native: standardOf(globalThis).makePair,
  composed: (stages, ...strategies) => new TransformStream(library.compose(stages), ...strategies),
};

/** The same chain with everything as it is but the time that its ends take. */
export interface Jitter {
  readonly source?: number;
  readonly sink?: number;
  /** What comes from outside, and how the sink starts; below 0: sooner. */
  readonly outside?: number;
  /** The stages' cancels; below 0: less. */
  readonly cancel?: number;
}

function strategyOf({ highWaterMark, size }: Strategy): QueuingStrategy<unknown> {
  let calls = 0;
  return {
    ...(highWaterMark === undefined ? {} : { highWaterMark: Number(highWaterMark) }),
    ...(size === undefined ? {} : { size: () => calls++ % 2 === 0 ? size : 1 }),
  };
}

/** Resolves after a turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The standard's `ReadableStream.from`; that of Node 26 awaits what an asynchronous iterator gives. */
function streamFrom(
  iterable: Iterable<unknown> | AsyncIterable<unknown>,
  isSync: boolean,
): ReadableStream<unknown> {
  if (isSync) return ReadableStream.from(iterable);
  const iterator = (iterable as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: (controller) =>
      iterator.next().then(({ done, value }) => {
        if (done) controller.close();
        else controller.enqueue(value);
      }),
    cancel: (reason) => iterator.return!(reason).then(() => {}),
  }, { highWaterMark: 0 });
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** One run of one chain, natively or by the library. */
class Run {
  readonly #chain: Chain;
  readonly #journal: Journal;
  readonly #jitter: Jitter;
  readonly #probe: Probe | undefined;
  readonly #chunks: string[] = [];
  readonly #controllers: StageController[] = [];
  readonly #signal = new AbortController();
  readonly #writer: string[] = [];
  #given = 0;
  #result = "hung";
  #outsideEnds = 0;
  #source = "";
  #sink = "";
  #hasSourceEnded = false;
  #stopSource: (reason: unknown) => void = () => {};
  #stopSink: (reason: unknown) => void = () => {};
  #isSourceLocked = () => false;
  #isSinkLocked = () => false;

  constructor(
    chain: Chain,
    jitter: Jitter,
    look?: Probe,
  ) {
    this.#chain = chain;
    this.#probe = look;
    this.#jitter = jitter;
    this.#journal = new Journal(chain.stages.length);
    for (const end of chain.ends) {
      const what = end.seen === "stage" ? `stage ${end.stage}` : end.seen;
      this.#journal.when(what, end.count, () => {
        void microtasks(this.#moved(end).delay).then(() => this.#endFromOutside(end));
      });
    }
  }

  #endFromOutside({ what, stage, kind }: OutsideEnd): void {
    this.#outsideEnds++;
    this.#journal.touch();
    const reason = this.#journal.reason("outside", kind);
    try {
      if (what === "source") this.#stopSource(reason);
      else if (what === "sink") this.#stopSink(reason);
      else if (what === "signal") {
        this.#signal.abort(this.#journal.name("signal", new Error("signal")));
      } else if (what === "error") this.#controllers[stage]?.error(reason);
      else this.#controllers[stage]?.terminate();
    } catch {
      // It has ended before; a controller says so.
    }
  }

  /** What ends the chain from outside, or as its sink starts, a little sooner or later. */
  #moved<End extends { readonly delay: number }>(end: End, steps = this.#jitter.outside ?? 0): End {
    return { ...end, delay: Math.max(0, end.delay + steps) };
  }

  #withJitter(stage: Stage): Stage {
    const { cancel } = stage;
    if (cancel === undefined) return stage;
    return { ...stage, cancel: this.#moved(cancel, this.#jitter.cancel ?? 0) };
  }

  #stages(): Stages {
    const outside = new Set(
      this.#chain.ends.filter(({ what }) => what === "error" || what === "terminate")
        .map(({ stage }) => stage),
    );
    return this.#chain.stages.map((stage, index) => {
      const built = buildStage(
        this.#withJitter(stage),
        index,
        this.#journal,
        outside.has(index)
          ? (controller) => void (this.#controllers[index] = controller)
          : undefined,
      );
      return this.#probe?.transformer(built) ?? built;
    });
  }

  #chunk(index: number): unknown {
    const { hasTraps, odd, shape } = this.#chain.source;
    if (shape === "bytes") return new Uint8Array([index, index + 1]);
    if (odd > 0 && index % odd === odd - 1) {
      return oddValue(this.#journal, index * 7 + odd, hasTraps);
    }
    return index % 3 === 2 ? `c${index}\nd` : `c${index}`;
  }

  /** The next chunk, or how the source ends. */
  #next(): { chunk: unknown } | "close" | "error" | "never" {
    const { count, ending, shape } = this.#chain.source;
    if (this.#given < count) {
      this.#journal.see("source");
      return { chunk: this.#chunk(this.#given++) };
    }
    // A synchronous iterable cannot wait.
    const isOver = ending !== "never" || shape === "sync";
    if (isOver) this.#hasSourceEnded = true;
    return isOver && ending === "never" ? "close" : ending;
  }

  #sourceReason(): unknown {
    return this.#journal.reason("source", this.#chain.source.kind);
  }

  #cancelSource(label: string): void | Promise<void> {
    this.#source += this.#source === "" ? label : ` again ${label}`;
    const { cancel, shape } = this.#chain.source;
    // A synchronous iterator's return cannot be waited for.
    return cancel &&
      runHook(shape === "sync" ? { ...cancel, delay: 0 } : cancel, "cancel source", this.#journal);
  }

  get #sourceDelay(): number {
    return this.#chain.source.delay + (this.#jitter.source ?? 0);
  }

  #openStream(): ReadableStream<unknown> {
    const { source } = this.#chain;
    type Controller = ReadableStreamDefaultController<unknown>;
    const fill = (controller: Controller, atMost: number): void => {
      for (let i = 0; i < atMost; i++) {
        const next = this.#next();
        if (typeof next === "object") controller.enqueue(next.chunk);
        else {
          if (next === "close") controller.close();
          else if (next === "error") controller.error(this.#sourceReason());
          return;
        }
      }
    };
    let isCancelled = false;
    const start = (controller: Controller) => {
      this.#stopSource = (reason) => {
        // A closed stream cannot fail any more.
        if (!this.#hasSourceEnded) controller.error(reason);
        this.#hasSourceEnded = true;
      };
      if (source.shape === "start") fill(controller, Infinity);
    };
    const pull = (controller: Controller): void | Promise<void> => {
      this.#journal.touch();
      const act = () => {
        if (!isCancelled && !this.#hasSourceEnded) fill(controller, Math.max(1, source.burst));
      };
      const delay = this.#sourceDelay;
      if (source.count <= this.#given && source.ending === "never") return new Promise(() => {});
      return delay === 0 ? act() : microtasks(delay).then(act);
    };
    const cancel = (reason: unknown) => {
      this.#journal.touch();
      isCancelled = true;
      return this.#cancelSource(`cancel ${this.#journal.text(reason)}`);
    };
    const strategy = strategyOf(source.strategy);
    const isBytes = source.shape === "bytes";
    const underlying = {
      start,
      ...(source.shape === "start" ? {} : { pull }),
      cancel,
      ...(isBytes ? { type: "bytes" } : {}),
    };
    const stream = new ReadableStream(
      (this.#probe?.reader(underlying as Any) ?? underlying) as UnderlyingDefaultSource<unknown>,
      strategy,
    );
    const used = source.shape === "tee" ? stream.tee()[0] : stream;
    this.#isSourceLocked = () => used.locked;
    return used;
  }

  #openIterable(): Iterable<unknown> | AsyncIterable<unknown> {
    const iterable = this.#makeIterable();
    return this.#probe?.reader(iterable as Any) as Any ?? iterable;
  }

  #makeIterable(): Iterable<unknown> | AsyncIterable<unknown> {
    const { shape } = this.#chain.source;
    const step = () => {
      const next = this.#next();
      if (typeof next === "object") return { done: false, value: next.chunk };
      if (next === "error") throw this.#sourceReason();
      return { done: true, value: undefined };
    };
    const end = () => {
      this.#journal.touch();
      return this.#cancelSource("return");
    };
    if (shape === "sync") {
      return {
        [Symbol.iterator]: () => ({
          next: step,
          return() {
            void end();
            return { done: true, value: undefined };
          },
        } as Iterator<unknown>),
      };
    }
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          if (this.#given >= this.#chain.source.count && this.#chain.source.ending === "never") {
            return new Promise(() => {});
          }
          return microtasks(this.#sourceDelay).then(step);
        },
        async return() {
          await end();
          return { done: true, value: undefined };
        },
      } as AsyncIterator<unknown>),
    };
  }

  get #isIterable(): boolean {
    const { shape } = this.#chain.source;
    return shape === "sync" || shape === "async";
  }

  #openNativeSource(): ReadableStream<unknown> {
    if (!this.#isIterable) return this.#openStream();
    const stream = streamFrom(this.#openIterable(), this.#chain.source.shape === "sync");
    this.#isSourceLocked = () => stream.locked;
    return stream;
  }

  /** Puts those stages in native streams that are to be pairs. */
  #withPairs(stages: Stages): unknown[] {
    return stages.map((stage, index) =>
      this.#chain.stages[index]!.isPair ? new TransformStream(stage) : stage
    );
  }

  async #write(writable: WritableStream<unknown>): Promise<void> {
    const { source } = this.#chain;
    const journal = this.#journal;
    const writer = writable.getWriter();
    const note = (index: number, promise: Promise<unknown>, what: string) => {
      this.#writer[index] = `${what} pending`;
      promise.then(
        () => void (journal.touch(), this.#writer[index] = `${what} done`),
        (reason) =>
          void (journal.touch(), this.#writer[index] = `${what} failed ${journal.text(reason)}`),
      );
    };
    note(0, writer.closed, "closed");
    this.#stopSource = (reason) => {
      if (!this.#hasSourceEnded) note(1, writer.abort(reason), "abort");
      this.#hasSourceEnded = true;
    };
    try {
      for (let i = 0; !this.#hasSourceEnded && i < source.count; i++) {
        if (source.burst === 0) await writer.ready;
        if (this.#hasSourceEnded) return;
        journal.see("source");
        const written = writer.write(this.#chunk(i));
        note(2 + i, written, "write");
        if (source.burst === 1) await written;
        await microtasks(this.#sourceDelay);
      }
    } catch {
      // The promise that failed has been noted.
    }
    if (this.#hasSourceEnded || source.ending === "never") return;
    this.#hasSourceEnded = true;
    if (source.ending === "error") note(1, writer.abort(this.#sourceReason()), "abort");
    else note(1, writer.close(), "close");
  }

  /** Takes a chunk as the sink's function or `write`. */
  #take(chunk: unknown): void | Promise<void> {
    const { endsAt, kind, reads, shape } = this.#chain.sink;
    const journal = this.#journal;
    // With several writes in flight, one begins while another is about to fail.
    const mayOverlap = shape === "writer" && reads > 1;
    if (this.#sink !== "" && !mayOverlap) {
      journal.faults.push("the sink was written to after its end");
    }
    if (this.#chunks.length === endsAt) {
      this.#sink = "failed";
      const act = () => {
        throw journal.reason("sink", kind);
      };
      return this.#sinkDelay === 0 ? act() : microtasks(this.#sinkDelay).then(act);
    }
    this.#chunks.push(journal.text(chunk));
    journal.see("sink");
    if (this.#sinkDelay > 0) return microtasks(this.#sinkDelay).then(() => journal.touch());
  }

  get #sinkDelay(): number {
    return this.#chain.sink.delay + (this.#jitter.sink ?? 0);
  }

  #openSink(): WritableStream<unknown> {
    const { shape, start, strategy } = this.#chain.sink;
    if (shape === "function") {
      const sink = this.#makeSink({ write: (chunk) => this.#take(chunk) });
      this.#isSinkLocked = () => false;
      return sink;
    }
    if (shape === "writer") return this.#openWriter();
    let controller: WritableStreamDefaultController;
    const ending = {
      enqueue() {},
      terminate() {},
      error: (reason?: unknown) => controller.error(reason),
    };
    const sink = this.#makeSink({
      start: (given) => {
        controller = given;
        this.#stopSink = (reason) => given.error(reason);
        return start && runHook(this.#moved(start), "start sink", this.#journal, ending);
      },
      write: (chunk) => this.#take(chunk),
      ...this.#endsOfSink(ending),
    }, strategyOf(strategy));
    this.#isSinkLocked = () => sink.locked;
    return sink;
  }

  #endsOfSink(ending?: Parameters<typeof runHook>[3]) {
    const { close, abort } = this.#chain.sink;
    const journal = this.#journal;
    return {
      close: () => {
        this.#sink += "close";
        journal.touch();
        return close && runHook(close, "close sink", journal, ending);
      },
      abort: (reason: unknown) => {
        this.#sink += `abort ${journal.text(reason)}`;
        journal.touch();
        return abort && runHook(abort, "abort sink", journal, ending);
      },
    };
  }

  #makeSink(
    sink: UnderlyingSink<unknown>,
    strategy?: QueuingStrategy<unknown>,
  ): WritableStream<unknown> {
    return new WritableStream(this.#probe?.writer(sink as Any) as Any ?? sink, strategy);
  }

  #openWriter(): WritableStream<unknown> {
    const { reads, strategy } = this.#chain.sink;
    const given = { write: (chunk: unknown) => this.#take(chunk), ...this.#endsOfSink() };
    const { write, close, abort } = (this.#probe?.writer(given as Any) ?? given) as typeof given;
    const sink = library.writer(write, {
      concurrency: reads,
      ...strategyOf(strategy),
      close,
      abort,
    });
    this.#isSinkLocked = () => sink.locked;
    return sink;
  }

  /** Reads with so many reads outstanding, and cancels after so many chunks. */
  async #read(readable: ReadableStream<unknown>): Promise<void> {
    const { sink: { reads, endsAt, kind } } = this.#chain;
    const journal = this.#journal;
    const reader = readable.getReader();
    this.#isSinkLocked = () => false;
    let isOver = false;
    const cancel = (reason: unknown) => {
      if (isOver) return;
      isOver = true;
      this.#result = "cancelled";
      return reader.cancel(reason).then(
        () => void (this.#sink = "cancelling done"),
        (reason) => void (this.#sink = `cancelling failed ${journal.text(reason)}`),
      );
    };
    this.#stopSink = (reason) => void cancel(reason);
    if (endsAt === 0) return cancel(journal.reason("sink", kind));
    const readOn = async () => {
      while (!isOver) {
        let result: ReadableStreamReadResult<unknown>;
        try {
          result = await reader.read();
        } catch (reason) {
          journal.touch();
          if (isOver) return;
          isOver = true;
          this.#result = `failed ${journal.text(reason)}`;
          return;
        }
        journal.touch();
        if (isOver) return;
        if (result.done) {
          isOver = true;
          this.#result = "closed";
          return;
        }
        this.#chunks.push(journal.text(result.value));
        journal.see("sink");
        if (this.#chunks.length === endsAt) return await cancel(journal.reason("sink", kind));
        await microtasks(this.#sinkDelay);
      }
    };
    await Promise.all(Array.from({ length: reads }, readOn));
  }

  #miscounts(): readonly string[] {
    const { source, sink } = this.#chain;
    // Of a source's halves, one is not looked at; what never ran has not ended.
    if (!/^(closed|failed|cancelled)/.test(this.#result) || source.shape === "tee") return [];
    return this.#probe === undefined
      ? []
      : problemsOfCounts(this.#probe, sink.shape === "reads" ? 0 : this.#chunks.length);
  }

  #start(way: Way | "native" | "composed"): Promise<unknown> {
    const { source, sink, ends } = this.#chain;
    const stages = this.#stages();
    const signal = ends.some(({ what }) => what === "signal") ? this.#signal.signal : undefined;
    if (way === "run") {
      const look = this.#probe;
      const take = (chunk: unknown) => this.#take(chunk);
      const opened = sink.shape === "function" ? look?.writer(take) ?? take : this.#openSink();
      // The stream's own source is wrapped already.
      const open = () => look ? probe().reader(this.#openStream()) : this.#openStream();
      const from = this.#isIterable ? this.#openIterable() : open();
      return library.pipeline(
        from as Iterable<unknown>,
        ...this.#withPairs(stages) as [Stages[0]],
        opened,
        signal ? { signal } : {},
      );
    }
    const isByHand = source.shape === "writes";
    const { writableStrategy, readableStrategy } = this.#chain;
    const pair = makePairs[way](stages, strategyOf(writableStrategy), strategyOf(readableStrategy));
    if (isByHand) void this.#write(pair.writable);
    // For `fused` the signal ends the pipe into the pair, for `run` the one out of it.
    const isRun = sink.shape === "function" || this.#isPiped;
    const into = isByHand
      ? pair.readable
      : this.#openNativeSource().pipeThrough(pair, isRun ? {} : { signal });
    if (sink.shape === "reads") return this.#read(into);
    return into.pipeTo(this.#openSink(), isRun ? { signal } : {});
  }

  /** Whether native stands for `pipeline`. */
  #isPiped = false;

  async run(way: Way | "native" | "composed", asRun: boolean): Promise<Outcome> {
    this.#isPiped = asRun;
    const journal = this.#journal;
    let isDone = false;
    try {
      const end = (result: string) => {
        isDone = true;
        journal.touch();
        if (this.#chain.sink.shape !== "reads") this.#result = result;
      };
      this.#start(way).then(
        () => end("closed"),
        (reason) => end(`failed ${journal.text(reason)}`),
      );
    } catch (reason) {
      isDone = true;
      this.#result = `threw ${journal.text(reason)}`;
    }
    // Everything waits for microtasks alone, so that where a few turns bring nothing, nothing comes; but what gives many
    // chunks through a dictionary of its own looks for room now and then.
    let quiet = 0;
    let progress = -1;
    const mayPoll = this.#chain.stages.some(({ isPair, operator, shape }) =>
      way === "composed" || operator === "compose" || operator === "stage" ||
      (operator.startsWith("flatMap") && shape > 0 && (isPair || way === "native"))
    );
    while (quiet < (isDone ? 1 : mayPoll ? 12 : 3)) {
      await (quiet < 3 ? turn() : pause(quiet));
      quiet = progress === journal.progress ? quiet + 1 : 0;
      progress = journal.progress;
    }
    return {
      chunks: this.#chunks,
      result: this.#result,
      source: this.#source,
      sink: this.#sink,
      writer: this.#writer,
      hooks: journal.hooks,
      outsideEnds: this.#outsideEnds,
      hasSourceEnded: this.#hasSourceEnded,
      isSourceLocked: isDone && this.#isSourceLocked(),
      isSinkLocked: isDone && this.#isSinkLocked(),
      openIterators: journal.openIterators,
      faults: journal.faults,
      order: journal.order,
      miscounts: this.#miscounts(),
    };
  }
}

/**
 * Runs a chain once and tells what came of it. `native` is the chain of native streams that stands for the way; its
 * operators are the library's dictionaries.
 */
export function runChain(
  chain: Chain,
  way: Way,
  isNative: boolean,
  jitter: Jitter = {},
  look?: Probe,
): Promise<Outcome> {
  return new Run(chain, jitter, look).run(isNative ? "native" : way, way === "run");
}

/** Runs a chain once as one native stream of a composition of its stages. */
export function runComposed(chain: Chain): Promise<Outcome> {
  return new Run(chain, {}).run("composed", false);
}
