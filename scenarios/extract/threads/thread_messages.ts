import type { CsvOptions } from "../csv_format.ts";
import type { Period } from "../period.ts";
import type { Piece } from "../piece.ts";
import type { Skipped } from "../skipped.ts";

/** What a thread that reads is given at its start. */
export interface ThreadSettings extends CsvOptions {
  /** For `openSource`. */
  readonly address: string;
  readonly batchSize: number;
  readonly projection: boolean;
  readonly onBadDocument: "fail" | "skip";
  /** Bytes it may have given that nobody has written. */
  readonly aheadBytes: number;
}

/** What such a thread is told: to read a part after those it has, or that bytes were written, whose memory comes back. */
export type ToThread =
  | { readonly part: Period }
  | { readonly writtenBytes: number; readonly memory: ArrayBuffer };

/** What it tells: that it can begin, a piece of a part, the end of that, or why there is none. */
export type FromThread =
  | { readonly kind: "ready" }
  | Piece & { readonly kind: "piece"; readonly text: Uint8Array<ArrayBuffer> }
  | {
    readonly kind: "end";
    readonly skipped: Skipped;
    /** How long it waited for bytes to be written. */
    readonly stalledMs: number;
  }
  | {
    readonly kind: "failure";
    readonly message: string;
    readonly code: unknown;
    readonly isBadDocument: boolean;
  };
