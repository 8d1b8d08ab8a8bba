import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import pg from "pg";
import postgres from "postgres";
import { type PostgresClient, postgresQueue } from "@hosepipe/streams/queue/postgres";
import { scriptCommand } from "../../../bench/extract_far/script_command.ts";
import { freePorts } from "./_free_ports.ts";
import type { QueueUnderTest } from "./_laws.ts";

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
    queue: QueueUnderTest & {
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

/** A server of the test's own, which can be killed and started again. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  get uri(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  async start(): Promise<void> {
    const script = new URL("../../../scripts/postgres/run.ts", import.meta.url);
    const [command, ...args] = scriptCommand(script);
    const child = spawn(command, [...args, "--data", this.#folder, "--port", `${this.#port}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`PostgreSQL has ended with code ${code}`)));
    });
  }

  /** At once, with no checkpoint, so that it recovers when it is started again: what is shared is not left behind. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const [pid] = (await readFile(join(this.#folder, "data/postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGQUIT");
    await ended;
  }
}

/** Starts a server of the test's own for as long as `use` takes. */
export async function withPostgresServer(
  use: (server: PostgresServer) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-postgres-test-"));
  const [port] = await freePorts(1);
  const server = new PostgresServer(folder, port!);
  try {
    await server.start();
    await use(server);
  } finally {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  }
}
