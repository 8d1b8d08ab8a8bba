import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import {
  channel,
  pipeline,
  type StageContext,
  writer,
  type WriterOptions,
} from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { held } from "../lib/held.ts";
import { turns } from "../lib/turns.ts";

/** What a function given to `writer` does. */
const kinds = ["now", "later", "throws", "rejects"] as const;
type Kind = typeof kinds[number];

/** What the functions given to `writer` do in one schedule. */
interface Plan {
  readonly concurrency: number;
  readonly release: Kind | "absent";
  readonly kindOf: (call: string) => Kind;
}

/** What a call fails with; the first write with `undefined`, which is an error too. */
function errorOfCall(call: string): unknown {
  return call === "write 0" ? undefined : `error of ${call}`;
}

/** Answers each call by a pick, once, whatever asks first. */
function pickKinds(
  pick: Pick,
  options: Partial<Record<string, readonly Kind[]>>,
): Plan["kindOf"] {
  const picked = new Map<string, Kind>();
  return (call) => {
    if (!picked.has(call)) {
      const choices = options[call.split(" ")[0]!] ?? kinds;
      picked.set(call, choices[pick(choices.length)]!);
    }
    return picked.get(call)!;
  };
}

function throwingThen(error: unknown): PromiseLike<void> {
  return Object.defineProperty({}, "then", {
    get: () => {
      throw error;
    },
  }) as PromiseLike<void>;
}

/** The functions given to `writer`: they check and note their calls, and are settled by hand. */
class Scene {
  readonly plan: Plan;
  /** Calls, and what the signal of the calls was aborted with, in order. */
  readonly calls: string[] = [];
  /** The calls that are still to be settled. */
  readonly pending: Map<string, { fulfil(): void; reject(): void }> = new Map();
  /** What the calls failed with, in order. */
  readonly failures: { readonly call: string; readonly error: unknown }[] = [];
  #hasSignal = false;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  readonly write = (_chunk: unknown, index: number, context: StageContext): unknown => {
    if (!this.#hasSignal) {
      this.#hasSignal = true;
      const { signal } = context;
      signal.addEventListener("abort", () => {
        // A signal takes `undefined` for no reason.
        const { reason } = signal;
        this.calls.push(`signal ${reason instanceof DOMException ? undefined : reason}`);
      });
    }
    return this.#run(`write ${index}`, index);
  };

  options(): WriterOptions<unknown> {
    const { concurrency, release } = this.plan;
    return {
      concurrency,
      highWaterMark: 4,
      close: () => this.#run("close") as void,
      abort: (reason) => this.#run(`abort ${String(reason)}`) as void,
      ...(release === "absent" ? {} : { release: () => this.#run("release") as void }),
    };
  }

  /** Odd calls answer with a thenable instead of a promise, or fail by how they answer. */
  #run(call: string, index = 0): unknown {
    this.calls.push(call);
    const isOdd = index % 2 === 1;
    const error = errorOfCall(call);
    const kind = this.plan.kindOf(call);
    if (call === "close") this.#checkClose();
    if (kind === "throws" || kind === "rejects") this.failures.push({ call, error });
    switch (kind) {
      case "now":
        return undefined;
      case "throws":
        if (isOdd) return throwingThen(error);
        throw error;
      case "rejects":
        return Promise.reject(error);
      case "later": {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        this.pending.set(call, { fulfil: resolve, reject: () => reject(error) });
        return isOdd ? { then: promise.then.bind(promise) } : promise;
      }
    }
  }

  /** A sink that commits when it is closed must have everything. */
  #checkClose(): void {
    assertEquals([this.failures, this.pending.size], [[], 0], "close() with all written");
  }

  settle(call: string, how: "fulfil" | "reject"): void {
    const gate = this.pending.get(call)!;
    this.pending.delete(call);
    gate[how]();
    if (how === "reject") this.failures.push({ call, error: errorOfCall(call) });
  }
}

/** Picks one of so many options, by its place. */
type Pick = (count: number) => number;

/**
 * Runs `run` with every combination of the picks it makes, one run after the other, and answers how many there were. What
 * was picked before decides which picks come next, so `run` must do the same at the same picks.
 */
async function tryAll(run: (pick: Pick) => Promise<void>): Promise<number> {
  const picks: { chosen: number; readonly count: number }[] = [];
  for (let runs = 1;; runs++) {
    let place = 0;
    await run((count) => {
      if (place === picks.length) picks.push({ chosen: 0, count });
      return picks[place++]!.chosen;
    });
    while (picks.length > 0 && picks.at(-1)!.chosen === picks.at(-1)!.count - 1) picks.pop();
    if (picks.length === 0) return runs;
    picks.at(-1)!.chosen++;
  }
}

