import type { OperationTurn } from "../kernels/split_in_turns.ts";
import type { RunFailure } from "./run_failure.ts";
import type { Slice } from "../kernels/slice.ts";

/** How a stream ends: by its end, or by a failure. */
export type Ending = { readonly failed: false } | Failure;

/** A failure; its reason may be `undefined`. */
export interface Failure {
  readonly failed: true;
  readonly reason: unknown;
  /** Where the run has failed, if a part of it has. */
  readonly at?: RunFailure | undefined;
}

/** Where a chain's chunks come from. */
export interface Input {
  /** Asks for a chunk, which the input gives to `engine.feed`; tells whether it did so at once. */
  take(): boolean;
  /** The first stage takes no more: its writable side has failed. */
  stop(reason: unknown): void;
  /** The first stage is done with what it took. */
  handleSettled(): void;
  /** What its stream has failed with, once nothing is under way there; only a native stream has more to say than the engine. */
  readonly errored?: Failure | undefined;
}

/** Where a chain's chunks go. */
export interface Output {
  /** Whether it takes each chunk the moment it is enqueued; if not, when its slice has walked. */
  readonly isDirect: boolean;
  /** Whether the last stage may run. */
  hasRoom(): boolean;
  /** Whether nothing waits there, without room, too; only a native stream lets what has ended go on then. */
  isEmpty?(): boolean;
  /** What the last stage's controller says its desiredSize is. */
  desiredSize(): number;
  /** Takes one chunk; throws if it cannot be measured. */
  writeOne(chunk: unknown): void;
  /** Takes the first `count` chunks; throws if one cannot be measured. */
  write(chunks: readonly unknown[], count: number): void;
  /** No chunk follows; what was written goes first. A failure may replace an end that was not delivered yet. */
  end(ending: Ending): void;
  /** Whether the end was delivered. */
  readonly isEnded: boolean;
}

/** What was under way before a chain was made. */
export interface Entry {
  readonly slice: Slice;
  /** The stage at which the slice is. */
  readonly index: number;
  /** What the stage's kernel has answered of it, if it was asked. */
  readonly ran?: number | undefined;
  /** What it has thrown. */
  readonly failure?: Failure | undefined;
}

/** What drives a chain. An object, no closure: a new one for each run makes V8 compile all around it again. */
export interface Driver {
  /** Whether nothing keeps the chain from going on. */
  mayGoOn(): boolean;
  /** Lets the chain go on, once something has changed outside of `run`. */
  resume(): void;
  /** Something has changed for which the chain need not go on. */
  handleChange(): void;
}

/** How a chain divides its work. */
export type TurnBudget = OperationTurn;
