import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { toStrategy } from "../strategy.ts";

/** What the two ends that a test holds have in common. */
export interface TestEndOptions<T> {
  /**
   * The high-water mark of the stream's queue: a number of at least 0, or `Infinity`. Default: 0 for a source, so that
   * it is asked for nothing before it is read, and 1 for a sink, which with 0 would never be given anything.
   */
  readonly highWaterMark?: number | undefined;
  /** The size of a chunk. Default: 1 for each. Node streams have none. */
  readonly size?: ((chunk: T) => number) | undefined;
  /**
   * After how many milliseconds what a test waits for has not come, where time is real. A positive integer. Default:
   * 1000. While `virtualTime` holds the time, it takes no real time: until nothing can move any more.
   */
  readonly limitMs?: number | undefined;
}

/** Options of `testSource`. */
export interface TestSourceOptions<T> extends TestEndOptions<T> {
  /** Called with the reason when the source is cancelled, as an underlying source's `cancel`. Default: nothing. */
  readonly cancel?: ((reason: unknown) => unknown) | undefined;
}

/** Options of `testSink`. */
export interface TestSinkOptions<T> extends TestEndOptions<T> {
  /** How many chunks are requested from the beginning. A non-negative integer, or `Infinity`. Default: 0. */
  readonly requested?: number | undefined;
  /** Called before the sink is closed, as an underlying sink's `close`. Default: nothing. */
  readonly close?: (() => unknown) | undefined;
  /** Called with the reason when the sink is aborted, as an underlying sink's `abort`. Default: nothing. */
  readonly abort?: ((reason: unknown) => unknown) | undefined;
}

/** What Node's callbacks are called with. */
export type NodeCallback = (error?: Error | null) => void;

/** What Node's `Readable` is made of. */
export interface NodeReadableOptions {
  /** Chunks may be of any type. */
  readonly objectMode: true;
  /** As that of the source. */
  readonly highWaterMark: number;
  /** Asks for a chunk. */
  read(): void;
  /** Cancels the source. */
  destroy(error: Error | null, callback: NodeCallback): void;
}

/** What Node's `Writable` is made of. */
export interface NodeWritableOptions {
  /** Chunks may be of any type. */
  readonly objectMode: true;
  /** As that of the sink. */
  readonly highWaterMark: number;
  /** Brings a chunk. */
  // deno-lint-ignore no-explicit-any -- as in Node's own types
  write(chunk: any, encoding: unknown, callback: NodeCallback): void;
  /** Closes the sink. */
  final(callback: NodeCallback): void;
  /** Aborts the sink. */
  destroy(error: Error | null, callback: NodeCallback): void;
}

/** `Readable` of `node:stream`. */
export type NodeReadableClass<S> = new (options: NodeReadableOptions) => S;

/** `Writable` of `node:stream`. */
export type NodeWritableClass<S> = new (options: NodeWritableOptions) => S;

/**
 * A source that does only what a test says. It is one stream: take `readable`, iterate it, or make it a Node stream.
 */
export interface TestSource<T> extends AsyncIterable<T> {
  /** As a Web stream. */
  readonly readable: ReadableStream<T>;
  /** As a Node stream, of the class `Readable` of `node:stream`. */
  toNode<S>(Readable: NodeReadableClass<S>): S;
  /** How often it has been asked for a chunk. */
  readonly pulls: number;
  /** What has become of it; it ends, or fails, behind the chunks that it still holds. */
  readonly state: "open" | "ended" | "failed" | "cancelled";
  /** Gives chunks, each as soon as it is asked for. */
  give(...chunks: T[]): void;
  /** Ends behind the chunks that it still holds. */
  end(): void;
  /** Fails with the reason behind the chunks that it still holds. */
  fail(reason: unknown): void;
  /**
   * Waits until it has been asked for this many chunks in all.
   *
   * @throws {Error} If it is not, with a diagram.
   */
  pulled(count: number): Promise<void>;
  /** Waits until it is cancelled, and gives the reason; rejects with a diagram if it is not. */
  readonly cancelled: Promise<unknown>;
  /**
   * Waits until nothing moves, in no real time; the clock stands still.
   *
   * @throws {Error} If it has been asked for more chunks than `pulled` waited for, or cancelled without a wait for that.
   */
  expectNothing(): Promise<void>;
  /** The diagram. */
  toString(): string;
}

