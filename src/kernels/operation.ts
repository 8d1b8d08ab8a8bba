import type { Counts } from "./kernel.ts";
import type { OperationTurn } from "./split_in_turns.ts";
import type { StageContext } from "./stage_context.ts";

/** What an operator does in one stream, with its state in its own closure. */
export interface Operation<I> {
  /** Called with each chunk; the next one waits for the promise it may return. */
  transform(chunk: I): void | PromiseLike<void>;
  /** Called once, after the last chunk. */
  flush?(): void | PromiseLike<void>;
  /** Called once if the stream is cancelled or aborted before its end; the context has aborted by then. */
  cancel?(reason: unknown): unknown;
  /** Passes on what it holds, and goes on; called between two chunks, when nothing is on its way in the run. */
  flushNow?(): void | PromiseLike<void>;
  /**
   * Passes on all that it has begun with earlier chunks, when its input has failed: needed by all that work ahead, so
   * that these give what one at a time does. It has failed itself if what it has begun does; its `cancel` follows.
   */
  drain?(reason: unknown): void | PromiseLike<void>;
  /** Which chunk it has failed with, where that may be another than the last one. */
  readonly failedIndex?: number | undefined;
  /** How many chunks it is done with, where it may hold several: those that it has passed on or dropped. */
  readonly doneCount?: number;
  /** Called where `cancel` never is, as in several streams of one copy. */
  hearNothing?(): void;
  /** Called if the stream may have been cancelled: which of several was, cannot be known. */
  doubt?(): void;
  /** What it waits for at this time, if there is more to say than which chunk it is at. */
  waiting?(): string | undefined;
  /** Adds what it has counted. */
  addCounts?(counts: Counts): void;
  /** Settles once no method can mean the stream any more; needed by `doubt`. */
  readonly ended?: Promise<unknown>;
}

/** What an operator knows of its stream besides the controller. */
export interface OperationContext extends StageContext {
  /** Aborts the signal, once. */
  stop(reason: unknown): void;
  /** When the event loop must have its turn; nothing in a native stream, which does all of a chunk at once. */
  readonly turn?: OperationTurn;
}

/** Begins an operator in one stream. */
export type Open<I, O> = (
  controller: TransformStreamDefaultController<O>,
  context: OperationContext,
) => Operation<I>;
