import type { Row, RowBatch } from "./source.ts";
import { valueBytes } from "./value.ts";

/** What is held is bounded by bytes: some hundred rows of usual size. */
const mostBytes = 262_144;

/** A row from here on goes alone. */
const largeBytes = 65_536;

/** Gathers rows in batches of up to `size`, fewer where they are large. */
export class BatchBuilder {
  readonly #size: number;
  #rows: Row[] = [];
  #bytes = 0;
  #at: number | undefined;
  #key: readonly string[] | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a row; gives the batches that are full now: none, one or two. */
  *add(row: Row, at: number | undefined, key?: readonly string[]): Generator<RowBatch> {
    let bytes = 0;
    for (let index = 0; index < row.length; index++) bytes += valueBytes(row[index]);
    if (bytes >= largeBytes) {
      yield* this.rest();
      yield { rows: [row], bytes, at, key, isLarge: true };
      return;
    }
    this.#rows.push(row);
    this.#bytes += bytes;
    this.#at = at;
    this.#key = key;
    if (this.#rows.length >= this.#size || this.#bytes >= mostBytes) yield* this.rest();
  }

  /** Gives what is gathered, if there is anything. */
  *rest(): Generator<RowBatch> {
    if (this.#rows.length === 0) return;
    const batch = {
      ...{ rows: this.#rows, bytes: this.#bytes, at: this.#at, key: this.#key },
      isLarge: false,
    };
    this.#rows = [];
    this.#bytes = 0;
    yield batch;
  }
}
