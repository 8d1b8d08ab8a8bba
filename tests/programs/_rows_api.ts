/** A row as the database has it. */
export interface Row {
  readonly id: number;
  readonly name: string;
  readonly secret: string;
}

/** What the program is given: the database, and what of a row may be seen. */
export interface RowsApiParts {
  readonly query: (table: string, signal: AbortSignal) => AsyncIterable<Row>;
  readonly publish: (row: Row) => unknown;
}

/** The program. */
export type RowsApi = (request: Request, parts: RowsApiParts) => Promise<Response>;