/**
 * A sink that takes only what a test requests. It is one stream: take `writable`, give it what to read with `readFrom`,
 * or make it a Node stream.
 */
export interface TestSink<T> {
  /** As a Web stream. */
  readonly writable: WritableStream<T>;
  /** As a Node stream, of the class `Writable` of `node:stream`. */
  toNode<S>(Writable: NodeWritableClass<S>): S;
  /** The chunks that it has taken. */
  readonly taken: readonly T[];
  /** What has become of it. */
  readonly state: "open" | "closed" | "aborted" | "failed";
  /** Reads from a stream or an iterable, a chunk for each that is requested, and none ahead. */
  readFrom(source: ReadableStream<T> | AsyncIterable<T> | Iterable<T>): void;
  /** Takes so many chunks more. A positive integer, or `Infinity`. */
  request(count: number): void;
  /**
   * The next chunk that it takes and that `next` has not given before; requests one if none is requested. Of several
   * calls at once the first gets the first chunk.
   *
   * @throws {Error} If none comes, with a diagram.
   */
  next(): Promise<T>;
  /** Waits until it is closed; rejects with a diagram if it is not. */
  readonly closed: Promise<void>;
  /** Waits until it is aborted, or what it reads from fails, and gives the reason; rejects with a diagram if it is not. */
  readonly aborted: Promise<unknown>;
  /** Fails with the reason, and with it the write that waits; what it reads from is cancelled. */
  fail(reason: unknown): void;
  /**
   * Waits until nothing moves, in no real time; the clock stands still.
   *
   * @throws {Error} If a chunk has come that `next` has not given, requested or not, or an end without a wait for that.
   */
  expectNothing(): Promise<void>;
  /** The diagram. */
  toString(): string;
}

/** How an end that a test holds is made. */
export interface EndSettings<T> {
  readonly strategy: QueuingStrategy<T>;
  readonly highWaterMark: number;
  readonly limitMs: number;
}

/** Checks the options that both ends have; `functions` are those of the one. */
export function readEndOptions<T>(
  action: string,
  options: TestEndOptions<T>,
  defaultMark: number,
  functions: readonly string[],
  more: readonly string[] = [],
): EndSettings<T> {
  checkOptions(action, options, ["highWaterMark", "size", "limitMs", ...functions, ...more]);
  const { highWaterMark = defaultMark, size, limitMs = 1000 } = options;
  const strategy = toStrategy<T>(action, { highWaterMark, size });
  checkInteger(action, "limitMs", limitMs, 1);
  for (const name of functions) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined) checkFunction(action, name, value);
  }
  return { strategy, highWaterMark, limitMs };
}

/** Throws where Node streams cannot do what is asked of them. */
export function checkNodeStrategy<T>(action: string, { strategy }: EndSettings<T>): void {
  if (strategy.size === undefined) return;
  throw new TypeError(
    `Cannot ${action}: size is not supported by node:stream, whose object mode counts every chunk as 1`,
  );
}

/** A Node stream that is destroyed without an error has not failed. */
export function checkNodeReason(action: string, reason: unknown): void {
  if (reason instanceof Error) return;
  throw new TypeError(`Cannot ${action}: a Node stream fails with an Error only`);
}

/** A mark that Node takes: a safe integer. */
export function nodeMark(highWaterMark: number): number {
  return Math.min(Math.floor(highWaterMark), Number.MAX_SAFE_INTEGER);
}
