import { createDeferred, type Deferred } from "../deferred.ts";
import { checkFunction, checkInteger, throwTypeError } from "../errors.ts";
import { untilStill } from "./activity.ts";
import {
  checkNodeReason,
  checkNodeStrategy,
  type EndSettings,
  nodeMark,
  type NodeWritableClass,
  readEndOptions,
  type TestSink,
  type TestSinkOptions,
} from "./end_settings.ts";
import { Expectations } from "./expectations.ts";
import { iteratorOpener } from "./iterator_opener.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";

/** What writes to the sink, and how it is answered. */
interface SinkForm {
  readonly name: string;
  /** Throws if it cannot fail so. */
  checkReason?(reason: unknown): void;
  fail(reason: unknown): void;
  /** There is demand. */
  request?(): void;
}

/** What a test sink has taken and what waits for it, whatever form it has. */
class HeldSink<T> implements TestSink<T> {
  state: TestSink<T>["state"] = "open";
  readonly #taken: T[] = [];
  readonly #onEnd: SinkEnds;
  #writable: WritableStream<T> | undefined;
  readonly settings: EndSettings<T>;
  readonly expectations: Expectations;
  /** How many chunks it would take now. */
  requested: number;
  #form: SinkForm | undefined;
  /** The write that waits to be requested. */
  #held: { readonly chunk: T; readonly deferred: Deferred<void> } | undefined;
  #given = 0;
  /** How many calls of `next` there were that have not failed. */
  #wanted = 0;
  #sawEnd = false;
  #reason: unknown;

  constructor(settings: EndSettings<T>, requested: number, onEnd: SinkEnds) {
    this.#onEnd = onEnd;
    this.settings = settings;
    this.requested = requested;
    this.expectations = new Expectations(settings.limitMs, () => this.draw());
  }

  get writable(): WritableStream<T> {
    return this.#writable ??= openWritable(this);
  }

  toNode<S>(Writable: NodeWritableClass<S>): S {
    return openNodeWritable(this, Writable);
  }

  readFrom(source: unknown): void {
    readWithSink(this, source);
  }

