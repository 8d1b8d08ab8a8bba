import type { DeadLetter, DeadLetterListOptions, DeadLetters } from "../dead_letter.ts";
import { checkDeadIds, checkDeadList } from "./check_dead.ts";
import type { SqliteTables } from "./sqlite_tables.ts";

interface Row extends Omit<DeadLetter, "body" | "diedAt"> {
  readonly body: string | Uint8Array | null;
  readonly isText: number | null;
  readonly diedAt: number;
}

// What is no text may be why it is here.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The dead letters of a queue in SQLite. */
export class SqliteDeadLetters<T> implements DeadLetters<T> {
  readonly #tables: SqliteTables;

  constructor(tables: SqliteTables) {
    this.#tables = tables;
  }

  async list(options: DeadLetterListOptions = {}): Promise<DeadLetter<T>[]> {
    const { limit, after } = checkDeadList(options);
    const rows = await this.#tables.run(({ listDead }) => listDead.all(after ?? null, limit));
    return (rows as Row[]).map(({ body, isText, diedAt, ...rest }) => ({
      ...rest,
      body: (isText === 1 && body instanceof Uint8Array ? decoder.decode(body) : body) as T | null,
      diedAt: new Date(diedAt),
    }));
  }

  async replay(ids?: readonly string[]): Promise<number> {
    const json = checkDeadIds("replay", ids);
    let count = 0;
    await this.#tables.run(({ chooseDead, sendSpecial, replayBody, removeLetter }) =>
      this.#tables.atOnce(() => {
        count = 0;
        const chosen = chooseDead.all(json) as {
          id: number;
          message: string;
          key: string | null;
        }[];
        for (const { id, message, key } of chosen) {
          // With the id that it had, so that what of it was stored is absorbed by its key. One that is in the queue
          // again stays among the dead.
          if (sendSpecial.all(Date.now(), 0, 0, message, key).length === 0) continue;
          replayBody.run(id);
          removeLetter.run(id);
          count++;
        }
      })
    );
    return count;
  }

  async purge(ids?: readonly string[]): Promise<number> {
    const json = checkDeadIds("purge", ids);
    return (await this.#tables.run(({ purgeDead }) => purgeDead.all(json))).length;
  }
}
