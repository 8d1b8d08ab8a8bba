// Over 200 lines: one source, with a method for each thing that a consumer asks of a broker.
import { checkFunction, checkOptions, throwTypeError } from "../../errors.ts";
import type {
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  ReceiveOptions,
} from "../queue_source.ts";
import { type NatsAccount, NatsAccounts, newAccount } from "./nats_accounts.ts";
import { natsApi } from "./nats_api.ts";
import {
  connectionOf,
  type NatsClient,
  type NatsConnection,
  type NatsMessage,
} from "./nats_client.ts";
import { natsPull } from "./nats_pull.ts";
import { type NatsReply, readNatsReply } from "./nats_reply.ts";
import { describeReason } from "./describe_reason.ts";

/** How `natsQueue` works. */
export interface NatsQueueOptions {
  /** The stream that has the messages. */
  stream: string;
  /** A durable pull consumer of that stream, with explicit acknowledgement and `max_deliver` unlimited. */
  consumer: string;
  /** What messages are sent to; default: the first subject of the stream, if it has no wildcard. */
  subject?: string;
  /** What a body is: text in UTF-8, or bytes as they are. Default: `"text"`. */
  format?: "text" | "bytes";
}

interface NatsReceipt extends Receipt {
  readonly reply: string;
  /** As it was at the delivery. */
  readonly account: NatsAccount;
}

const timeoutMs = 2_000;
/** Messages that are sent before the first of them is confirmed. */
const sendWindow = 256;
const encoder = new TextEncoder();
const acknowledged = encoder.encode("+ACK");
const refused = encoder.encode("-NAK");
const inProgress = encoder.encode("+WPI");

class NatsQueue implements QueueSource<string | Uint8Array> {
  readonly #client: NatsClient;
  readonly #connection: NatsConnection;
  readonly #options: NatsQueueOptions;
  readonly #accounts: NatsAccounts;
  readonly #decoder: TextDecoder | undefined;
  /** Part of every id: a stream that was deleted and made again is another. */
  #tag = "";

