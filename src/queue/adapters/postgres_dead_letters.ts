import type { DeadLetter, DeadLetterListOptions, DeadLetters } from "../dead_letter.ts";
import { checkDeadIds, checkDeadList } from "./check_dead.ts";
import { type PostgresMessageRow, readPostgresBody } from "./postgres_delivery.ts";
import type { PostgresTables } from "./postgres_tables.ts";

type Row =
  & Pick<PostgresMessageRow, "text" | "bytes" | "isText" | "deliveries" | "failures">
  & { readonly id: string; readonly reason: string; readonly diedAt: string };

/** The dead letters of a queue in PostgreSQL. */
export class PostgresDeadLetters<T> implements DeadLetters<T> {
  readonly #tables: PostgresTables;
  readonly #channel: string;

  constructor(tables: PostgresTables, channel: string) {
    this.#tables = tables;
    this.#channel = channel;
  }

  async list(options: DeadLetterListOptions = {}): Promise<DeadLetter<T>[]> {
    const { limit, after } = checkDeadList(options);
    const rows = await this.#tables.run("listDead", [after ?? null, `${limit}`]);
    return (rows as unknown as Row[]).map((row) => ({
      id: row.id,
      body: readBody(row) as T | null,
      reason: row.reason,
      deliveries: row.deliveries,
      failures: row.failures,
      diedAt: new Date(Number(row.diedAt)),
    }));
  }

  async replay(ids?: readonly string[]): Promise<number> {
    const chosen = checkDeadIds("replay", ids);
    const [row] = await this.#tables.run("replayDead", [chosen, this.#channel]);
    return Number(row!.count);
  }

  async purge(ids?: readonly string[]): Promise<number> {
    const [row] = await this.#tables.run("purgeDead", [checkDeadIds("purge", ids)]);
    return Number(row!.count);
  }
}

/** What is no text may be why it is here: it is given as bytes. */
function readBody(row: Row): string | Uint8Array | null {
  try {
    return readPostgresBody(row);
  } catch {
    return row.bytes;
  }
}
