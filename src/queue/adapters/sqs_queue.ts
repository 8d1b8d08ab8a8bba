import { decodeBase64, encodeBase64 } from "../../base64.ts";
import { checkFunction, throwTypeError } from "../../errors.ts";
import { integer, readOptions, textLike } from "../../read_options.ts";
import type {
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  ReceiveOptions,
  SendOptions,
} from "../queue_source.ts";
import { checkSend } from "./check_send.ts";
import { describeReason } from "./describe_reason.ts";
import { batchesOf } from "./batches_of.ts";
import { decodeUtf8, KeptDelivery } from "./read_counts.ts";
import { mostBytes, mostEntries, nameReason, sendBatch, sizeOfMessage } from "./sqs_batches.ts";
import type {
  SqsAttribute,
  SqsBatchResult,
  SqsClient,
  SqsMessage,
  SqsSendEntry,
} from "./sqs_client.ts";

/** How `sqsQueue` works. */
export interface SqsQueueOptions {
  /** The queue's name; one of a FIFO queue ends in `.fifo`. */
  queue: string;
  /**
   * The name of the queue of dead letters, of the same kind. Default: the queue's name with `-dead`, before `.fifo`. It is
   * asked for only when a message has to go there.
   */
  deadQueue?: string | undefined;
  /**
   * How often a message may be handed over, a positive integer: if it comes once more, it becomes a dead letter, as
   * its workers may have died of it. Keep it above the consumer's `maxFailures`, and below `maxReceiveCount` of a redrive
   * policy of the queue's own, which otherwise moves the message without a reason. Default: 10.
   */
  maxDeliveries?: number | undefined;
}

/** A queue of Amazon SQS. */
export interface SqsQueueSource<T = unknown> extends QueueSource<T> {
  /**
   * Adds messages in batches of ten. If it rejects, some may be in the queue: the error says how many may not be.
   *
   * @throws {TypeError} If a body is neither text nor a `Uint8Array`, has a lone surrogate, or an option is of the wrong
   * type, unknown, or none that this queue can keep.
   * @throws {RangeError} If there is not an id or key for each body, a body is larger than the queue takes, or
   * `notBefore` is more than 15 minutes away.
   */
  send(bodies: readonly T[], options?: SendOptions): Promise<void>;
}

/** What stands beside a body that is not its own text, and that text's beginning: no body is empty. */
const kindName = "hosepipe-body";
/** The id that its sender gave it, and what stands beside a dead letter. */
const idName = "hosepipe-id";
const reasonName = "hosepipe-reason";
const deliveriesName = "hosepipe-deliveries";
const ownNames = [kindName, idName, reasonName, deliveriesName];
const codedMark = "base64,";
/** SQS refuses other characters. */
const plainText = /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]+$/u;
/** The longest waits that SQS knows, in seconds. */
/** How much longer than asked for an answer may take: a connection that is dead and does not show it ends no call. */
const graceMs = 10_000;
const longestWait = 20;
const longestDelay = 900;
const longestLease = 43_200;
/** So many calls at most receive at a time. */
const mostCalls = 20;

const seconds = (ms: number) => Math.min(longestLease, Math.ceil(ms / 1000));

const textOf = (value: unknown): SqsAttribute => ({
  DataType: "String",
  StringValue: `${value}`,
});

/** A body as SQS takes it, with what says how it is to be read. */
function encodeBody(
  body: string | Uint8Array,
): Pick<SqsSendEntry, "MessageBody" | "MessageAttributes"> {
  if (typeof body === "string" && plainText.test(body)) return { MessageBody: body };
  const isText = typeof body === "string";
  return {
    MessageBody: codedMark + encodeBase64(isText ? new TextEncoder().encode(body) : body),
    MessageAttributes: { [kindName]: textOf(isText ? "text" : "bytes") },
  };
}

/** What was sent, of a body and what says how it is to be read. */
function decodeBody(body: string, kind: string | undefined): string | Uint8Array {
  if (kind === undefined) return body;
  try {
    if (!["text", "bytes"].includes(kind) || !body.startsWith(codedMark)) {
      throw new Error("it has no such mark");
    }
    const bytes = decodeBase64(body.slice(codedMark.length));
    return kind === "text" ? decodeUtf8(bytes) : bytes;
  } catch (cause) {
    throw new TypeError("Its body is not what its mark says", { cause });
  }
}

