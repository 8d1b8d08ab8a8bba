import { checkFunction, checkOptions, throwTypeError } from "../../errors.ts";
import type { Output } from "../output.ts";
import { digestText } from "./digest_text.ts";
import { batchesOf } from "./batches_of.ts";
import { mostBytes, mostEntries, nameReason, sendBatch, sizeOfMessage } from "./sqs_batches.ts";
import type { SqsAttribute, SqsBatchResult, SqsCallOptions, SqsClient } from "./sqs_client.ts";

/** A message for a topic. */
export interface SnsEntry {
  /** Its name in the batch. */
  Id: string;
  /** What is sent. */
  Message: string;
  /** Those of a group of a FIFO topic follow each other. */
  MessageGroupId?: string | undefined;
  /** A FIFO topic drops what comes with the same one within five minutes. */
  MessageDeduplicationId?: string | undefined;
  /** What goes beside it, for the filters of subscriptions. */
  MessageAttributes?: Record<string, SqsAttribute> | undefined;
}

/** What `publish` uses of a client: the class `SNS` of `@aws-sdk/client-sns` 3 has it. */
export interface SnsClient {
  /** Sends messages to a topic. */
  publishBatch(
    input: { TopicArn: string; PublishBatchRequestEntries: SnsEntry[] },
    options?: SqsCallOptions,
  ): Promise<SqsBatchResult>;
}

/** Where and what `publish` sends. */
export interface PublishOptions<O = unknown> {
  /** The topic, with an `SNS`. */
  topicArn?: string | undefined;
  /** The queue, with an `SQS`. */
  queueUrl?: string | undefined;
  /** The text of a message, of an output's value. Default: the value if it is text, and otherwise its JSON. */
  format?: ((value: O) => string) | undefined;
  /** The group of a value, for a FIFO topic or queue. Default: one group for all. */
  group?: ((value: O) => string) | undefined;
  /** What goes beside it, by name. Default: nothing. */
  attributes?: ((value: O) => Readonly<Record<string, string>>) | undefined;
}

/** Publishes outputs; what `stored` saves with. */
export type Publish<O> = (
  outputs: readonly Output<O>[],
  context?: { readonly signal?: AbortSignal },
) => Promise<void>;

interface Message {
  readonly text: string;
  readonly fifo: { MessageGroupId: string; MessageDeduplicationId: string } | undefined;
  readonly attributes: Record<string, SqsAttribute>;
}

/** A deduplication id takes 128 characters, of which a key may have more, and others. */
function shorten(key: string): string | Promise<string> {
  return /^[\x21-\x7e]{1,128}$/.test(key) ? key : digestText("SHA-256", key);
}

/**
 * Publishes outputs to a topic of SNS, or to a queue of SQS: what `stored` saves with.
 *
 * It sends batches of ten, and what the service could not take of one again: that then stands behind later messages
 * of its group. To a FIFO topic or queue the output's key goes as deduplication id, so that a repeat within five minutes
 * is dropped; elsewhere a repeat arrives twice.
 *
 * @typeParam O The type of an output's value.
 * @param client An `SNS` of `@aws-sdk/client-sns` with `topicArn`, or an `SQS` of `@aws-sdk/client-sqs` with `queueUrl`.
 * @param options Where to, and how a value is written.
 * @returns The function that `stored(consumer, save)` takes. It rejects with a `TypeError` if the service refuses a message,
 * and with an `Error` if it fails.
 * @throws {TypeError} If the client does not fit, or an option is unknown or of the wrong type.
 *
 * @example Events for other queues
 * ```ts
 * import { publish } from "@hosepipe/streams/queue/sqs";
 * import assert from "node:assert/strict";
 *
 * const sent: string[] = [];
 * const client = {
 *   publishBatch({ PublishBatchRequestEntries }: { PublishBatchRequestEntries: { Message: string }[] }) {
 *     sent.push(...PublishBatchRequestEntries.map(({ Message }) => Message));
 *     return Promise.resolve({});
 *   },
 * };
 * const save = publish<{ id: number }>(client, { topicArn: "arn:aws:sns:eu-central-1:1:paid" });
 * const message = { id: "a", body: "", deliveries: 1, failures: 0 };
 * await save([{ key: "a/0", value: { id: 7 }, index: 0, message }]);
 *
 * assert.deepEqual(sent, ['{"id":7}']);
 * ```
 */
