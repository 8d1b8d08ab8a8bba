import type { Value } from "../value.ts";

/** A column of a query. */
export interface SqlColumn {
  readonly expression: string;
  readonly title: string;
  /** What its values are made, if they are not exported as they are. */
  readonly convert?: (value: Value) => Value;
}

/** What a query reads from, without regard to the database. */
export interface SqlShape {
  /** What comes before SELECT. */
  readonly prelude: string;
  readonly tables: string;
  readonly columns: readonly SqlColumn[];
  /** What makes a row unique and orders rows that nothing else does; empty: nothing is known. */
  readonly key: readonly SqlColumn[];
  /** What more a query without projection fetches. */
  readonly everything: string;
}