interface Failure {
  readonly error: unknown;
}

/** What is asked of a stream from outside, or how a call of the scene is settled. */
type Step =
  | { readonly does: "write" }
  | { readonly does: "close" }
  | { readonly does: "abort" }
  | { readonly does: "fulfil" | "reject"; readonly call: string };

/**
 * What a `WritableStream` over `writer` should do, step by step, each after all that the one before led to: written from
 * the docs and the standard, without a look at the sink.
 */
class Model {
  readonly #plan: Plan;
  readonly calls: string[] = [];
  /** How the promises that were given out have settled. */
  readonly settled = new Set<string>();
  #asked = 0;
  /** Writes that the stream keeps. */
  readonly #queue: string[] = [];
  /** What the stream waits for: a write that wants room, or the close. */
  #current: string | undefined;
  #isCloseAsked = false;
  #aborted: { readonly reason: unknown; isWaiting: boolean } | undefined;
  #begun = 0;
  readonly #inFlight = new Set<string>();
  #failure: Failure | undefined;
  #isEnding = false;
  #isReleased = false;
  isOver = false;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  take(step: Step): void {
    switch (step.does) {
      case "write":
        this.#queue.push(`written ${this.#asked++}`);
        break;
      case "close":
        this.#isCloseAsked = true;
        break;
      case "abort":
        this.#aborted = { reason: "stop", isWaiting: true };
        this.#signal("stop");
        break;
      default: {
        const failure = step.does === "reject" ? { error: errorOfCall(step.call) } : undefined;
        this.#onSettled(step.call, failure);
      }
    }
    this.#goOn();
  }

