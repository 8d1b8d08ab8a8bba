import type { FormatOptions } from "../formats/format_options.ts";
import type { Selection, Span } from "../source.ts";
import type { OnBadRow, SkippedReason } from "../skipped.ts";

/** What a thread that reads is given at its start. */
export interface ThreadSettings {
  /** For `openSource`. */
  readonly address: string;
  readonly selection: Selection;
  readonly format: FormatOptions;
  readonly batchSize: number;
  readonly projection: boolean;
  readonly onBadRow: OnBadRow;
  /** Bytes it may have given that are not yet written. */
  readonly aheadBytes: number;
}

/** What such a thread is asked: to read a part after those it has, or that bytes were written, whose memory comes back. */
export type ToThread =
  | { readonly part: Span }
  | { readonly writtenBytes: number; readonly memory: ArrayBuffer };

/** What it tells: that it can begin, a piece of a part, the end of that, or why there is none. */
export type FromThread =
  | { readonly kind: "ready" }
  | {
    readonly kind: "piece";
    readonly text: Uint8Array<ArrayBuffer>;
    readonly rows: number;
    readonly at: number | undefined;
  }
  | {
    readonly kind: "end";
    /** Rows that were read, written or skipped. */
    readonly read: number;
    readonly skipped: readonly SkippedReason[];
    /** How long it waited for bytes to be written. */
    readonly stalledMs: number;
  }
  | {
    readonly kind: "failure";
    readonly message: string;
    readonly code: unknown;
    /** If a row was the reason: which, and why. */
    readonly badRow: readonly [row: string, reason: string] | undefined;
  };