export function publish<O = unknown>(
  client: SnsClient | Pick<SqsClient, "sendMessageBatch">,
  options: PublishOptions<O>,
): Publish<O> {
  const action = "create publish";
  checkOptions(action, options ?? {}, ["topicArn", "queueUrl", "format", "group", "attributes"]);
  const { topicArn, queueUrl, group, attributes } = options ?? {};
  const { format = (value: O) => typeof value === "string" ? value : JSON.stringify(value) } =
    options ?? {};
  for (const [name, value] of Object.entries({ format, group, attributes })) {
    if (value !== undefined) checkFunction(action, name, value);
  }
  const target = topicArn ?? queueUrl;
  if (typeof target !== "string" || (topicArn !== undefined && queueUrl !== undefined)) {
    throwTypeError(action, "options", "an object with either topicArn or queueUrl", options);
  }
  const method = topicArn === undefined ? "sendMessageBatch" : "publishBatch";
  checkFunction(
    action,
    `client.${method}`,
    (client as unknown as Record<string, unknown>)?.[method],
  );
  const isFifo = target.endsWith(".fifo");

  const send = (
    messages: (Message & { readonly Id: string })[],
    settings: { abortSignal?: AbortSignal },
  ): Promise<SqsBatchResult> => {
    const entryOf = <Text>({ Id, fifo, attributes }: (typeof messages)[number], text: Text) => ({
      ...{ Id, MessageAttributes: attributes },
      ...fifo,
      ...text,
    });
    if (topicArn === undefined) {
      const Entries = messages.map((one) => entryOf(one, { MessageBody: one.text }));
      return (client as SqsClient).sendMessageBatch({ QueueUrl: target, Entries }, settings);
    }
    const PublishBatchRequestEntries = messages.map((one) => entryOf(one, { Message: one.text }));
    return (client as SnsClient).publishBatch(
      { TopicArn: target, PublishBatchRequestEntries },
      settings,
    );
  };

  return async (outputs, { signal } = {}) => {
    const messages = await Promise.all(outputs.map(async ({ key, value }, index) => {
      const text = format(value);
      if (typeof text !== "string" || text === "") {
        throwTypeError("publish", `the text of ${key}`, "text that is not empty", text);
      }
      const named = Object.entries(attributes?.(value) ?? {});
      return {
        Id: `${index}`,
        text,
        fifo: isFifo
          ? { MessageGroupId: group?.(value) ?? "all", MessageDeduplicationId: await shorten(key) }
          : undefined,
        attributes: Object.fromEntries(
          named.map(([name, text]) => [name, { DataType: "String", StringValue: text }]),
        ),
      };
    }));
    const sizeOf = ({ text, attributes }: Message) => sizeOfMessage(text, attributes);
    const settings = signal === undefined ? {} : { abortSignal: signal };
    for (const batch of batchesOf(messages, sizeOf, mostBytes, mostEntries)) {
      signal?.throwIfAborted();
      const [refused] = await sendBatch(
        "publish",
        batch,
        (rest) =>
          send(rest, settings).catch((cause) => {
            signal?.throwIfAborted();
            throw new Error(`Cannot publish to ${target}: ${nameReason(cause)}`, { cause });
          }),
      );
      if (refused === undefined) continue;
      const { key } = outputs[Number(refused.Id)]!;
      throw new TypeError(
        `Cannot publish ${key}: ${refused.Code}, ${refused.Message ?? "refused"}`,
      );
    }
  };
}
