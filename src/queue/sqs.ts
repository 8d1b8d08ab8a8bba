/**
 * Queues of Amazon SQS, and a sink that publishes to SNS or SQS, through your own clients.
 *
 * @module
 */

export type {
  SqsAttribute,
  SqsBatchResult,
  SqsCallOptions,
  SqsClient,
  SqsMessage,
  SqsSendEntry,
} from "./adapters/sqs_client.ts";
export { sqsQueue, type SqsQueueOptions, type SqsQueueSource } from "./adapters/sqs_queue.ts";
export {
  type Publish,
  publish,
  type PublishOptions,
  type SnsClient,
  type SnsEntry,
} from "./adapters/publish.ts";
