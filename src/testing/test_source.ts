import { createDeferred, type Deferred } from "../deferred.ts";
import { checkFunction, checkInteger, throwTypeError } from "../errors.ts";
import { untilStill } from "./activity.ts";
import {
  checkNodeReason,
  checkNodeStrategy,
  type EndSettings,
  nodeMark,
  type NodeReadableClass,
  readEndOptions,
  type TestSource,
  type TestSourceOptions,
} from "./end_settings.ts";
import { Expectations } from "./expectations.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";

const times = (count: number) => count === 1 ? "once" : `${count} times`;

/** What reads the source, and how it is answered. */
interface SourceForm<T> {
  readonly name: string;
  /** Throws if it cannot fail so. */
  checkReason?(reason: unknown): void;
  give(chunk: T): void;
  end(): void;
  fail(reason: unknown): void;
  /** The size of what waits in a queue of its own. */
  queued?(): number | undefined;
}

/** What a test source holds, and what has happened to it, whatever form it has. */
class HeldSource<T> implements TestSource<T> {
  pulls = 0;
  state: TestSource<T>["state"] = "open";
  readonly settings: EndSettings<T>;
  readonly expectations: Expectations;
  readonly #onCancel: TestSourceOptions<T>["cancel"];
  #readable: ReadableStream<T> | undefined;
  #form: SourceForm<T> | undefined;
  #asked = 0;
  #awaitedPulls = 0;
  #sawCancel = false;
  #reason: unknown;
  readonly #held: T[] = [];
  readonly #gone: T[] = [];
  #end: { readonly word: "ended" | "failed"; readonly reason?: unknown } | undefined;

  constructor(settings: EndSettings<T>, onCancel: TestSourceOptions<T>["cancel"]) {
    this.settings = settings;
    this.#onCancel = onCancel;
    this.expectations = new Expectations(settings.limitMs, () => this.draw());
  }

  get readable(): ReadableStream<T> {
    return this.#readable ??= openReadable(this);
  }

  toNode<S>(Readable: NodeReadableClass<S>): S {
    return openNodeReadable(this, Readable);
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return openIterator(this);
  }

  /** Takes its form; it has one only. */
  open(form: SourceForm<T>): void {
    if (this.#form !== undefined) {
      throw new TypeError(`Cannot open test source as ${form.name}: it is ${this.#form.name}`);
    }
    this.#form = form;
  }

  give(...chunks: T[]): void {
    this.#checkOpen("give");
    for (const chunk of chunks) {
      this.#held.push(chunk);
      this.expectations.note(`give ${printChunk(chunk)}`);
    }
    this.pump();
  }

  end(): void {
    this.#checkOpen("end");
    this.#end = { word: "ended" };
    this.expectations.note("end");
    this.pump();
  }

  fail(reason: unknown): void {
    this.#checkOpen("fail");
    this.#form?.checkReason?.(reason);
    this.#end = { word: "failed", reason };
    this.expectations.note(`fail ${printChunk(reason)}`);
    this.pump();
  }

  /** A reader asks for a chunk. */
  ask(): void {
    this.pulls++;
    this.#asked++;
    this.expectations.note(`pull ${this.pulls}`);
    this.pump();
  }