  constructor(client: NatsClient, connection: NatsConnection, options: NatsQueueOptions) {
    this.#client = client;
    this.#connection = connection;
    this.#options = options;
    this.#accounts = new NatsAccounts(client, connection, options);
    // A byte that is no text must not become another one in silence.
    if (options.format !== "bytes") {
      this.#decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    }
  }

  async open(leaseMs: number): Promise<void> {
    const { stream, consumer } = this.#options;
    const { created, config: { storage, num_replicas } } = await this.#streamInfo();
    this.#tag = Date.parse(created).toString(36);
    const { config } = await this.#api<ConsumerInfo>(`CONSUMER.INFO.${stream}.${consumer}`);
    const refuse = (problem: string) =>
      new Error(`Cannot open consumer ${consumer} of stream ${stream}: ${problem}`);
    if (config.deliver_subject) throw refuse("it must be a pull consumer");
    if (config.ack_policy !== "explicit") throw refuse("ack_policy must be explicit");
    if ((config.max_deliver ?? -1) > 0) throw refuse("max_deliver must be unlimited (-1)");
    if (config.backoff?.length) throw refuse("backoff must not be set");
    const ackWaitMs = (config.ack_wait ?? 0) / 1e6;
    if (ackWaitMs < leaseMs) {
      throw refuse(`ack_wait must be at least the lease of ${leaseMs} ms, got ${ackWaitMs} ms`);
    }
    await this.#accounts.open({ storage, num_replicas });
  }

  async receive(max: number, options: ReceiveOptions): Promise<Delivery<string | Uint8Array>[]> {
    const { stream, consumer } = this.#options;
    const subject = `${this.#client.apiPrefix}.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    const messages = await natsPull(this.#connection, { subject, max, ...options });
    const replies = messages.map(({ reply }) => readNatsReply(reply ?? ""));
    try {
      return await this.#toDeliveries(messages, replies);
    } catch (error) {
      // They would stay leased to nobody: let others have them, as far as the broker still hears of it.
      for (const { reply } of replies) this.#connection.publish(reply, refused);
      throw error;
    }
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    await this.#answer(receipts, acknowledged);
    this.#accounts.forget((receipts as NatsReceipt[]).map(({ account }) => account));
  }

  async giveBack(receipts: readonly Receipt[]): Promise<void> {
    await Promise.all(
      (receipts as NatsReceipt[]).map(({ account }) =>
        this.#accounts.write({ ...account, givenBack: account.givenBack + 1 })
      ),
    );
    await this.#answer(receipts, refused);
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    await Promise.all(
      (receipts as NatsReceipt[]).map(({ account }) =>
        this.#accounts.write({ ...account, failures: account.failures + 1, isolations: 0 })
      ),
    );
    const delay = JSON.stringify({ delay: Math.max(1, delayMs) * 1_000_000 });
    await this.#answer(receipts, encoder.encode(`-NAK ${delay}`));
  }

  async isolate(receipt: Receipt): Promise<void> {
    const { account } = receipt as NatsReceipt;
    await this.#accounts.write({ ...account, isolations: account.isolations + 1 });
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    await this.#answer(receipts, inProgress);
  }

  async deadLetter(delivery: Delivery<string | Uint8Array>, reason: unknown): Promise<void> {
    const { account } = delivery.receipt as NatsReceipt;
    const { body, deliveries, failures } = delivery;
    await this.#accounts.bury(account.sequence, body, {
      id: delivery.id,
      sequence: account.sequence,
      deliveries,
      failures,
      reason: describeReason(reason),
      diedAt: new Date().toISOString(),
    });
    await this.ack([delivery.receipt]);
  }

  async send(bodies: readonly (string | Uint8Array)[]): Promise<void> {
    const subject = this.#options.subject ?? await this.#onlySubject();
    for (let from = 0; from < bodies.length; from += sendWindow) {
      await Promise.all(
        bodies.slice(from, from + sendWindow).map((body) =>
          // The id lets a repetition of the client's own pass for the same message.
          this.#client.publish(subject, body, { msgID: crypto.randomUUID() })
        ),
      );
    }
  }

  async depth(): Promise<QueueDepth> {
    const { stream, consumer } = this.#options;
    const [{ num_pending, num_ack_pending }, dead] = await Promise.all([
      this.#api<ConsumerInfo>(`CONSUMER.INFO.${stream}.${consumer}`),
      this.#accounts.countDead(),
    ]);
    return { waiting: num_pending, leased: num_ack_pending, dead };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #api<R>(name: string, request?: unknown): Promise<R> {
    return natsApi<R>(this.#client, this.#connection, name, request);
  }

  #streamInfo(): Promise<StreamInfo> {
    return this.#api<StreamInfo>(`STREAM.INFO.${this.#options.stream}`);
  }

  async #onlySubject(): Promise<string> {
    const { config: { subjects = [] } } = await this.#streamInfo();
    const [subject] = subjects;
    if (subject === undefined || /[*>]/.test(subject)) {
      throw new TypeError(
        `Cannot send: stream ${this.#options.stream} has no subject without a wildcard, name one`,
      );
    }
    return subject;
  }

  /** Answers deliveries; the server takes answers in order, so that the last one's confirmation is that of all. */
  async #answer(receipts: readonly Receipt[], answer: Uint8Array): Promise<void> {
    const last = receipts.at(-1) as NatsReceipt | undefined;
    if (last === undefined) return;
    for (const receipt of receipts as readonly NatsReceipt[]) {
      if (receipt !== last) this.#connection.publish(receipt.reply, answer);
    }
    try {
      await this.#connection.request(last.reply, answer, { timeout: timeoutMs });
    } catch {
      // A broker that has crashed may not know of the delivery any more. It then says nothing, and delivers again.
      await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    let timer: ReturnType<typeof setTimeout>;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("The broker does not answer")), timeoutMs);
    });
    try {
      await Promise.race([this.#connection.flush(), late]);
    } finally {
      clearTimeout(timer!);
    }
  }

  async #toDeliveries(
    messages: readonly NatsMessage[],
    replies: readonly NatsReply[],
  ): Promise<Delivery<string | Uint8Array>[]> {
    const accounts = await this.#readAccounts(replies);
    const deliveries: Delivery<string | Uint8Array>[] = [];
    for (let index = 0; index < messages.length; index++) {
      const { data } = messages[index]!;
      const { reply, handedOver, sequence } = replies[index]!;
      const account = accounts[index]!;
      const { failures, givenBack, isolations } = account;
      const id = `${this.#tag}-${sequence}`;
      const receipt: NatsReceipt = { id, reply, account };
      const count = handedOver - givenBack;
      try {
        const body = this.#decoder === undefined ? data : this.#decoder.decode(data);
        deliveries.push({ id, body, receipt, deliveries: count, failures, isolations });
      } catch (reason) {
        const delivery = { id, body: data, receipt, deliveries: count, failures, isolations };
        await this.deadLetter(delivery, reason);
      }
    }
    return deliveries;
  }

  /** A message that is handed over for the first time has no account yet, and need not be asked for. */
  async #readAccounts(replies: readonly NatsReply[]): Promise<NatsAccount[]> {
    const accounts = replies.map(({ sequence }) => newAccount(sequence));
    const known = replies.keys().filter((index) => replies[index]!.handedOver > 1);
    await Promise.all(known.map(async (index) => {
      accounts[index] = await this.#accounts.read(replies[index]!.sequence);
    }));
    return accounts;
  }
}