  get taken(): T[] {
    return [...this.#taken];
  }

  /** Takes its form; it has one only. */
  open(form: SinkForm): void {
    if (this.#form !== undefined) {
      throw new TypeError(`Cannot open test sink as ${form.name}: it is ${this.#form.name}`);
    }
    this.#form = form;
    if (this.requested > 0) form.request?.();
  }

  /** A chunk comes; what it returns is settled once the chunk is requested. */
  write(chunk: T): Promise<void> | undefined {
    this.expectations.note(`write ${printChunk(chunk)}`);
    if (this.requested > 0) {
      this.#take(chunk);
      return undefined;
    }
    const deferred = createDeferred<void>();
    this.#held = { chunk, deferred };
    return deferred.promise;
  }

  request(count: number): void {
    checkInteger("request", "count", count, 1, true);
    if (this.state !== "open") {
      throw this.expectations.error(`Cannot request: the sink ${this.#outcome()}`);
    }
    this.#request(count);
  }

  #request(count: number): void {
    this.requested += count;
    this.expectations.note(`request ${count}`);
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      this.#take(held.chunk);
      held.deferred.resolve();
    }
    if (this.requested > 0) this.#form?.request?.();
  }

  #take(chunk: T): void {
    this.requested--;
    this.#taken.push(chunk);
    this.expectations.look();
  }

  async next(): Promise<T> {
    const place = this.#wanted++;
    const missing = this.#wanted - this.#taken.length - this.requested;
    if (missing > 0 && this.state === "open") this.#request(missing);
    try {
      await this.expectations.expect(
        `chunk ${place + 1} at the sink`,
        () => this.#taken.length > place,
        () => this.state === "open" ? undefined : `it ${this.#outcome()}`,
      );
    } catch (error) {
      this.#wanted--;
      throw error;
    }
    this.#given = Math.max(this.#given, place + 1);
    return this.#taken[place]!;
  }

  /** It is over: what waits is rejected with the reason, unless it was closed. */
  end(state: TestSink<T>["state"], reason?: unknown): void {
    this.state = state;
    this.#reason = reason;
    this.expectations.note(state === "closed" ? "close" : `${state} with ${printChunk(reason)}`);
  }

  /** Does what is to be done when it is closed; it has failed if that fails. */
  async close(): Promise<void> {
    try {
      await this.#onEnd.close?.();
    } catch (reason) {
      if (this.state === "open") this.end("failed", reason);
      throw reason;
    }
    if (this.state === "open") this.end("closed");
  }

  /** It ends early. */
  async abort(reason: unknown): Promise<void> {
    this.end("aborted", reason);
    await this.#onEnd.abort?.(reason);
  }

  /** Drops the write that waits. */
  drop(reason: unknown): void {
    const held = this.#held;
    this.#held = undefined;
    held?.deferred.reject(reason);
  }

  fail(reason: unknown): void {
    if (this.state !== "open") {
      throw this.expectations.error(`Cannot fail: the sink ${this.#outcome()}`);
    }
    if (this.#form === undefined) throw new TypeError("Cannot fail: nothing has the sink yet");
    this.#form.checkReason?.(reason);
    this.#sawEnd = true;
    this.end("failed", reason);
    this.#form.fail(reason);
    this.drop(reason);
  }

  get closed(): Promise<void> {
    return this.#expectEnd("closed");
  }

  get aborted(): Promise<unknown> {
    return this.#expectEnd("aborted").then(() => this.#reason);
  }

  #expectEnd(state: "closed" | "aborted"): Promise<void> {
    this.#sawEnd = true;
    return this.expectations.expect(
      `the sink to be ${state}`,
      () => this.state === state,
      () => this.state === "open" ? undefined : `it ${this.#outcome()}`,
    );
  }

  async expectNothing(): Promise<void> {
    await untilStill();
    const more = this.#taken.slice(this.#given);
    const held = this.#held;
    const what = more.length > 0
      ? `it took ${drawBuffer(more)}`
      : held !== undefined
      ? `${printChunk(held.chunk)} waits to be requested`
      : this.state !== "open" && !this.#sawEnd
      ? `it ${this.#outcome()}`
      : undefined;
    if (what !== undefined) {
      throw this.expectations.error(`Expected nothing at the sink, but ${what}`);
    }
  }

  toString(): string {
    return this.draw().join("\n");
  }

  draw(): string[] {
    const { highWaterMark, strategy } = this.settings;
    const mark = `mark ${highWaterMark}${strategy.size === undefined ? "" : " by size"}`;
    const held = this.#held === undefined ? [] : [this.#held.chunk];
    return [
      `sink, ${this.#form?.name ?? "not written yet"}, ${mark}: ${this.#outcome()}, ` +
      `${this.requested} requested`,
      `  waits    ${drawBuffer(held)}`,
      `  took     ${drawBuffer(this.#taken)}`,
    ];
  }

  #outcome(): string {
    const { state } = this;
    if (state === "open") return "is open";
    if (state === "closed") return "is closed";
    return `${state === "failed" ? "has failed" : "is aborted"} with ${printChunk(this.#reason)}`;
  }
}

/** What happens where it ends. */
type SinkEnds = Pick<TestSinkOptions<never>, "close" | "abort">;

/** The held sink as a Web stream. */
function openWritable<T>(sink: HeldSink<T>): WritableStream<T> {
  let controller!: WritableStreamDefaultController;
  const stream = new WritableStream<T>({
    start: (given) => {
      controller = given;
      // The standard aborts only once the write in flight has settled.
      given.signal?.addEventListener("abort", () => sink.drop(given.signal.reason), { once: true });
    },
    write: (chunk) => sink.write(chunk),
    close: () => sink.close(),
    abort: (reason) => sink.abort(reason),
  }, sink.settings.strategy);
  sink.open({ name: "a WritableStream", fail: (reason) => controller.error(reason) });
  return stream;
}