  /** Hands over what is asked for, and the end behind it. */
  pump(): void {
    const form = this.#form;
    if (form === undefined || this.state !== "open") return;
    while (this.#asked > 0 && this.#held.length > 0) {
      this.#asked--;
      const chunk = this.#held.shift()!;
      this.#gone.push(chunk);
      try {
        form.give(chunk);
      } catch (error) {
        // The stream has failed, too: its `size` threw.
        this.state = "failed";
        this.expectations.note(`fail ${printChunk(error)}`);
        throw error;
      }
    }
    if (this.#end === undefined || this.#held.length > 0 || this.state !== "open") return;
    this.state = this.#end.word;
    if (this.state === "failed") form.fail(this.#end.reason);
    else form.end();
    this.expectations.look();
  }

  async cancel(reason: unknown): Promise<void> {
    this.state = "cancelled";
    this.#reason = reason;
    this.expectations.note(`cancel ${printChunk(reason)}`);
    await this.#onCancel?.(reason);
  }

  pulled(count: number): Promise<void> {
    checkInteger("wait for pulls", "count", count, 1);
    this.#awaitedPulls = Math.max(this.#awaitedPulls, count);
    return this.expectations.expect(
      `pull ${count} of the source`,
      () => this.pulls >= count,
      () => this.state === "open" ? undefined : `it has ${this.#outcome()}`,
    );
  }

  get cancelled(): Promise<unknown> {
    return this.#expectCancel();
  }

  async #expectCancel(): Promise<unknown> {
    this.#sawCancel = true;
    await this.expectations.expect(
      "the source to be cancelled",
      () => this.state === "cancelled",
      () => this.state === "failed" ? "it has failed" : undefined,
    );
    return this.#reason;
  }

  async expectNothing(): Promise<void> {
    await untilStill();
    const more = this.pulls - this.#awaitedPulls;
    const isCancelled = this.state === "cancelled" && !this.#sawCancel;
    if (more <= 0 && !isCancelled) return;
    const what = isCancelled
      ? `it was cancelled with ${printChunk(this.#reason)}`
      : `it was asked ${times(this.pulls)}, and the test waited for ${this.#awaitedPulls}`;
    throw this.expectations.error(`Expected nothing at the source, but ${what}`);
  }

  toString(): string {
    return this.draw().join("\n");
  }

  draw(): string[] {
    const { highWaterMark, strategy } = this.settings;
    const name = this.#form?.name ?? "not read yet";
    const queued = this.#queued();
    const mark = `mark ${highWaterMark}${strategy.size === undefined ? "" : " by size"}`;
    return [
      `source, ${name}: ${this.#outcome()}, asked ${times(this.pulls)}`,
      `  holds    ${drawBuffer(this.#held)}${this.#ending()}`,
      ...(queued === undefined ? [] : [`  queue    ${drawBuffer(queued)} (${mark})`]),
      `  gave     ${drawBuffer(this.#gone.slice(0, this.#gone.length - (queued?.length ?? 0)))}`,
    ];
  }

  #outcome(): string {
    return this.state === "cancelled"
      ? `been cancelled with ${printChunk(this.#reason)}`
      : this.state === "open"
      ? "open"
      : this.state;
  }

  #ending(): string {
    if (this.#end === undefined || this.state !== "open") return "";
    return this.#end.word === "ended" ? " then the end" : ` then ${printChunk(this.#end.reason)}`;
  }

  /** What waits in the queue of the stream: the last chunks, as many as make up its size. */
  #queued(): T[] | undefined {
    let size = this.#form?.queued?.();
    if (size === undefined) return undefined;
    let from = this.#gone.length;
    while (size > 0 && from > 0) size -= this.settings.strategy.size?.(this.#gone[--from]!) ?? 1;
    return this.#gone.slice(from);
  }

  #checkOpen(action: string): void {
    const why = this.state !== "open"
      ? `has ${this.#outcome()}`
      : this.#end !== undefined
      ? `is to have ${this.#end.word}`
      : undefined;
    if (why !== undefined) throw this.expectations.error(`Cannot ${action}: the source ${why}`);
  }
}

interface NodeReadable {
  push(chunk: unknown): boolean;
  destroy(error: Error): unknown;
}

/** The held source as a Web stream. */
function openReadable<T>(source: HeldSource<T>): ReadableStream<T> {
  const { strategy, highWaterMark } = source.settings;
  let answer: Deferred<void> | undefined;
  let controller!: ReadableStreamDefaultController<T>;
  const stream = new ReadableStream<T>({
    start: (given) => void (controller = given),
    pull: () => {
      const { promise } = answer = createDeferred<void>();
      source.ask();
      return promise;
    },
    cancel: (reason) => source.cancel(reason),
  }, strategy);
  source.open({
    name: "a ReadableStream",
    give: (chunk) => {
      controller.enqueue(chunk);
      answer!.resolve();
    },
    end: () => controller.close(),
    fail: (reason) => controller.error(reason),
    queued: () =>
      highWaterMark === Infinity || controller.desiredSize === null
        ? undefined
        : highWaterMark - controller.desiredSize,
  });
  source.pump();
  return stream;
}

