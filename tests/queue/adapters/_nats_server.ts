import { inFolder } from "../../lib/in_folder.ts";
import process from "node:process";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { freePort } from "../../../scenarios/consume/faults/servers/free_port.ts";
import { OwnServer } from "../../../scenarios/consume/faults/fault_place.ts";
import { type ConsumerConfig, jetstreamManager, type StreamConfig } from "@nats-io/jetstream";

const program = process.env.HOSEPIPE_NATS_SERVER;

/** Why tests of NATS are left out, where they may be. */
export const skipNats: string | false = program || process.env.HOSEPIPE_REQUIRE_NATS
  ? false
  : "no NATS: HOSEPIPE_NATS_SERVER names the program built of scripts/nats";

/** Starts a server in a folder of its own for as long as `use` takes. */
export function withNats(
  use: (server: OwnServer, folder: string) => Promise<void>,
  ...args: readonly string[]
): Promise<void> {
  return inFolder(async (folder) => {
    const server = new OwnServer("nats", folder, await freePort(), { args });
    try {
      await server.start();
      await use(server, folder);
    } finally {
      await server.kill();
    }
  });
}

/** A connection that comes back by itself, however long it takes. */
export function connectTo(servers: string | readonly string[]): Promise<NatsConnection> {
  return connect({
    servers: [servers].flat(),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
}

/** Makes a stream `jobs` with its consumer `rows`. */
export async function makeJobs(
  connection: NatsConnection,
  leaseMs: number,
  stream: Partial<StreamConfig> = {},
  consumer: Partial<ConsumerConfig> = {},
): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: "jobs",
    subjects: ["jobs"],
    retention: "workqueue",
    ...stream,
  });
  await manager.consumers.add("jobs", {
    durable_name: "rows",
    ack_policy: "explicit",
    ack_wait: leaseMs * 1e6,
    max_deliver: -1,
    max_ack_pending: 10_000,
    ...consumer,
  });
}