const isMissing = (error: unknown) =>
  /QueueDoesNotExist|NonExistentQueue/.test(String((error as Error | undefined)?.name));

class SqsDelivery<T> extends KeptDelivery<T> {
  readonly id: string;
  override bytes: number;
  readonly handle: string;
  readonly message: SqsMessage;

  constructor(message: SqsMessage, maxDeliveries: number) {
    const { MessageId, ReceiptHandle, Body = "", Attributes, MessageAttributes } = message;
    const deliveries = Number(Attributes?.ApproximateReceiveCount ?? 1);
    // SQS counts deliveries alone: each before this one counts as a failure.
    super("", { deliveries, failures: deliveries - 1, isolations: 0 });
    this.message = message;
    this.id = MessageAttributes?.[idName]?.StringValue ?? MessageId!;
    this.handle = ReceiptHandle!;
    this.bytes = Body.length;
    if (deliveries > maxDeliveries) {
      const times = `${deliveries - 1} times`;
      this.setFlaw(new Error(`It was handed over ${times}, and came to no end`));
    }
    this.readBody(() => decodeBody(Body, MessageAttributes?.[kindName]?.StringValue));
  }
}

type SqsSettings = {
  readonly [Name in keyof SqsQueueOptions]-?: NonNullable<SqsQueueOptions[Name]>;
};

class SqsQueue<T extends string | Uint8Array> implements SqsQueueSource<T> {
  readonly #client: SqsClient;
  readonly #options: SqsSettings;
  readonly #isFifo: boolean;
  /** A FIFO queue gives several messages of one group in a call, which are to be worked on one by one. */
  readonly #mostInCall: number;
  readonly #urls = new Map<string, Promise<string>>();
  #leaseSeconds = 30;
  /** How many calls to make at once: twice those that had an answer last; after none, one that waits is enough. */
  #calls = mostCalls;

  constructor(client: SqsClient, options: SqsSettings) {
    this.#client = client;
    this.#options = options;
    this.#isFifo = options.queue.endsWith(".fifo");
    this.#mostInCall = this.#isFifo ? 1 : mostEntries;
  }

  async open(leaseMs: number): Promise<void> {
    this.#leaseSeconds = seconds(leaseMs);
    await this.#url();
  }

