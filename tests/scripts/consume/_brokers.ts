import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { findRuntimes, type Runtime } from "../../../runtimes/find_runtime.ts";
import type { NatsServer } from "../../../scripts/servers/nats_server.ts";
import { openPostgres, skipPostgres } from "../../queue/adapters/_postgres.ts";
import { skipRedis, withRedisServers } from "../../queue/adapters/_redis.ts";
import { skipNats, withNats } from "../../queue/adapters/_nats_server.ts";

// What runs the test is what is found, whatever PATH says.
process.env[`HOSEPIPE_${currentRuntime().name.toUpperCase()}`] = process.execPath;
let found: Promise<Runtime[]> | undefined;

/** Workers' runtimes: all there are, by turns, from the one at `first`. */
export async function mixedRuntimes(count: number, first = 0): Promise<Runtime[]> {
  const runtimes = await (found ??= findRuntimes());
  return Array.from({ length: count }, (_, index) => runtimes[(first + index) % runtimes.length]!);
}

/** Where a test's queue and store are. */
export interface Place {
  readonly broker: string;
  readonly store: string;
  readonly folder: string;
  readonly server?: NatsServer;
}

/** Each kind of broker, made anew for a test. */
export const brokers: readonly {
  readonly name: "SQLite" | "NATS" | "PostgreSQL" | "Redis";
  readonly skip: string | false;
  with(use: (place: Place) => Promise<void>): Promise<void>;
}[] = [{
  name: "SQLite",
  skip: process.platform === "win32" ? "no signals there" : false,
  async with(use) {
    const folder = await mkdtemp(join(tmpdir(), "hosepipe-consume-test-"));
    try {
      const broker = `sqlite:${join(folder, "queue.sqlite")}`;
      await use({ broker, store: join(folder, "store.sqlite"), folder });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
}, {
  name: "NATS",
  skip: skipNats,
  with: (use) =>
    withNats((server, folder) =>
      use({ broker: server.url, store: join(folder, "store.sqlite"), folder, server })
    ),
}, {
  name: "PostgreSQL",
  skip: skipPostgres,
  async with(use) {
    const folder = await mkdtemp(join(tmpdir(), "hosepipe-consume-test-"));
    const { run, end } = openPostgres.postgres();
    const database = `consume_${randomUUID().slice(0, 8)}`;
    await run(`CREATE DATABASE ${database}`);
    try {
      const broker = new URL(database, process.env.POSTGRES_URI).href;
      await use({ broker, store: join(folder, "store.sqlite"), folder });
    } finally {
      await run(`DROP DATABASE ${database} WITH (FORCE)`);
      await end();
      await rm(folder, { recursive: true, force: true });
    }
  },
}, {
  name: "Redis",
  skip: skipRedis,
  async with(use) {
    const folder = await mkdtemp(join(tmpdir(), "hosepipe-consume-test-"));
    try {
      await withRedisServers(
        1,
        ([server]) => use({ broker: server!.url, store: join(folder, "store.sqlite"), folder }),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
}];
