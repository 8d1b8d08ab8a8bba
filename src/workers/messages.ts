import type { Memory } from "./check_memory.ts";
import type { CarriedError } from "./carry_error.ts";
import type { PackedChunks } from "./packed_chunks.ts";

/** What a thread is sent. */
export type ToThread =
  | { readonly type: "start"; readonly options: unknown; readonly memory: Memory }
  | { readonly type: "block"; readonly id: number; readonly chunks: PackedChunks }
  | { readonly type: "more"; readonly id: number }
  | { readonly type: "cancel"; readonly id: number };

/** What a thread answers. */
export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "refused"; readonly error: CarriedError }
  | {
    readonly type: "part";
    readonly id: number;
    readonly chunks: PackedChunks;
    readonly isLast: boolean;
    /** How long the thread has worked on the block. */
    readonly busyMs: number;
  }
  | { readonly type: "failed"; readonly id: number; readonly error: CarriedError };

/** One end of the connection between a thread and the one that began it. */
export interface ThreadPort<Sent, Received> {
  post(message: Sent, transfer?: readonly Transferable[]): void;
  listen(onMessage: (message: Received) => void): void;
}