interface StreamInfo {
  readonly created: string;
  readonly config: {
    readonly subjects?: readonly string[];
    readonly storage: string;
    readonly num_replicas: number;
  };
}

interface ConsumerInfo {
  readonly num_pending: number;
  readonly num_ack_pending: number;
  readonly config: {
    readonly ack_policy: string;
    readonly ack_wait?: number;
    readonly backoff?: readonly number[];
    readonly deliver_subject?: string;
    readonly max_deliver?: number;
  };
}

/**
 * A queue in a stream of NATS JetStream, for as many machines as reach it.
 *
 * Neither counts failures, so there is a second stream, `<stream>_<consumer>_dead`, made if it is not there: it has a
 * note for each message that failed or was given back (`….note.<sequence>`), and the dead letters (`….letter.<sequence>`
 * is the reason, `….body.<sequence>` the message itself). What is given back counts as leased until it is handed over
 * again, since JetStream tells no difference.
 *
 * @typeParam Format What a message is: text or bytes.
 * @param client A JetStream client of `@nats-io/jetstream`; its connection stays yours to close.
 * @param options The stream and its consumer.
 * @returns A queue for a `Consumer`.
 * @throws {TypeError} If the client is not one, or an option is missing, of the wrong type, or unknown.
 * @throws {RangeError} If `format` is neither `"text"` nor `"bytes"`.
 *
 * @example Bad options fail at once
 * ```ts
 * import { natsQueue } from "@hosepipe/streams/queue/nats";
 * import { jetstream } from "@nats-io/jetstream";
 * import { connect } from "@nats-io/transport-node";
 * import { assertThrows } from "@std/assert";
 *
 * async function openOrders(servers: string) {
 *   const connection = await connect({ servers, maxReconnectAttempts: -1 });
 *   return natsQueue(jetstream(connection), { stream: "orders", consumer: "rows" });
 * }
 *
 * assertThrows(() => natsQueue(openOrders as never, { stream: "orders", consumer: "rows" }), TypeError);
 * ```
 */
export function natsQueue<const Format extends "text" | "bytes" = "text">(
  client: NatsClient,
  options: NatsQueueOptions & { format?: Format },
): QueueSource<Format extends "bytes" ? Uint8Array : string> {
  const action = "create natsQueue";
  const connection = connectionOf(client);
  if (connection === undefined) throwTypeError(action, "client", "a JetStream client", client);
  checkFunction(action, "client.publish", client.publish);
  checkOptions(action, options ?? {}, ["stream", "consumer", "subject", "format"]);
  const { stream, consumer, subject, format = "text" } = options ?? {};
  for (const [name, value] of Object.entries({ stream, consumer })) {
    if (typeof value !== "string" || !/^[^\s.*>/\\]+$/.test(value)) {
      throwTypeError(action, name, "a name without . * > / \\ or space", value);
    }
  }
  if (subject !== undefined && (typeof subject !== "string" || !/^[^\s*>]+$/.test(subject))) {
    throwTypeError(action, "subject", "a subject without wildcard", subject);
  }
  if (typeof format !== "string") throwTypeError(action, "format", '"text" or "bytes"', format);
  if (format !== "text" && format !== "bytes") {
    throw new RangeError(`Cannot ${action}: format must be "text" or "bytes", got "${format}"`);
  }
  return new NatsQueue(client, connection!, options) as unknown as QueueSource<
    Format extends "bytes" ? Uint8Array : string
  >;
}
