/**
 * Queues in topics of Apache Kafka, through your own client.
 *
 * @module
 */

export type {
  KafkaAdmin,
  KafkaBatchPayload,
  KafkaClient,
  KafkaConsumer,
  KafkaHeaders,
  KafkaMessage,
  KafkaOffset,
  KafkaProducer,
} from "./adapters/kafka_client.ts";
export { kafkaQueue, type KafkaQueueOptions } from "./adapters/kafka_queue.ts";
