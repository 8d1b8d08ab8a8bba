/**
 * Queues in NATS JetStream, through your own client.
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