/** The held sink as a reader of a stream or an iterable. */
function readWithSink<T>(sink: HeldSink<T>, source: unknown): void {
  const openIterator = iteratorOpener<T>("read", "source", source);
  let iterator: AsyncIterator<T> | Iterator<T> | undefined;
  const open = () => iterator ??= openIterator();
  let isReading = false;
  const problem = (error: unknown) => sink.expectations.note(`failed with ${printChunk(error)}`);
  const read = async () => {
    if (isReading) return;
    isReading = true;
    while (sink.state === "open" && sink.requested > 0) {
      let result: IteratorResult<T>;
      try {
        result = await open().next();
      } catch (reason) {
        if (sink.state !== "open") break;
        await sink.abort(reason).catch(problem);
        break;
      }
      if (sink.state !== "open") break;
      if (result.done) await sink.close().catch(problem);
      else sink.write(result.value);
    }
    isReading = false;
  };
  sink.open({
    name: "a reader",
    request: () => void read(),
    fail: (reason) => {
      try {
        Promise.resolve(open().return?.(reason)).catch(problem);
      } catch (error) {
        problem(error);
      }
    },
  });
}

/** The held sink as a Node stream. */
function openNodeWritable<T, S>(sink: HeldSink<T>, Writable: NodeWritableClass<S>): S {
  const action = "open test sink as a Node stream";
  checkFunction(action, "Writable", Writable);
  checkNodeStrategy(action, sink.settings);
  const stream = new Writable({
    objectMode: true,
    highWaterMark: nodeMark(sink.settings.highWaterMark),
    write: (chunk, _encoding, callback) => {
      const written = sink.write(chunk);
      if (written === undefined) callback();
      else written.then(() => callback(), callback);
    },
    final: (callback) => {
      sink.close().then(() => callback(), callback);
    },
    destroy: (error, callback) => {
      if (sink.state !== "open") return callback(error);
      const aborted = sink.abort(error ?? undefined);
      sink.drop(error ?? undefined);
      aborted.then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
  const { destroy } = stream as { destroy(error: Error): unknown };
  if (typeof destroy !== "function") {
    throwTypeError(action, "Writable", "Node's Writable", Writable);
  }
  sink.open({
    name: "a Writable of Node",
    checkReason: (reason) => checkNodeReason("fail", reason),
    fail: (reason) => void destroy.call(stream, reason as Error),
  });
  return stream;
}

/**
 * Makes a sink that a test holds: it takes what is requested, a chunk at a time, and fails by hand.
 *
 * It is one stream, in the form in which it is taken first: `writable`; what `readFrom` reads, which is a stream or an
 * iterable; or `toNode(Writable)` with the class of `node:stream`. A write that is not requested waits. A wait that
 * never ends fails the test with a diagram of its buffers.
 *
 * @typeParam T The type of the chunks.
 * @param options `requested`: how many chunks it takes from the beginning (default: 0); `highWaterMark`: of the stream's
 * queue (default: 1); `size`: of a chunk (default: 1 for each); `close`, `abort`: called where it ends; `limitMs`: how
 * long a wait lasts in real time (default: 1000).
 * @returns The sink.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If `highWaterMark` is negative, `requested` is not a non-negative integer, or `limitMs` not a
 * positive one.
 *
 * @example A join, chunk by chunk
 * ```ts
 * import { merge } from "@hosepipe/streams";
 * import { testSink, testSource } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const [left, right] = [testSource<string>(), testSource<string>()];
 * const sink = testSink<string>();
 * sink.readFrom(merge(left.readable, right.readable));
 *
 * right.give("b");
 * assert.deepEqual(await sink.next(), "b");
 * await sink.expectNothing();
 * left.end();
 * right.end();
 * sink.request(1);
 * await sink.closed;
 * ```
 */
export function testSink<T = unknown>(options: TestSinkOptions<T> = {}): TestSink<T> {
  const action = "create test sink";
  const settings = readEndOptions(action, options, 1, ["close", "abort"], ["requested"]);
  const { requested = 0 } = options;
  checkInteger(action, "requested", requested, 0, true);
  return new HeldSink<T>(settings, requested, options);
}
