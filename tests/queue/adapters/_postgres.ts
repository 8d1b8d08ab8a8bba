import { inFolder } from "../../lib/in_folder.ts";
import { randomUUID } from "node:crypto";
import process from "node:process";
import pg from "pg";
import postgres from "postgres";
import { type PostgresClient, postgresQueue } from "@hosepipe/streams/queue/postgres";
import { freePort } from "../../../scenarios/consume/faults/servers/free_port.ts";
import { OwnServer } from "../../../scenarios/consume/faults/fault_place.ts";
import type { CheckedQueue } from "@hosepipe/streams/testing";

const address = process.env.POSTGRES_URI;

/** Why tests of PostgreSQL are left out, where they may be. */
export const skipPostgres: string | false = address || process.env.HOSEPIPE_REQUIRE_POSTGRES
  ? false
  : "no PostgreSQL: POSTGRES_URI is not set";

/** A connection of the test's own, with what ends it. */
export interface OpenClient {
  readonly client: PostgresClient;
  run(text: string): Promise<Record<string, unknown>[]>;
  end(): Promise<void>;
}

/** Both clients, each as its users open it. */
export const openPostgres: Readonly<
  Record<"postgres" | "pg", (uri?: string, max?: number) => OpenClient>
> = {
  postgres: (uri = address!, max = 4) => {
    const client = postgres(uri, { max, onnotice: () => {}, backoff: () => 0.1 });
    return {
      client,
      run: async (text) => [...await client.unsafe(text)],
      end: () => client.end({ timeout: 5 }),
    };
  },
  pg: (connectionString = address!, max = 4) => {
    const client = new pg.Pool({ connectionString, max });
    // A connection that breaks while it is idle.
    client.on("error", () => {});
    return {
      client,
      run: async (text) => (await client.query(text)).rows,
      end: () => client.end(),
    };
  },
};

/** Lends a queue of a name of its own, as two workers with connections of their own see it. */
export async function withPostgres(
  name: "postgres" | "pg",
  use: (
    queue: Required<Omit<CheckedQueue, "end">> & {
      readonly table: string;
      readonly clients: readonly [OpenClient, OpenClient];
    },
  ) => Promise<void>,
): Promise<void> {
  const table = `laws_${randomUUID().slice(0, 8)}`;
  const clients = [openPostgres[name](), openPostgres[name]()] as const;
  const [one, other] = clients.map(({ client }) => postgresQueue<string>(client, { table }));
  const drop = () => clients[0].run(`DROP TABLE IF EXISTS ${table}, ${table}_tag`);
  try {
    await use({ one: one!, other: other!, remake: async () => void await drop(), table, clients });
  } finally {
    await drop();
    await clients[0].run(`DROP TABLE IF EXISTS ${table}_dead, ${table}_ids`);
    for (const { end } of clients) await end();
  }
}

/** Starts a server of the test's own for as long as `use` takes. */
export function withPostgresServer(
  use: (server: OwnServer) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const server = new OwnServer("postgres", folder, await freePort());
    try {
      await server.start();
      await use(server);
    } finally {
      await server.kill();
    }
  });
}
