/**
 * Queues in NATS JetStream, by the client that you give.
 *
 * @module
 */

export type {
  NatsClient,
  NatsConnection,
  NatsMessage,
  NatsSubscription,
} from "./adapters/nats_client.ts";
export { natsQueue, type NatsQueueOptions } from "./adapters/nats_queue.ts";
