/** An attribute of a message. */
export interface SqsAttribute {
  /** `String`, `Number` or `Binary`. */
  DataType: string | undefined;
  /** Its text. */
  StringValue?: string | undefined;
}

/** A message as SQS hands it over. */
export interface SqsMessage {
  /** The message's own id. */
  readonly MessageId?: string | undefined;
  /** Names this delivery. */
  readonly ReceiptHandle?: string | undefined;
  /** What was sent. */
  readonly Body?: string | undefined;
  /** What SQS knows of it. */
  readonly Attributes?: Readonly<Partial<Record<string, string>>> | undefined;
  /** What its sender has put beside it. */
  readonly MessageAttributes?: Readonly<Record<string, SqsAttribute>> | undefined;
}

/** What becomes of a batch, entry by entry. */
export interface SqsBatchResult {
  /** Those that were done. */
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined;
  /** Those that were not done. */
  readonly Failed?:
    | readonly {
      readonly Id: string | undefined;
      readonly Code: string | undefined;
      readonly Message?: string | undefined;
      readonly SenderFault: boolean | undefined;
    }[]
    | undefined;
}

/** A message to send. */
export interface SqsSendEntry {
  /** Its name in the batch. */
  Id: string;
  /** What is sent. */
  MessageBody: string;
  /** Seconds before it is handed over. */
  DelaySeconds?: number | undefined;
  /** Those of a group of a FIFO queue follow each other. */
  MessageGroupId?: string | undefined;
  /** A FIFO queue drops what comes with the same one within five minutes. */
  MessageDeduplicationId?: string | undefined;
  /** What goes beside it. */
  MessageAttributes?: Record<string, SqsAttribute> | undefined;
}

/** How a call is made. */
export interface SqsCallOptions {
  /** Ends it. */
  abortSignal?: AbortSignal | undefined;
}

/** What `sqsQueue` uses of a client: the class `SQS` of `@aws-sdk/client-sqs` 3 has it. */
export interface SqsClient {
  /** Finds a queue by its name. */
  getQueueUrl(input: { QueueName: string }): Promise<{ QueueUrl?: string | undefined }>;
  /** Tells how many messages a queue has, and how it was made. */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: "All"[] },
  ): Promise<{ Attributes?: Readonly<Partial<Record<string, string>>> | undefined }>;
  /** Leases messages. */
  receiveMessage(
    input: {
      QueueUrl: string;
      MaxNumberOfMessages: number;
      WaitTimeSeconds: number;
      VisibilityTimeout: number;
      MessageSystemAttributeNames: "ApproximateReceiveCount"[];
      MessageAttributeNames: string[];
    },
    options?: SqsCallOptions,
  ): Promise<{ Messages?: SqsMessage[] | undefined }>;
  /** Adds messages. */
  sendMessageBatch(
    input: { QueueUrl: string; Entries: SqsSendEntry[] },
    options?: SqsCallOptions,
  ): Promise<SqsBatchResult>;
  /** Takes messages off. */
  deleteMessageBatch(
    input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] },
  ): Promise<SqsBatchResult>;
  /** Says when messages are handed over again. */
  changeMessageVisibilityBatch(
    input: {
      QueueUrl: string;
      Entries: { Id: string; ReceiptHandle: string; VisibilityTimeout: number }[];
    },
  ): Promise<SqsBatchResult>;
}