  #say(promise: string, failure?: Failure): void {
    this.settled.add(
      failure === undefined ? promise : `${promise} failed: ${String(failure.error)}`,
    );
  }

  #signal(reason: unknown): void {
    if (this.#begun === 0 || this.calls.some((call) => call.startsWith("signal"))) return;
    this.calls.push(`signal ${String(reason)}`);
  }

  #answer(failure?: Failure): void {
    if (this.#current !== undefined) this.#say(this.#current, failure);
    this.#current = undefined;
  }

  /** Calls a function of the user's, whose end may come at once. */
  #call(call: string): void {
    this.calls.push(call);
    const kind = this.#plan.kindOf(call);
    this.#inFlight.add(call);
    if (kind === "now") this.#onSettled(call, undefined);
    else if (kind !== "later") this.#onSettled(call, { error: errorOfCall(call) });
  }

  #onSettled(call: string, failure: Failure | undefined): void {
    this.#inFlight.delete(call);
    if (!call.startsWith("write")) {
      this.#failure ??= failure;
      return;
    }
    if (failure !== undefined && this.#failure === undefined && this.#aborted === undefined) {
      this.#failure = failure;
      this.#signal(failure.error);
      return;
    }
    // Aborted, but the stream waits for what the sink says of the last write.
    const waitsForRoom = this.#current?.startsWith("written") && this.#failure === undefined;
    if (waitsForRoom) this.#answer(failure);
  }

  #goOn(): void {
    while (this.#moves());
  }

  /** Does the next thing that follows by itself, and tells whether there was one. */
  #moves(): boolean {
    if (this.isOver) return false;
    if (this.#aborted?.isWaiting && this.#current === undefined) {
      this.#aborted.isWaiting = false;
      this.#dropQueue({ error: this.#aborted.reason });
      this.#current = "aborted";
      return true;
    }
    if (this.#current === undefined && this.#aborted === undefined) {
      if (this.#queue.length > 0) {
        this.#takeWrite(this.#queue.shift()!);
        return true;
      }
      if (this.#isCloseAsked) {
        this.#current = "closed by us";
        return true;
      }
    }
    const isLast = this.#failure !== undefined || this.#current === "closed by us" ||
      this.#current === "aborted";
    return isLast && this.#inFlight.size === 0 && this.#ends();
  }

  #takeWrite(promise: string): void {
    this.#current = promise;
    if (this.#failure !== undefined) return;
    const call = `write ${this.#begun++}`;
    const isRejecting = this.#plan.kindOf(call) === "rejects";
    if (isRejecting) {
      this.calls.push(call);
      this.#inFlight.add(call);
    } else this.#call(call);
    const hasRoom = this.#inFlight.size < this.#plan.concurrency;
    if (hasRoom && this.#failure === undefined) this.#answer();
    // It was in flight for a moment, and took its room.
    if (isRejecting) this.#onSettled(call, { error: errorOfCall(call) });
  }

  #ends(): boolean {
    if (!this.#isEnding) {
      this.#isEnding = true;
      if (this.#failure !== undefined) return true;
      if (this.#aborted !== undefined) {
        if (this.#current === "closed by us") this.#failure = { error: this.#aborted.reason };
        this.#call(`abort ${String(this.#aborted.reason)}`);
      } else this.#call("close");
      return true;
    }
    if (!this.#isReleased) {
      this.#isReleased = true;
      if (this.#plan.release !== "absent") this.#call("release");
      return true;
    }
    this.#finish();
    return false;
  }

  /** The stream hears how it went. */
  #finish(): void {
    this.isOver = true;
    const failure = this.#failure;
    const wasClosing = this.#current === "closed by us";
    this.#answer(failure);
    if (this.#aborted?.isWaiting) this.#say("aborted", failure);
    const stored = this.#aborted !== undefined && !(wasClosing && failure === undefined)
      ? { error: this.#aborted.reason }
      : failure;
    this.#dropQueue(stored);
    if (this.#isCloseAsked && !wasClosing) this.#say("closed by us", stored);
    this.#say("closed", stored);
  }

  #dropQueue(failure: Failure | undefined): void {
    for (const promise of this.#queue.splice(0)) this.#say(promise, failure);
  }
}

/** A stream over `writer`, and how the promises that it gave have settled. */
class Native {
  readonly scene: Scene;
  readonly settled = new Map<string, { readonly error: unknown } | undefined>();
  readonly #output: WritableStreamDefaultWriter<unknown>;
  readonly #asked: string[] = ["closed"];

  constructor(plan: Plan) {
    this.scene = new Scene(plan);
    this.#output = writer(this.scene.write, this.scene.options()).getWriter();
    this.#watch("closed", this.#output.closed);
  }

  #watch(name: string, promise: Promise<unknown>): void {
    this.#output.ready.catch(() => {});
    promise.then(
      () => this.settled.set(name, undefined),
      (error) => this.settled.set(name, { error }),
    );
  }

  #ask(name: string, promise: Promise<unknown>): void {
    this.#asked.push(name);
    this.#watch(name, promise);
  }

  take(step: Step): void {
    if (step.does === "write") {
      const name = `written ${this.count("written")}`;
      this.#ask(name, this.#output.write(undefined));
    } else if (step.does === "close") this.#ask("closed by us", this.#output.close());
    else if (step.does === "abort") this.#ask("aborted", this.#output.abort("stop"));
    else this.scene.settle(step.call, step.does);
  }

  /** How many promises of that name were asked for. */
  count(name: string): number {
    return this.#asked.filter((asked) => asked.startsWith(name)).length;
  }

  /** Whether nothing more can come. */
  get isOver(): boolean {
    return this.scene.pending.size === 0 && this.#asked.every((name) => this.settled.has(name));
  }

  /** What may come next from outside. */
  nextSteps(mostWrites: number): Step[] {
    const { pending } = this.scene;
    if (pending.size === 0 && this.settled.has("closed")) return [];
    const isAborted = this.count("aborted") > 0;
    const isOpen = this.count("closed by us") === 0 && !isAborted;
    return [
      ...(isOpen && this.count("written") < mostWrites ? [{ does: "write" } as const] : []),
      ...(isOpen ? [{ does: "close" } as const] : []),
      ...(isAborted ? [] : [{ does: "abort" } as const]),
      ...[...pending.keys()].flatMap((call) => [
        { does: "fulfil" as const, call },
        { does: "reject" as const, call },
      ]),
    ];
  }

  /** All that was called and settled, in one text. */
  describe(): string {
    return describe(
      this.scene.calls,
      [...this.settled].map(([name, failure]) =>
        failure === undefined ? name : `${name} failed: ${failure.error}`
      ),
    );
  }
}

/** Calls in their order, and what settled in any. */
function describe(calls: readonly string[], settled: readonly string[]): string {
  return [...calls, "|", ...settled.toSorted()].join("; ");
}

const concurrencies = [1, 2, 3];
const releases: Plan["release"][] = ["absent", ...kinds];
/** Fewer schedules would mean that a choice is no longer offered. */
const fewest = 60;
/** A turn of the event loop: every microtask that one step led to is over. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Takes each step when all that the one before led to is over. */
async function compare(plan: Plan, pick: Pick, mostWrites: number): Promise<void> {
  const stream = new Native(plan);
  const model = new Model(plan);
  await turn();
  const done: Step[] = [];
  for (let steps; (steps = stream.nextSteps(mostWrites)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    done.push(step);
    model.take(step);
    stream.take(step);
    await turn();
    const [actual, expected] = [stream.describe(), describe(model.calls, [...model.settled])];
    if (actual !== expected) assertEquals(actual, expected, JSON.stringify({ ...plan, done }));
  }
  assert(stream.isOver && model.isOver, JSON.stringify({ ...plan, done }));
}

for (const concurrency of concurrencies) {
  for (const release of releases) {
    const name = `writer(), ${concurrency} at a time, release ${release}`;
    const quick = { close: ["now"], abort: ["now"], release: [release as Kind] } as const;
    const mostWrites = concurrency === 1 ? 2 : 3;

    test(`${name}: every schedule of writes goes as the model says`, async () => {
      const count = await tryAll((pick) =>
        compare({ concurrency, release, kindOf: pickKinds(pick, quick) }, pick, mostWrites)
      );
      assert(count >= fewest);
    });

    test(`${name}: every schedule of its end goes as the model says`, async () => {
      const ends = { write: ["later"], release: [release as Kind] } as const;
      const count = await tryAll((pick) =>
        compare({ concurrency, release, kindOf: pickKinds(pick, ends) }, pick, 2)
      );
      assert(count >= fewest);
    });
  }
}

/** A writer whose writes, close and abort are recorded, and settled by hand. */
function open(options: WriterOptions<number> = {}) {
  const { fn, calls } = held<void, [chunk: number, index: number]>();
  const ends: unknown[] = [];
  const writable = writer<number>(fn, {
    close: () => void ends.push("close"),
    abort: (reason) => void ends.push(["abort", reason]),
    ...options,
  });
  return { calls, ends, writable, begun: () => calls.map(({ args: [chunk] }) => chunk) };
}

test("writer() counts its queue by size()", () => {
  const { writable } = open({ highWaterMark: 10, size: (chunk) => chunk });
  const defaultWriter = writable.getWriter();
  assertEquals(defaultWriter.desiredSize, 10);
  void defaultWriter.write(4);
  assertEquals(defaultWriter.desiredSize, 6);
});

/** Five chunks; the source fails after them if that is what the option is about. */
async function* fiveThen(option: string) {
  yield* [0, 1, 2, 3, 4];
  if (option === "preventAbort") throw "source";
}

test("pipeline waits for all writes of a writer that it leaves open, and fails if one does", async () => {
  for (const concurrency of [1, 2, 4, 8]) {
    for (const highWaterMark of [1, 3]) {
      for (const failing of [0, 1, 4, 5]) {
        for (const option of ["preventClose", "preventAbort"] as const) {
          const log: string[] = [];
          const sink = writer<number>(async (chunk) => {
            await turns(chunk + 1);
            if (chunk === failing) throw "disk full";
            log.push(`${chunk}`);
          }, {
            concurrency,
            highWaterMark,
            release: () => turns(1).then(() => void log.push("end")),
          });
          const outcome = await pipeline(fiveThen(option), sink, { [option]: true }).then(
            ({ chunksWritten }) => chunksWritten,
            (reason) => reason,
          );
          const rest = option === "preventClose" ? 5 : "source";
          assertEquals(outcome, failing === 5 ? rest : "disk full");
          assertEquals(log.at(-1), failing === 5 ? "4" : "end");
          assertEquals(sink.locked, false);
        }
      }
    }
  }
});

test("a channel's flushNow waits for all writes of a writer", async () => {
  for (const fails of [false, true]) {
    const { fn, calls } = held<void>();
    const input = channel<number>();
    const running = errorOf(pipeline(input.readable, writer(fn, { concurrency: 4 })));
    await input.send(1);
    await input.send(2);
    let isFlushed = false;
    const flushed = errorOf(input.flushNow().then(() => void (isFlushed = true)));
    await turns();
    assertEquals([calls.length, isFlushed], [2, false]);
    calls[0]!.resolve();
    await turns();
    assertEquals(isFlushed, false);
    if (fails) calls[1]!.reject("why");
    else calls[1]!.resolve();
    assertEquals(await flushed, fails ? ["why"] : "none");
    input.close();
    assertEquals(await running, fails ? ["why"] : "none");
  }
});

test("a signal of a write that is asked for only after an abort or a failure has its reason", async () => {
  for (const end of ["abort", "failure"]) {
    const contexts: StageContext[] = [];
    const { fn, calls } = held<void>();
    const output = writer<number>((_chunk, _index, context) => {
      contexts.push(context);
      return fn();
    }, { concurrency: 3 }).getWriter();
    const closed = errorOf(output.closed);
    await Promise.all([output.write(0), output.write(1)]);
    const aborted = end === "abort" ? output.abort("why") : calls[0]!.reject("why");
    await turns();
    assertEquals([contexts[1]!.signal.aborted, contexts[1]!.signal.reason], [true, "why"]);
    for (const { resolve } of calls) resolve(undefined);
    await aborted;
    assertEquals(await closed, ["why"]);
  }
});
