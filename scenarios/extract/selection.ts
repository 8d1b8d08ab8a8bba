import type { Period } from "./period.ts";

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
