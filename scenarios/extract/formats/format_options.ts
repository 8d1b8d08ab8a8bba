/** The formats there are. */
export const formatNames = ["csv", "tsv", "ndjson"] as const;

/** How rows become text. */
export interface FormatOptions {
  readonly format: (typeof formatNames)[number];
  /** The names of the values, from left to right. */
  readonly titles: readonly string[];
  /** Whether the one value of a row is a document, which is a line of NDJSON itself. Default: false. */
  readonly isWhole?: boolean;
  /** Whether the titles are the first line; NDJSON has them in every line. Default: true. */
  readonly header?: boolean;
  /** What stands for a NULL in CSV and TSV. Default: nothing. */
  readonly nullText?: string;
  /** Whether CSV quotes what needs it, or all but NULL. Default: `minimal`. */
  readonly quote?: "minimal" | "all";
  /** What stands between two values of CSV: one character. Default: a comma. */
  readonly delimiter?: string;
  /** Whether CSV and TSV begin with a byte order mark, as Excel likes it. Default: false. */
  readonly bom?: boolean;
  /**
   * Whether texts of CSV and TSV that a spreadsheet would run as a formula get an apostrophe before them: it changes
   * them. Default: false.
   */
  readonly escapeFormulas?: boolean;
}
