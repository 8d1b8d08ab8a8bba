import { inFolder } from "../../lib/in_folder.ts";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { type RedisClient, redisQueue } from "@hosepipe/streams/queue/redis";
import { freePorts } from "../../../scenarios/consume/faults/servers/free_port.ts";
import { OwnServer } from "../../../scenarios/consume/faults/fault_place.ts";
import type { CheckedQueue } from "@hosepipe/streams/testing";

const address = process.env.REDIS_URI;

/** Why tests of Redis are left out, where they may be. */
export const skipRedis: string | false = address || process.env.HOSEPIPE_REQUIRE_REDIS
  ? false
  : "no Redis: REDIS_URI is not set";

/** A connection of the test's own, with what ends it. */
export interface OpenRedis {
  readonly client: RedisClient;
  run(...args: readonly string[]): Promise<unknown>;
  end(): void;
}

/** Both clients, each as its users open it. */
export const openRedis: Readonly<
  Record<"redis" | "ioredis", (url?: string) => Promise<OpenRedis>>
> = {
  redis: async (url = address!) => {
    const client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: 50 },
    });
    client.on("error", () => {});
    await client.connect();
    return {
      client,
      run: (...args) => client.sendCommand([...args]),
      end: () => client.destroy(),
    };
  },
  ioredis: (url = address!) => {
    const client = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
    client.on("error", () => {});
    return Promise.resolve({
      client,
      run: (command, ...args) => client.call(command!, ...args),
      end: () => client.disconnect(),
    });
  },
};

/** Lends a queue of a name of its own, as two workers with connections of their own see it. */
export async function withRedis(
  name: "redis" | "ioredis",
  use: (
    queue: Required<Omit<CheckedQueue, "end">> & {
      readonly key: string;
      readonly clients: readonly [OpenRedis, OpenRedis];
    },
  ) => Promise<void>,
): Promise<void> {
  const key = `laws_${randomUUID().slice(0, 8)}`;
  const clients = [await openRedis[name](), await openRedis[name]()] as const;
  const [one, other] = clients.map(({ client }) => redisQueue<string>(client, { key }));
  const [{ run }] = clients;
  try {
    const remake = async () => void await run("DEL", `{${key}}:stream`);
    await use({ one: one!, other: other!, remake, key, clients });
  } finally {
    await one!.close();
    await other!.close();
    const keys = await run("KEYS", `{${key}}:*`) as string[];
    if (keys.length > 0) await run("DEL", ...keys);
    for (const { end } of clients) end();
  }
}

/** Makes servers of the test's own, the first of which is started, for as long as `use` takes. */
export function withRedisServers(
  count: number,
  use: (servers: readonly OwnServer[]) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const ports = await freePorts(count);
    const servers = ports.map((port) => new OwnServer("redis", join(folder, `${port}`), port));
    try {
      await servers[0]!.start();
      await use(servers);
    } finally {
      for (const server of servers) await server.kill();
    }
  });
}
