/** What a statement gives: a row by names of its columns. */
export type PostgresRow = Record<string, unknown>;

/** What is used of a `postgres()` of npm's `postgres`, and of the `sql` in its `begin`. */
export interface PostgresSql {
  /** Runs a statement. */
  // deno-lint-ignore no-explicit-any
  unsafe(text: string, values?: any[], options?: { prepare?: boolean }): PromiseLike<any>;
}

/** What is used of a `postgres()` of npm's `postgres`. */
export interface PostgresSqlClient extends PostgresSql {
  /** Hears what is notified, on a connection of its own that comes back by itself. */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onListen?: () => void,
  ): PromiseLike<{ unlisten(): PromiseLike<unknown> }>;
}

/** What is used of a client of npm's `pg`. */
export interface PgClient {
  /** Runs a statement. */
  // deno-lint-ignore no-explicit-any
  query(statement: any): Promise<{ rows: any[] }>;
}

/** What is used of a client that a `Pool` of npm's `pg` has lent. */
export interface PgPoolClient extends PgClient {
  /** Listens to an event. */
  // deno-lint-ignore no-explicit-any
  on(event: any, listener: (...args: any[]) => void): unknown;
  /** Stops that. */
  // deno-lint-ignore no-explicit-any
  off(event: any, listener: (...args: any[]) => void): unknown;
  /** Gives it back; with `true` its connection is ended. */
  release(destroy?: boolean): void;
}

/** What is used of a `Pool` of npm's `pg`. */
export interface PgPool extends PgClient {
  /** Lends a client of its own. */
  connect(): Promise<PgPoolClient>;
}

/** Your own client: a `postgres()` of npm's `postgres`, or a `Pool` of npm's `pg`. */
export type PostgresClient = PostgresSqlClient | PgPool;

/** A transaction of yours: the `sql` in a `begin` of npm's `postgres`, or a client of npm's `pg` after `BEGIN`. */
export type PostgresTransaction = PostgresSql | PgClient;

function isSql(client: PostgresTransaction): client is PostgresSql {
  return typeof (client as Partial<PostgresSql>).unsafe === "function";
}

/** Whether statements can be run by it. */
export function isPostgresClient(client: unknown): client is PostgresTransaction {
  if (client === null || (typeof client !== "object" && typeof client !== "function")) return false;
  const { unsafe, query } = client as Partial<PostgresSql & PgClient>;
  return typeof unsafe === "function" || typeof query === "function";
}

/**
 * Runs a statement, which npm's `postgres` has prepared once for each connection unless its user wants that not to be.
 * `pg` would have to be given a name for it, which is not known where a pooler changes the connection behind it.
 */
export async function runStatement(
  client: PostgresTransaction,
  text: string,
  values: readonly (string | number | null)[],
): Promise<PostgresRow[]> {
  if (isSql(client)) return await client.unsafe(text, [...values], { prepare: true });
  return (await client.query({ text, values: [...values] })).rows;
}

/** Hears a channel until the function that is given is called, or `onLost` was. */
export async function listen(
  client: PostgresClient,
  channel: string,
  onNotify: () => void,
  onLost: () => void,
): Promise<() => Promise<void>> {
  // What comes while the connection is away is not heard: it may have come.
  if (isSql(client)) {
    let isOver = false;
    // Once it has connected again, it does not forget a listener any more.
    const onHeard = () => {
      if (!isOver) onNotify();
    };
    const { unlisten } = await client.listen(channel, onHeard, onHeard);
    return async () => {
      isOver = true;
      await unlisten();
    };
  }
  const lent = await client.connect();
  let isOver = false;
  const end = (isBroken: boolean) => {
    if (isOver) return;
    isOver = true;
    lent.off("notification", onNotify);
    lent.release(isBroken);
    // A connection that breaks says so once more, and then without a listener ends the process.
    if (!isBroken) lent.off("error", onBroken);
  };
  const onBroken = () => {
    end(true);
    onLost();
  };
  lent.on("notification", onNotify);
  lent.on("error", onBroken);
  try {
    await lent.query({ text: `LISTEN "${channel}"` });
  } catch (error) {
    end(true);
    throw error;
  }
  return async () => {
    if (isOver) return;
    try {
      await lent.query({ text: `UNLISTEN "${channel}"` });
      end(false);
    } catch {
      end(true);
    }
  };
}