  async receive(max: number, options: ReceiveOptions): Promise<Delivery<T>[]> {
    const { waitMs, signal, maxBytes = Infinity } = options;
    const until = performance.now() + waitMs;
    if (signal.aborted) return [];
    let found = this.#calls === 0 && waitMs > 0 ? [] : await this.#receiveAtOnce(max, signal);
    while (found.length === 0 && !signal.aborted) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return [];
      const wait = Math.min(longestWait, Math.ceil(leftMs / 1000));
      found = await this.#receiveSome(Math.min(this.#mostInCall, max), wait, signal);
      if (found.length > 0) this.#calls = 1;
    }
    let bytes = 0;
    const fits = found.findIndex((one, index) => (bytes += one.bytes) > maxBytes && index > 0);
    if (fits < 0) return found;
    // SQS knows no limit of bytes; what cannot be given back comes after its lease.
    await this.nack(found.slice(fits)).catch(() => {});
    return found.slice(0, fits);
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    const QueueUrl = await this.#url();
    await this.#settle(
      "acknowledge",
      receipts,
      (Entries) => this.#client.deleteMessageBatch({ QueueUrl, Entries }),
    );
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    await this.#show("give back", receipts, 0);
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    await this.#show("fail", receipts, seconds(delayMs));
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    await this.#show(
      "isolate",
      [receipt],
      Math.min(longestLease, this.#leaseSeconds + seconds(delayMs)),
    );
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    await this.#show("extend", receipts, this.#leaseSeconds);
  }

  async deadLetter({ receipt }: Delivery<T>, reason: unknown): Promise<void> {
    const { id, deliveries, message } = receipt as SqsDelivery<T>;
    // Who has lost the lease buries nothing.
    const lost = await this.#show("bury", [receipt], this.#leaseSeconds);
    if (lost > 0) return;
    const QueueUrl = await this.#url(this.#options.deadQueue);
    const { MaximumMessageSize = mostBytes } = await this.#attributes(QueueUrl);
    const MessageBody = message.Body || " ";
    const room = Number(MaximumMessageSize) - sizeOfMessage(MessageBody + id) - 500;
    const others = Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {})
        .filter(([name]) => !ownNames.includes(name)).slice(0, mostEntries - ownNames.length),
    );
    const othersSize = sizeOfMessage("", others);
    const hasOthers = othersSize <= room / 2;
    const left = Math.floor((room - (hasOthers ? othersSize : 0)) / 3);
    const words = describeReason(reason).slice(0, Math.max(0, left));
    const kind = message.MessageAttributes?.[kindName];
    const entry: SqsSendEntry = {
      Id: "0",
      MessageBody,
      // A body of the largest size leaves room for nothing else.
      ...room >= 0 && {
        MessageAttributes: {
          ...hasOthers && others,
          ...kind && { [kindName]: kind },
          [reasonName]: textOf(
            words.replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/gu, "\ufffd") || " ",
          ),
          [idName]: textOf(id),
          [deliveriesName]: textOf(deliveries),
        },
      },
      // A message that is sent again and dies again has another one.
      ...this.#isFifo && { MessageGroupId: "dead", MessageDeduplicationId: message.MessageId },
    };
    const [refused] = await sendBatch(
      "bury",
      [entry],
      (Entries) => this.#client.sendMessageBatch({ QueueUrl, Entries }),
    );
    if (refused !== undefined) throw new Error(`Cannot bury a message: ${refused.Code}`);
    await this.ack([receipt]);
  }

  async send(bodies: readonly T[], options: SendOptions = {}): Promise<void> {
    checkSend(bodies, options);
    const { ids, keys, notBefore, rememberMs } = options;
    const refuse = (option: string, why: string): never => {
      throw new TypeError(`Cannot send: SQS has no ${option} ${why}`);
    };
    if (rememberMs !== undefined) {
      refuse("rememberMs", "of one's own: a FIFO queue remembers ids for five minutes");
    }
    if (!this.#isFifo && ids !== undefined) refuse("ids", "in a standard queue: use a FIFO queue");
    if (!this.#isFifo && keys !== undefined) {
      refuse("keys", "in a standard queue: use a FIFO queue");
    }
    if (this.#isFifo && notBefore !== undefined) {
      refuse("notBefore", "in a FIFO queue: use a standard queue");
    }
    const delay = Math.max(0, Math.ceil(((notBefore?.getTime() ?? 0) - Date.now()) / 1000));
    if (delay > longestDelay) {
      throw new RangeError(
        "Cannot send: notBefore must be at most 15 minutes away for SQS; send it later",
      );
    }
    const QueueUrl = await this.#url();
    const limit = Number((await this.#attributes(QueueUrl)).MaximumMessageSize ?? mostBytes);
    const sizes = new Map<SqsSendEntry, number>();
    const entries = bodies.map((body, index) => {
      const id = ids?.[index];
      const { MessageBody, MessageAttributes = {} } = encodeBody(body);
      if (id !== undefined) MessageAttributes[idName] = textOf(id);
      const size = sizeOfMessage(MessageBody, MessageAttributes);
      if (size > limit) {
        throw new RangeError(
          `Cannot send: bodies[${index}] must be at most ${limit} bytes for this queue, got ${size}`,
        );
      }
      const entry: SqsSendEntry = {
        Id: `${index}`,
        MessageBody,
        MessageAttributes,
        ...delay > 0 && { DelaySeconds: delay },
        ...this.#isFifo && {
          MessageGroupId: keys?.[index] ?? crypto.randomUUID(),
          MessageDeduplicationId: id ?? crypto.randomUUID(),
        },
      };
      sizes.set(entry, size);
      return entry;
    });
    let missing = bodies.length;
    for (const batch of batchesOf(entries, (entry) => sizes.get(entry)!, limit, mostEntries)) {
      const refused = await sendBatch(
        "send",
        batch,
        (Entries) => this.#client.sendMessageBatch({ QueueUrl, Entries }),
      ).catch((cause) => {
        throw new Error(
          `Cannot send: ${missing} of ${bodies.length} messages may not be in the queue: ${
            nameReason(cause)
          }`,
          { cause },
        );
      });
      if (refused.length > 0) {
        const { Id, Code, Message } = refused[0]!;
        throw new TypeError(
          `Cannot send: SQS refuses bodies[${Id}]: ${Code}${Message ? `, ${Message}` : ""}`,
        );
      }
      missing -= batch.length;
    }
  }

  async depth(): Promise<QueueDepth> {
    const read = async (url: string) => {
      const attributes = await this.#attributes(url);
      const count = (name: string) => Number(attributes[`ApproximateNumberOfMessages${name}`] ?? 0);
      return { waiting: count("") + count("Delayed"), leased: count("NotVisible") };
    };
    const own = await read(await this.#url());
    const none = (error: Error) => {
      if (!isMissing(error.cause)) throw error;
      return undefined;
    };
    const deadUrl = await this.#url(this.#options.deadQueue).catch(none);
    const { waiting, leased } = deadUrl === undefined
      ? { waiting: 0, leased: 0 }
      : await read(deadUrl);
    return { ...own, dead: waiting + leased };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Asked for once; what fails is asked for again. */
  #url(name: string = this.#options.queue): Promise<string> {
    const known = this.#urls.get(name);
    if (known !== undefined) return known;
    const ask = async () => {
      const { QueueUrl } = await this.#client.getQueueUrl({ QueueName: name });
      if (QueueUrl === undefined) throw new TypeError("the answer has no address");
      return QueueUrl;
    };
    const asked = ask();
    this.#urls.set(name, asked);
    asked.catch(() => this.#urls.delete(name));
    return asked.catch((cause) => {
      throw new Error(`Cannot use the SQS queue ${name}: ${nameReason(cause)}`, { cause });
    });
  }

  async #attributes(QueueUrl: string): Promise<Readonly<Partial<Record<string, string>>>> {
    return (await this.#client.getQueueAttributes({ QueueUrl, AttributeNames: ["All"] }))
      .Attributes ?? {};
  }

  /** As many calls at a time as it takes, none of which waits. */
  async #receiveAtOnce(max: number, signal: AbortSignal): Promise<SqsDelivery<T>[]> {
    const most = this.#mostInCall;
    const counts = Array.from(
      { length: Math.min(Math.max(1, this.#calls), Math.ceil(max / most)) },
      (_, call) => Math.min(most, max - call * most),
    );
    const answers = await Promise.allSettled(
      counts.map((count) => this.#receiveSome(count, 0, signal)),
    );
    const filled = answers.flatMap((answer) => answer.status === "fulfilled" ? [answer.value] : [])
      .filter(({ length }) => length > 0);
    const found = filled.flat();
    const failed = answers.find(({ status }) => status === "rejected") as
      | PromiseRejectedResult
      | undefined;
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    this.#calls = Math.min(mostCalls, 2 * filled.length);
    return found;
  }

  async #receiveSome(count: number, wait: number, signal: AbortSignal): Promise<SqsDelivery<T>[]> {
    const input = {
      QueueUrl: await this.#url(),
      MaxNumberOfMessages: count,
      WaitTimeSeconds: wait,
      VisibilityTimeout: this.#leaseSeconds,
      MessageSystemAttributeNames: ["ApproximateReceiveCount" as const],
      MessageAttributeNames: ["All"],
    };
    // Only a call that waits is aborted: what another has leased would be lost until the lease is over.
    const late = new AbortController();
    const timer = wait > 0
      ? setTimeout(
        () => late.abort(new Error("The broker does not answer")),
        wait * 1_000 + graceMs,
      )
      : undefined;
    const options = wait > 0 ? { abortSignal: AbortSignal.any([signal, late.signal]) } : {};
    try {
      const { Messages = [] } = await this.#client.receiveMessage(input, options);
      return Messages.map((message) => new SqsDelivery<T>(message, this.#options.maxDeliveries));
    } catch (error) {
      if (signal.aborted) return [];
      throw late.signal.aborted ? late.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** When they are handed over again; gives how many are leased by others, or gone. */
  async #show(
    action: string,
    receipts: readonly Receipt[],
    VisibilityTimeout: number,
  ): Promise<number> {
    const QueueUrl = await this.#url();
    return await this.#settle(
      action,
      receipts,
      (entries) =>
        this.#client.changeMessageVisibilityBatch({
          QueueUrl,
          Entries: entries.map((entry) => ({ ...entry, VisibilityTimeout })),
        }),
    );
  }

  /** A receipt whose lease is over is refused, which is no error; gives how many are. */
  async #settle(
    action: string,
    receipts: readonly Receipt[],
    send: (entries: { Id: string; ReceiptHandle: string }[]) => Promise<SqsBatchResult>,
  ): Promise<number> {
    const entries = (receipts as readonly SqsDelivery<T>[])
      .map(({ handle }, index) => ({ Id: `${index}`, ReceiptHandle: handle }));
    const batches = batchesOf(entries, () => 0, Infinity, mostEntries);
    const refused = await Promise.all(batches.map((batch) => sendBatch(action, batch, send)));
    return refused.flat().length;
  }
}

const queueForm = /^[\w-]{1,80}(?:\.fifo)?$/;

/**
 * A queue of Amazon SQS, standard or FIFO, for any number of machines.
 *
 * SQS counts how often it has handed a message over, and nothing else. So a message that is given back, or whose
 * worker has died, counts as one that has failed; one that was handed over `maxDeliveries` times becomes a dead letter.
 * Dead letters go to a queue of their own, with the reason, the id and the count as attributes `hosepipe-reason`,
 * `hosepipe-id` and `hosepipe-deliveries`, and with up to six attributes of the sender's, as far as there is room beside
 * the body; send them back from there as any message. Leases and delays are whole seconds.
 * In a FIFO queue `keys` are groups, and `ids` are deduplication ids, which it remembers for five minutes. It is asked for
 * one message a call, since a call of more may give several of a group. A wait that is given up may have leased
 * messages, which come again after the lease.
 *
 * @typeParam T What a message is: text or bytes.
 * @param client An `SQS` of `@aws-sdk/client-sqs`; it stays yours to destroy.
 * @param options The queue's name.
 * @returns The queue, for a `Consumer`, and for `send`.
 * @throws {TypeError} If the client lacks a method, a name is not one, or an option is unknown.
 * @throws {RangeError} If `maxDeliveries` is not a positive integer.
 *
 * @example Orders, in order of their customers
 * ```ts
 * import { sqsQueue } from "@hosepipe/streams/queue/sqs";
 * import { SQS } from "@aws-sdk/client-sqs";
 * import assert from "node:assert/strict";
 * import process from "node:process";
 *
 * const endpoint = process.env.SQS_ENDPOINT;
 * if (endpoint !== undefined) {
 *   const client = new SQS({ endpoint, region: "eu-central-1" });
 *   const queue = sqsQueue<string>(client, { queue: "orders.fifo" });
 *   await queue.send(["paid", "shipped"], { keys: ["ada", "ada"] });
 *   assert((await queue.depth()).waiting >= 2);
 *   client.destroy();
 * }
 * ```
 */
export function sqsQueue<T extends string | Uint8Array = string>(
  client: SqsClient,
  options: SqsQueueOptions,
): SqsQueueSource<T> {
  const action = "create sqsQueue";
  if (typeof client !== "object" || client === null) {
    throwTypeError(action, "client", "an SQS of @aws-sdk/client-sqs", client);
  }
  for (
    const name of [
      ...["getQueueUrl", "getQueueAttributes", "receiveMessage", "sendMessageBatch"] as const,
      ...["deleteMessageBatch", "changeMessageVisibilityBatch"] as const,
    ]
  ) checkFunction(action, `client.${name}`, client[name]);
  const deadQueue = `${options?.queue}`.replace(/(?=\.fifo$)|(?<!\.fifo)$/, "-dead");
  const settings = readOptions(action, options ?? {} as SqsQueueOptions, {
    queue: textLike("the name of a queue", queueForm),
    deadQueue: textLike("the name of a queue", queueForm, deadQueue),
    maxDeliveries: integer(10),
  });
  return new SqsQueue<T>(client, settings);
}
