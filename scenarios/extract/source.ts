import type { BadRowError } from "./bad_row_error.ts";
import type { FormatOptions } from "./formats/format_options.ts";
import type { Piece } from "./piece.ts";
import type { RowBatch } from "./row_batch.ts";
import type { Selection } from "./selection.ts";
import type { Span } from "./span.ts";

/** How a cursor reads. */
export interface CursorOptions {
  /** The part it reads; `undefined`: everything. */
  readonly part: Span | undefined;
  /** Whether this is the first part: what began before it is then this part's to report. */
  readonly isFirst: boolean;
  /** How many rows, or documents, are fetched at a time. */
  readonly batchSize: number;
  /** Whether only what is exported is fetched; otherwise everything is. */
  readonly projection: boolean;
  /** Counts each row as it is read, whatever becomes of it. */
  onRow(): void;
  /** Called for a row that cannot be exported; throws, or returns to have it left out. */
  onBadRow(error: BadRowError): void;
}

/** How lines are read. */
export interface LineOptions extends Omit<CursorOptions, "isFirst"> {
  /** Bytes after which a piece must say the key of its last row; `undefined`: none has to. */
  readonly keyEveryBytes: number | undefined;
}

/** Where rows come from. */
export interface RowSource {
  /** What it is called in messages to people, without secrets. */
  readonly name: string;
  /** The names of the values of its rows. */
  readonly titles: readonly string[];
  /** Whether its rows are documents as they are, which only JSON can take. */
  readonly isWhole?: boolean;
  /** The span that parts are cut from; `undefined`: it cannot be cut. */
  readonly span: Span | undefined;
  /** Why it cannot be cut, and what would help. */
  readonly notCut?: string;
  /** The names of what rows are ordered by, and known by for good; empty: nothing is, and none can be gone on from. */
  readonly key: readonly string[];
  /** About how many rows there are, where `span` says nothing of how far one is. */
  readonly expectedRows?: number | undefined;
  /** What other threads may open to read the very same rows meanwhile, where there is such a thing. */
  readonly shared?: { readonly address: string; readonly selection: Selection } | undefined;
  /** How many cursors are open. */
  readonly openCursors: number;
  /** Looks for what would make reading slow; one line for each, with its remedy. */
  warnings(): Promise<string[]>;
  /**
   * Reports the rows that no part gives because they have no place in the span: those whose time is none. They are
   * read from what the cursors read, and before them, so that a run which is to fail fails at once.
   */
  reportUnplaced(
    options: Pick<CursorOptions, "onRow" | "onBadRow"> & { readonly signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Reads the rows of a part in order, in batches of up to `batchSize`. The cursor opens with the first batch and
   * closes with the last, or with the iterator.
   */
  read(options: CursorOptions): Iterable<RowBatch> | AsyncIterable<RowBatch>;
  /**
   * Reads the rows of a part in order as lines of a format, of the very bytes that the format would write, by a
   * shorter way than that by their values; `undefined`: there is none.
   */
  readLines?(
    format: FormatOptions,
    options: LineOptions,
  ): Iterable<Piece> | AsyncIterable<Piece> | undefined;
  /** Closes what is open, cursors too. */
  close(): Promise<void>;
}