/** The held source as an async iterator, which may be asked again before it has answered. */
function openIterator<T>(source: HeldSource<T>): AsyncIterator<T> {
  const asks: Deferred<IteratorResult<T, undefined>>[] = [];
  const done = { done: true, value: undefined } as const;
  let failure: { readonly reason: unknown } | undefined;
  const end = () => {
    for (const { resolve } of asks.splice(0)) resolve(done);
  };
  source.open({
    name: "an async iterable",
    give: (chunk) => asks.shift()!.resolve({ done: false, value: chunk }),
    end,
    fail: (reason) => {
      const first = asks.shift();
      if (first === undefined) failure = { reason };
      else first.reject(reason);
      end();
    },
  });
  return {
    next: () => {
      const deferred = createDeferred<IteratorResult<T, undefined>>();
      if (source.state === "open") {
        asks.push(deferred);
        source.ask();
      } else if (failure === undefined) deferred.resolve(done);
      else {
        deferred.reject(failure.reason);
        failure = undefined;
      }
      return deferred.promise;
    },
    return: async (value) => {
      if (source.state === "open") {
        const cancelled = source.cancel(undefined);
        end();
        await cancelled;
      }
      return { done: true, value };
    },
  };
}

/** The held source as a Node stream. */
function openNodeReadable<T, S>(source: HeldSource<T>, Readable: NodeReadableClass<S>): S {
  const action = "open test source as a Node stream";
  checkFunction(action, "Readable", Readable);
  checkNodeStrategy(action, source.settings);
  let isAsked = false;
  const stream = new Readable({
    objectMode: true,
    highWaterMark: nodeMark(source.settings.highWaterMark),
    read: () => {
      if (isAsked) return;
      isAsked = true;
      source.ask();
    },
    destroy: (error, callback) => {
      if (source.state !== "open") return callback(error);
      source.cancel(error ?? undefined).then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
  const { push, destroy } = stream as NodeReadable;
  if (typeof push !== "function") throwTypeError(action, "Readable", "Node's Readable", Readable);
  source.open({
    name: "a Readable of Node",
    checkReason: (reason) => checkNodeReason("fail", reason),
    give: (chunk) => {
      isAsked = false;
      push.call(stream, chunk);
    },
    end: () => void push.call(stream, null),
    fail: (reason) => void destroy.call(stream, reason as Error),
  });
  source.pump();
  return stream;
}

/**
 * Makes a source that a test holds: it gives, fails and ends by hand, and says how often it has been asked.
 *
 * It is one stream, in the form in which it is taken first: `readable`, an async iterable, or
 * `toNode(Readable)` with the class of `node:stream`. A wait that never ends fails the test with a diagram of its buffers.
 *
 * @typeParam T The type of the chunks.
 * @param options `highWaterMark`: of the stream's queue (default: 0); `size`: of a chunk (default: 1 for each);
 * `cancel`: called with the reason when it is cancelled; `limitMs`: how long a wait lasts in real time (default: 1000).
 * @returns The source.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `highWaterMark` is negative, or `limitMs` is not a positive integer.
 *
 * @example A stage that reads no more than it needs
 * ```ts
 * import { pipeline, take } from "@hosepipe/streams";
 * import { testSource } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const source = testSource<string>();
 * const seen: string[] = [];
 * const run = pipeline(source.readable, take<string>(2), (chunk) => void seen.push(chunk));
 *
 * await source.pulled(1);
 * await source.expectNothing();
 * source.give("a", "b", "c");
 * await source.cancelled;
 * await run;
 *
 * assert.deepEqual([seen, source.pulls], [["a", "b"], 2]);
 * ```
 */
export function testSource<T = unknown>(options: TestSourceOptions<T> = {}): TestSource<T> {
  const settings = readEndOptions("create test source", options, 0, ["cancel"]);
  return new HeldSource<T>(settings, options.cancel);
}
