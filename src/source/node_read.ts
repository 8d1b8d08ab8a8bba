import { builtinModule } from "../builtin_module.ts";
import { createDeferred } from "../deferred.ts";
import { isStandard } from "../standard_stream.ts";
import { destroyStream, type NodeStream, onStreamEnd } from "./node_stream_end.ts";
import type { AsyncPull, SourceEnd } from "./open_source.ts";
import { toError } from "./stage_error.ts";

type Result = IteratorResult<unknown, undefined>;

/** A node `Readable`, by what is needed of it. */
export interface NodeReadable extends NodeStream {
  readonly _readableState?: { readonly readable?: boolean };
  read(): unknown;
}

const methods = ["on", "off", "once", "read", "destroy"] as const;

/** Tells whether `value` is a stream of node that can be read here: `node:stream` says how one ends. */
export function isNodeReadable(value: object): value is NodeReadable {
  const stream = value as Partial<NodeReadable>;
  const { _readableState: state } = stream;
  return typeof state === "object" && state !== null && state.readable !== false &&
    methods.every((name) => typeof stream[name] === "function") &&
    builtinModule("node:stream") !== undefined;
}

/** Reads a node `Readable`, and listens to it only until it is over. */
export class NodeRead {
  readonly #stream: NodeReadable;
  readonly #forget: () => void;
  #isListening = false;
  #endWait: (() => void) | undefined;
  /** Whether it has ended, has failed or was left. */
  isOver = false;
  readonly #wake = (): void => this.#endWait?.();

  /** `onEnd` is called once, unless it is left before. */
  constructor(stream: NodeReadable, onEnd: (failure?: { readonly reason: unknown }) => void) {
    this.#stream = stream;
    this.#forget = onStreamEnd(stream, { writable: false }, (failure) => {
      const wasOver = this.isOver;
      this.#leave();
      if (!wasOver) onEnd(failure);
    });
  }

  /** Takes the next chunk; `null` if it is not there yet, or never will be. */
  take(): unknown {
    if (this.isOver) return null;
    if (!this.#isListening) this.#stream.on("readable", this.#wake);
    this.#isListening = true;
    return this.#stream.read();
  }

  /** Waits for a chunk or the end. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#endWait = resolve);
  }

  /** Gives the stream up: destroys it, unless it is one of the process's own, which is only left. */
  cancel(reason: unknown): Promise<void> {
    if (isStandard(this.#stream)) this.release();
    this.isOver = true;
    this.#wake();
    return destroyStream(this.#stream, reason === undefined ? undefined : toError(reason));
  }

  /** Leaves the stream as it is. */
  release(): void {
    if (this.isOver) return;
    this.#leave();
    this.#forget();
  }

  #leave(): void {
    this.isOver = true;
    this.#stream.off("readable", this.#wake);
    this.#wake();
  }
}

/** The source of a node stream. */
export function openNode(stream: NodeReadable): AsyncPull & SourceEnd {
  const { promise: closed, resolve, reject } = createDeferred<void>();
  closed.catch(() => {});
  const read = new NodeRead(stream, (failure) => {
    if (failure === undefined) resolve();
    else reject(failure.reason);
  });
  return {
    async next(): Promise<IteratorResult<unknown, undefined>> {
      while (!read.isOver) {
        const value = read.take();
        if (value !== null) return { done: false, value };
        await read.wait();
      }
      // It is settled, unless it was left.
      await closed;
      return { done: true, value: undefined };
    },
    closed,
    cancel: (reason) => read.cancel(reason),
    release: () => read.release(),
  };
}
