import { Redis } from "ioredis";
import { redisQueue } from "../../src/queue/redis.ts";
import { consumeQueue } from "./consume_queue.ts";
import type { OpenContestant } from "./contestant.ts";

/** Ours on Redis. */
export function open(address: string): Promise<OpenContestant> {
  const client = new Redis(address);
  const queue = redisQueue<string>(client, { key: "bench" });
  return Promise.resolve({
    setUp: () => queue.open(30_000),
    send: (bodies) => queue.send(bodies),
    work: (save) => Promise.resolve(consumeQueue(queue, save)),
    async close() {
      await queue.close();
      client.disconnect();
    },
  });
}
