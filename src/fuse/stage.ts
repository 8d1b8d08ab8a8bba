import { getKernel, type Kernel } from "./kernels.ts";
import { Fifo } from "./fifo.ts";
import type { Slice } from "./slice.ts";

/** A method of a transformer, still to be called with the transformer as `this`. */
type Method = (this: unknown, ...args: unknown[]) => unknown;

/** How the input of a stage ends once its queue is empty. */
export type Ending = { readonly failed: false } | {
  readonly failed: true;
  readonly reason: unknown;
};

/** What the engine keeps of one transformer. */
export interface Stage {
  readonly index: number;
  readonly transformer: unknown;
  readonly kernel: Kernel | undefined;
  readonly start: Method | undefined;
  readonly transform: Method | undefined;
  readonly flush: Method | undefined;
  readonly cancel: Method | undefined;
  /** Chunks that wait for the stage. */
  readonly queue: Fifo;
  /** How many chunks a kernel has been given. */
  chunkIndex: number;
  /** A promise of its start, transform, flush or cancel is pending. */
  isBusy: boolean;
  /** Fulfils once that promise has settled. */
  pending: Promise<void> | undefined;
  /** Something waits in it: chunks, an iterator, or the end of its input. */
  needsAttention: boolean;
  /** Its flush or cancel was called, or it failed or ended early: neither is called again. */
  isFinished: boolean;
  /** It failed or ended early by itself, which stops the stages before it. */
  hasLeft: boolean;
  /** Nothing more leaves it. */
  isClosed: boolean;
  /** It was closed by an error, its own or one that reached it. */
  hasFailed: boolean;
  /** How its input ends, once that is known. */
  ending: Ending | undefined;
  /** Where it puts what it gives while it runs. */
  collector: Slice | undefined;
  /** What flatMap has begun and not yet emptied. */
  iterator: Iterator<unknown> | AsyncIterator<unknown> | undefined;
  isIteratorAsync: boolean;
}

function readMethod(transformer: Record<string, unknown>, name: string): Method | undefined {
  const method = transformer[name];
  if (method === undefined) return undefined;
  if (typeof method !== "function") {
    throw new TypeError(
      `Cannot fuse: transformer.${name} must be a function, got ${typeof method}`,
    );
  }
  return method as Method;
}

function refuseType(transformer: Record<string, unknown>, name: string): void {
  if (transformer[name] !== undefined) {
    throw new RangeError(
      `Cannot fuse: transformer.${name} must be undefined, got ${String(transformer[name])}`,
    );
  }
}

/** Reads a transformer as `new TransformStream()` does: the same members, once, in the same order. */
export function readStage(transformer: unknown, index: number): Stage {
  if (
    transformer !== undefined && transformer !== null && typeof transformer !== "object" &&
    typeof transformer !== "function"
  ) {
    throw new TypeError(`Cannot fuse: transformer must be an object, got ${typeof transformer}`);
  }
  const members = (transformer ?? {}) as Record<string, unknown>;
  const cancel = readMethod(members, "cancel");
  const flush = readMethod(members, "flush");
  refuseType(members, "readableType");
  const start = readMethod(members, "start");
  const transform = readMethod(members, "transform");
  refuseType(members, "writableType");
  return {
    index,
    transformer: transformer ?? undefined,
    kernel: transform && getKernel(transform),
    start,
    transform,
    flush,
    cancel,
    queue: new Fifo(),
    chunkIndex: 0,
    isBusy: false,
    pending: undefined,
    needsAttention: false,
    isFinished: false,
    hasLeft: false,
    isClosed: false,
    hasFailed: false,
    ending: undefined,
    collector: undefined,
    iterator: undefined,
    isIteratorAsync: false,
  };
}
