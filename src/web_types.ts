// deno-lint-ignore-file no-explicit-any -- as in the standard, of any chunk types
// The web's dictionaries by our own hand: Node's types do not make these names global, and `lib.dom` lacks `cancel`.

/** A stage, as `new TransformStream()` takes it. */
export interface Transformer<I = any, O = any> {
  /** Called once, before the first chunk. */
  start?: (controller: TransformStreamDefaultController<O>) => any;
  /** Called with each chunk; the next one waits for the promise it may return. */
  transform?: (
    chunk: I,
    controller: TransformStreamDefaultController<O>,
  ) => void | PromiseLike<void>;
  /** Called once, after the last chunk. */
  flush?: (controller: TransformStreamDefaultController<O>) => void | PromiseLike<void>;
  /** Called once with the reason, if the stream is cancelled or aborted before its end. */
  cancel?: (reason: any) => void | PromiseLike<void>;
  /** Reserved by the standard. */
  readableType?: undefined;
  /** Reserved by the standard. */
  writableType?: undefined;
  /** A `ReadableStream` is not a transformer, though it has a `cancel` too. */
  getReader?: undefined;
}

/** A source, as `new ReadableStream()` takes it. */
export interface UnderlyingDefaultSource<R = any> {
  /** Called once, before anything is pulled. */
  start?: (controller: ReadableStreamDefaultController<R>) => any;
  /** Called while there is room in the queue, and not before the promise of its last call is settled. */
  pull?: (controller: ReadableStreamDefaultController<R>) => void | PromiseLike<void>;
  /** Called once with the reason, if the stream is cancelled before its end. */
  cancel?: (reason?: any) => void | PromiseLike<void>;
  /** Only a source of bytes has one. */
  type?: undefined;
}

/** A source of bytes, as `new ReadableStream()` takes it. */
export interface UnderlyingByteSource {
  /** The size in bytes of the buffers that are given to `pull`; default: it is given none. */
  autoAllocateChunkSize?: number;
  /** Called once, before anything is pulled. */
  start?: (controller: ReadableByteStreamController) => any;
  /** Called while there is room in the queue, and not before the promise of its last call is settled. */
  pull?: (controller: ReadableByteStreamController) => void | PromiseLike<void>;
  /** Called once with the reason, if the stream is cancelled before its end. */
  cancel?: (reason?: any) => void | PromiseLike<void>;
  /** What makes it one. */
  type: "bytes";
}

/** A sink, as `new WritableStream()` takes it. */
export interface UnderlyingSink<W = any> {
  /** Called once, before the first chunk. */
  start?: (controller: WritableStreamDefaultController) => any;
  /** Called with each chunk; the next one waits for the promise it may return. */
  write?: (chunk: W, controller: WritableStreamDefaultController) => void | PromiseLike<void>;
  /** Called once, after the last chunk. */
  close?: () => void | PromiseLike<void>;
  /** Called once with the reason, if the stream is aborted before its end. */
  abort?: (reason?: any) => void | PromiseLike<void>;
  /** Reserved by the standard. */
  type?: undefined;
}

/** A queuing strategy, as the constructors of streams take it. */
export interface Strategy<T> {
  /** The size of the queue at which backpressure begins. */
  readonly highWaterMark?: number | undefined;
  /** The size of a chunk. */
  readonly size?: ((chunk: T) => number) | undefined;
}

/**
 * A `ReadableStream`, of whatever library's types. Where those have its iteration, its chunks are looked for there
 * alone: in another library's `getReader`, the compiler finds `undefined` and a BYOB reader's views among them.
 */
export type StreamOf<T> = ReadableStream<unknown> extends AsyncIterable<unknown> ? IterableStream<T>
  : ReadableStream<T>;

/** A `ReadableStream`, by what is needed of it. */
export interface IterableStream<T> extends AsyncIterable<T> {
  /** Whether a reader has it. */
  readonly locked: boolean;
  /** Gives the stream up. */
  cancel(reason?: unknown): Promise<void>;
  /** Locks the stream. */
  getReader(): unknown;
}

/** Bytes in a buffer of their own: `Uint8Array<ArrayBuffer>`, where the compiler knows the difference (it does from 5.7 on). */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>["encode"]>;
