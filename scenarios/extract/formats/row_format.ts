import type { Row } from "../row_batch.ts";
import type { Value } from "../value.ts";
import type { Dialect } from "./dialect.ts";

/** Rows as text. */
export interface RowFormat extends Pick<Dialect, "marks" | "names" | "isNumberPlain"> {
  /** What comes before the first row. */
  header(): string;
  /** What stands for a value; `undefined`: nothing, not even its name. */
  field(value: Value): string | undefined;
  /** The lines of some rows, one after the other. */
  lines(rows: readonly Row[]): string;
  /** The line of a large row, in parts. */
  parts(row: Row): Iterable<string>;
}
