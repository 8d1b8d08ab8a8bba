/** A row of the file. */
export interface Sale {
  readonly shop: string;
  readonly item: string;
  readonly cents: number;
}

/** What could not be imported, and why. */
export interface DeadLetter {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** What the program is given. */
export interface RowsImportParts {
  /** Stores rows of one shop; the order of a shop's batches is kept. */
  readonly store: (shop: string, rows: readonly Sale[], signal: AbortSignal) => Promise<number>;
  /** Keeps what could not be imported; it is waited for. */
  readonly keepDeadLetter: (letter: DeadLetter) => Promise<void>;
  /** Called with the number of rows that are stored, after each batch. */
  readonly onProgress: (stored: number) => void;
  readonly batchSize: number;
  readonly maxShops: number;
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface Imported {
  readonly stored: number;
  readonly deadLetters: number;
}

/** The program. */
export type RowsImport = (
  file: ReadableStream<Uint8Array>,
  parts: RowsImportParts,
) => Promise<Imported>;

/** Reads a line, and refuses what is no sale. */
export function parseSale(line: string): Sale {
  const { shop, item, cents } = JSON.parse(line) as Partial<Sale>;
  if (typeof shop !== "string" || typeof item !== "string") throw new TypeError("no shop or item");
  if (!Number.isInteger(cents)) throw new TypeError(`cents must be an integer, got ${cents}`);
  return { shop, item, cents: cents! };
}

/** Whether the store may take it the next time. */
export function isBusy(reason: unknown): boolean {
  return reason instanceof Error && reason.message === "busy";
}
