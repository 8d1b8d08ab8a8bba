import {
  type PostgresClient,
  type PostgresRow,
  type PostgresTransaction,
  runStatement,
} from "./postgres_client.ts";
import { postgresStatements } from "./postgres_statements.ts";

type Statements = ReturnType<typeof postgresStatements>;
type Name = keyof Statements["prepared"];
type Value = string | null;

const missingTable = "42P01";
/** Two that have waited for each other, of which one was ended: it is done again. */
const deadlock = "40P01";
const mostAttempts = 5;

/** The tables of a queue, which may be dropped and made again by others at any time. */
export class PostgresTables {
  readonly #client: PostgresClient;
  readonly #statements: Statements;
  #areKnown = false;

  constructor(client: PostgresClient, table: string) {
    this.#client = client;
    this.#statements = postgresStatements(table);
  }

  /** Runs one statement. The tables are made where they are missing. */
  async run(name: Name, values: readonly Value[]): Promise<PostgresRow[]> {
    for (let attempt = 1;; attempt++) {
      try {
        if (!this.#areKnown) await this.#make(this.#client);
        const rows = await this.#run(this.#client, name, values);
        this.#areKnown = true;
        return rows;
      } catch (error) {
        const { code } = (error ?? {}) as { code?: unknown };
        if (code === missingTable) this.#areKnown = false;
        if ((code !== missingTable && code !== deadlock) || attempt === mostAttempts) throw error;
      }
    }
  }

  /** Runs one statement in a transaction, which a failure ends; what was made for it may be rolled back with it. */
  async runIn(
    transaction: PostgresTransaction,
    name: Name,
    values: readonly Value[],
  ): Promise<void> {
    if (!this.#areKnown) await this.#make(transaction);
    try {
      await this.#run(transaction, name, values);
    } catch (error) {
      this.#areKnown = false;
      throw error;
    }
  }

  #run(client: PostgresTransaction, name: Name, values: readonly Value[]): Promise<PostgresRow[]> {
    return runStatement(client, this.#statements.prepared[name], values);
  }

  async #make(client: PostgresTransaction): Promise<void> {
    const { isThere, create } = this.#statements;
    const [row] = await runStatement(client, isThere, []);
    if (row!.isThere !== true) await runStatement(client, create, []);
  }
}
