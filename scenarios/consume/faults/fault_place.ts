import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./servers/free_port.ts";
import { KafkaServer } from "./servers/kafka_server.ts";
import { NatsServer } from "./servers/nats_server.ts";
import { PostgresServer } from "./servers/postgres_server.ts";
import { RedisServer } from "./servers/redis_server.ts";

/** The queues that faults are tried on; one of NATS writes each message to the disk before it answers. */
export const queueKinds = ["sqlite", "postgres", "redis", "nats", "nats-sync", "kafka"] as const;

/** One of the queues. */
export type QueueKind = typeof queueKinds[number];

/** A server that can be killed and started again. */
export interface FaultServer {
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Where a fault is tried: a queue and a store of its own. */
export interface FaultPlace {
  /** The queue's address. */
  readonly broker: string;
  /** The store's file. */
  readonly store: string;
  /** Where all of it is. */
  readonly folder: string;
  /** None for SQLite. */
  readonly server: FaultServer | undefined;
}

function serverOf(
  kind: QueueKind,
  folder: string,
  port: number,
  env: Readonly<Record<string, string>>,
): FaultServer & { readonly address: string } | undefined {
  if (kind === "sqlite") return undefined;
  if (kind === "postgres") {
    const server = new PostgresServer(folder, port, env);
    return Object.assign(server, { address: server.uri });
  }
  if (kind === "redis") {
    const server = new RedisServer(folder, port, env);
    return Object.assign(server, { address: server.url });
  }
  if (kind === "kafka") {
    const server = new KafkaServer(folder, port, env);
    return Object.assign(server, { address: `kafka://${server.broker}/orders` });
  }
  const server = new NatsServer(port, folder, ...(kind === "nats" ? [] : ["--sync-always"]));
  return Object.assign(server, { address: server.url });
}

/**
 * Lends a queue of its own to `use`.
 *
 * @param kind Which one.
 * @param prepare Called with the folder before anything is in it; what it returns is called at the end.
 * @param env Variables of the server's environment.
 */
export async function withFaultPlace<R>(
  kind: QueueKind,
  { prepare, env = {} }: {
    readonly prepare?: ((folder: string) => Promise<() => Promise<void>>) | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
  },
  use: (place: FaultPlace) => Promise<R>,
): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-consume-faults-"));
  const port = await freePort();
  const end = await prepare?.(folder);
  // PostgreSQL's folder becomes its user's, who must get there.
  await chmod(folder, 0o755);
  await mkdir(join(folder, "server"));
  const server = serverOf(kind, join(folder, "server"), port, env);
  try {
    await server?.start();
    return await use({
      broker: server?.address ?? `sqlite:${join(folder, "queue.sqlite")}`,
      store: join(folder, "store.sqlite"),
      folder,
      server,
    });
  } finally {
    await server?.kill();
    await end?.();
    await rm(folder, { recursive: true, force: true });
  }
}
