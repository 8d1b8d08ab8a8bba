import type { Document, FindCursor } from "mongodb";

/** The cursors that are open, for all of them to be closed. */
export class MongodbCursors {
  readonly #cursors = new Set<FindCursor<Document>>();

  /** How many there are. */
  get size(): number {
    return this.#cursors.size;
  }

  /** Reads a cursor to its end, and closes it wherever reading ends. */
  async *read(cursor: FindCursor<Document>): AsyncGenerator<Document, void> {
    this.#cursors.add(cursor);
    try {
      for await (const document of cursor) yield document;
    } finally {
      await this.#close(cursor);
    }
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#cursors, (cursor) => this.#close(cursor)));
  }

  async #close(cursor: FindCursor<Document>): Promise<void> {
    if (!this.#cursors.delete(cursor)) return;
    // It tells the server, which may be why we close; there is nothing left to save then.
    await cursor.close().catch(() => {});
  }
}
