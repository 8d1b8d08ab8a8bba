/**
 * Queues in a stream of Redis or Valkey, through your own client.
 *
 * @module
 */

export type { IoRedisClient, NodeRedisClient, RedisClient } from "./adapters/redis_client.ts";
export {
  redisQueue,
  type RedisQueueOptions,
  type RedisQueueSource,
} from "./adapters/redis_queue.ts";
