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
      body: readPostgresBody(row) as T | null,
      reason: row.reason,
      deliveries: row.deliveries,
      failures: row.failures,
      diedAt: new Date(Number(row.diedAt)),
    }));
  }

  async replay(ids?: readonly string[]): Promise<number> {
    checkDeadIds("replay", ids);
    const [row] = await this.#tables.run("replayDead", [toJson(ids), this.#channel]);
    return Number(row!.count);
  }

  async purge(ids?: readonly string[]): Promise<number> {
    checkDeadIds("purge", ids);
    const [row] = await this.#tables.run("purgeDead", [toJson(ids)]);
    return Number(row!.count);
  }
}

function toJson(ids: readonly string[] | undefined): string | null {
  return ids === undefined ? null : JSON.stringify(ids);
}
