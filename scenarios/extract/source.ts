import type { BadRowError } from "./bad_row_error.ts";
import type { FormatOptions } from "./formats/format_options.ts";
import type { Value } from "./value.ts";

/** A field that is exported, and what it is called. */
export interface Field {
  /** A column, or the path of a field of a document, such as `contact.name`. */
  readonly path: string;
  readonly title: string;
}

/** What a time field may hold, where its type does not say. */
export const timeUnits = ["ms", "s", "text"] as const;

/** The rows of a period. */
export interface TimeSelection {
  /** A column, or the path of a field. */
  readonly field: string;
  readonly period: Period;
  /** What the field holds, where its type does not say: milliseconds, seconds, or times as text. */
  readonly unit?: (typeof timeUnits)[number];
}

/** A field by which rows are ordered. */
export interface OrderField {
  readonly path: string;
  readonly isDescending: boolean;
}

/** Which rows are exported, and what of them. */
export interface Selection {
  readonly from:
    | { readonly kind: "conversations" }
    | { readonly kind: "table"; readonly name: string }
    | { readonly kind: "query"; readonly sql: string }
    | { readonly kind: "collection"; readonly name: string; readonly filter?: string };
  /** Default: all. */
  readonly fields?: readonly Field[];
  readonly time?: TimeSelection;
  readonly orderBy?: readonly OrderField[];
  /** A value of more bytes is an error that names its row. */
  readonly maxValueBytes: number;
  /** How long a source may give nothing. */
  readonly timeoutMs: number;
  /** Whether each batch tells the key of its last row, so that another run can go on after it. */
  readonly isResumable?: boolean;
  /** The key of the row after which reading begins, as a batch has given it. */
  readonly after?: readonly string[] | undefined;
  /** Whether rows that row-level security hides may lack. */
  readonly isPartial?: boolean;
  /** Whether the output may be slow, so that a file must not stay locked for as long as reading takes. */
  readonly isOutputSlow?: boolean;
}

/** A span of time: `fromMs` is in it, `toMs` is not. Milliseconds since the epoch. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a cursor reads of a source: from the first number to before the second, of times or of keys. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rows as they are to be written. */
export interface Piece {
  /** Of a large row its parts, made one after the other. */
  readonly text: string | Uint8Array | Iterable<string>;
  readonly rows: number;
  /** Where the last of them lies in the span that is read. */
  readonly at: number | undefined;
  /** The key of the last of them, where it is asked for. */
  readonly key?: readonly string[] | undefined;
  /** About how much memory it takes, where its text is made of it later. Default: what its text takes. */
  readonly heldBytes?: number;
  /** Gives the bytes back to the thread that made them, once they are written. */
  readonly release?: () => void;
}

/** The values of a row, one for each title. */
export type Row = readonly Value[];

/** Rows that are passed on together. */
export interface RowBatch {
  readonly rows: readonly Row[];
  /** About how much memory their values take. */
  readonly bytes: number;
  /** Where the last of them lies in the span that is read, where rows have such a place. */
  readonly at: number | undefined;
  /** The key of the last of them, where the selection asks for it. */
  readonly key?: readonly string[] | undefined;
  /** Whether it is one row too large to be made one text. */
  readonly isLarge: boolean;
}

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
  /** Why it cannot be cut where there is no span, and what would help. */
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
