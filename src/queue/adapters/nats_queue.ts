import { checkFunction, throwTypeError } from "../../errors.ts";
import { oneOf, readOptions, textLike } from "../../read_options.ts";
import { checkSend, refuseOptions } from "./check_send.ts";
import { describeReason } from "./describe_reason.ts";
import {
  findDrops,
  type NatsAccount,
  NatsAccounts,
  natsApi,
  type NatsLimits,
  type NatsSafety,
} from "./nats_accounts.ts";
import {
  connectionOf,
  type NatsClient,
  type NatsConnection,
  type NatsMessage,
} from "./nats_client.ts";
import { natsPull } from "./nats_pull.ts";
import { decodeUtf8, type Flaw } from "./read_counts.ts";
import type {
  Delivery,
  OpenOptions,
  QueueDepth,
  QueueSource,
  Receipt,
  ReceiveOptions,
  SendOptions,
} from "../queue_source.ts";

/** What the address for answers says: how often a message has been handed over, and which of its stream it is. */
function readReply(reply: string): [handedOver: number, sequence: number] {
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…: nine tokens, or with a domain and an account's hash after
  // ACK. Not split: that would take longer than the rest of the delivery.
  const numbers: [number, number, number, number] = [0, 0, 0, 0];
  let token = 0;
  for (let index = 0; index < reply.length; index++) {
    const code = reply.charCodeAt(index);
    if (code === dot) token++;
    else if (token >= 4 && token < 8) numbers[token - 4] = numbers[token - 4]! * 10 + code - zero;
  }
  return token === 8 ? [numbers[0], numbers[1]] : [numbers[2], numbers[3]];
}

const dot = ".".charCodeAt(0);
const zero = "0".charCodeAt(0);

/** A message as JetStream hands it over: one object, since there are many. */
class NatsDelivery implements Delivery<string | Uint8Array>, Receipt, NatsAccount {
  readonly reply: string;
  readonly sequence: number;
  readonly handedOver: number;
  readonly body: string | Uint8Array;
  flaw: Flaw | undefined;
  failures = 0;
  nacked = 0;
  isolations = 0;
  delayMs = 0;
  isNoted = false;
  /** When its lease is over, by `performance.now()`. */
  heldUntil = Infinity;
  /** That of the stream it came from, once that is sure. */
  tag: string;

  constructor({ reply = "", data }: NatsMessage, tag: string, format: "text" | "bytes") {
    const [handedOver, sequence] = readReply(reply);
    this.tag = tag;
    this.reply = reply;
    this.sequence = sequence;
    this.handedOver = handedOver;
    let body: string | Uint8Array = data;
    let flaw: Flaw | undefined;
    try {
      if (format === "text") body = decodeUtf8(data);
    } catch (reason) {
      flaw = { reason };
    }
    this.body = body;
    this.flaw = flaw;
  }

  // Made when it is asked for, as all that follows from the rest.
  get id(): string {
    return `${this.tag}-${this.sequence}`;
  }

  get receipt(): Receipt {
    return this;
  }

  get deliveries(): number {
    return this.handedOver - this.nacked;
  }

  /** Takes over what was noted of it at earlier deliveries. */
  setAccount({ failures, nacked, isolations, delayMs, isNoted, flaw }: NatsAccount): void {
    this.flaw ??= flaw;
    this.failures = failures;
    this.nacked = nacked;
    this.isolations = isolations;
    this.delayMs = delayMs;
    this.isNoted = isNoted;
  }
}

/** How `natsQueue` works. */
export interface NatsQueueOptions {
  /** The stream that has the messages. */
  stream: string;
  /** A durable pull consumer of that stream, with explicit acknowledgement and `max_deliver` unlimited. */
  consumer: string;
  /** What messages are sent to; default: the first subject of the stream, if it has no wildcard. */
  subject?: string | undefined;
  /** What a body is: text in UTF-8, or bytes as they are. Default: `"text"`. */
  format?: "text" | "bytes" | undefined;
}

const timeoutMs = 2_000;
/** Messages that are sent before the first of them is confirmed. */
const sendWindow = 256;
const encoder = new TextEncoder();
const acknowledged = encoder.encode("+ACK");
const refused = encoder.encode("-NAK");
const inProgress = encoder.encode("+WPI");

/** What has a message delivered again after a while. */
function refusalFor(delayMs: number): Uint8Array {
  return encoder.encode(`-NAK ${JSON.stringify({ delay: Math.max(1, delayMs) * 1_000_000 })}`);
}

/** The share of a lease that is counted on here: the server's has begun before the message has come. */
const heldShare = 0.9;

class NatsQueue implements QueueSource<string | Uint8Array> {
  readonly #client: NatsClient;
  readonly #connection: NatsConnection;
  readonly #options: NatsQueueOptions;
  readonly #accounts: NatsAccounts;
  readonly #format: "text" | "bytes";
  /** Part of every id: a stream that was deleted and made again is another. */
  #tag = "";
  #onReplaced: () => void = () => {};
  #info: StreamInfo | undefined;
  #ackWaitMs = Infinity;

  constructor(client: NatsClient, connection: NatsConnection, options: NatsQueueOptions) {
    this.#client = client;
    this.#connection = connection;
    this.#options = options;
    this.#accounts = new NatsAccounts(client, connection, options);
    this.#format = options.format ?? "text";
  }

  async open(leaseMs: number, { onReplaced }: OpenOptions = {}): Promise<void> {
    const { stream, consumer } = this.#options;
    if (onReplaced !== undefined) this.#onReplaced = onReplaced;
    const { config: settings } = await this.#readTag();
    const { config } = await this.#api<ConsumerInfo>(`CONSUMER.INFO.${stream}.${consumer}`);
    const refuse = (problem: string) =>
      new Error(`Cannot open consumer ${consumer} of stream ${stream}: ${problem}`);
    const drops = findDrops(settings);
    if (drops !== undefined) throw new Error(`Cannot open stream ${stream}: ${drops}`);
    if (config.deliver_subject) throw refuse("it must be a pull consumer");
    if (config.ack_policy !== "explicit") throw refuse("ack_policy must be explicit");
    if ((config.max_deliver ?? -1) > 0) throw refuse("max_deliver must be unlimited (-1)");
    if (config.backoff?.length) throw refuse("backoff must not be set");
    const ackWaitMs = (config.ack_wait ?? 0) / 1e6;
    if (ackWaitMs < leaseMs) {
      throw refuse(`ack_wait must be at least the lease of ${leaseMs} ms, got ${ackWaitMs} ms`);
    }
    this.#ackWaitMs = ackWaitMs;
    await this.#accounts.open(settings);
  }

  async receive(most: number, options: ReceiveOptions): Promise<Delivery<string | Uint8Array>[]> {
    const { stream, consumer } = this.#options;
    const { waitMs, signal } = options;
    const subject = `${this.#client.apiPrefix}.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    const until = performance.now() + waitMs;
    if (this.#tag === "") await this.#readTag();
    const { max, maxBytes } = this.#limitsFor(most, options.maxBytes);
    for (let leftMs = waitMs;; leftMs = until - performance.now()) {
      const tag = this.#tag;
      const found = await natsPull(this.#connection, {
        subject,
        max,
        maxBytes,
        signal,
        waitMs: Math.max(1, leftMs),
        // As each arrives: what the client made of it is then soon forgotten.
        read: (message) => new NatsDelivery(message, tag, this.#format),
        onLate: (delivery) => void this.#nackLate(delivery),
      });
      if (found.length === 0) return found;
      this.#hold(found);
      try {
        await this.#readTag();
        // The stream was the same before and after: so it is theirs. Otherwise whose they are is not known.
        if (this.#tag !== tag) this.#refuse(found);
        else {
          await this.#readAccounts(found);
          const ready = await this.#withoutDelayed(found);
          if (ready.length > 0) return ready;
        }
      } catch (error) {
        this.#refuse(found);
        throw error;
      }
      if (signal.aborted || performance.now() >= until) return [];
    }
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    // The server would take it for an answer to the message of a new stream that has the same number.
    await this.#readTag();
    await this.#answer(receipts, acknowledged);
    this.#accounts.forget(receipts as NatsDelivery[]);
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    const held = this.#held(receipts);
    await this.#note(held, ({ nacked }) => ({ nacked: nacked + 1 }));
    await this.#answer(held, refused);
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    const held = this.#held(receipts);
    await this.#note(held, ({ failures }) => ({ failures: failures + 1, isolations: 0 }));
    await this.#answer(held, refusalFor(delayMs));
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    await this.#note([receipt], ({ isolations }) => ({ isolations: isolations + 1, delayMs }));
  }

  orphans(): Promise<number> {
    return this.#accounts.countOrphans();
  }

  async extend(receipts: readonly Receipt[]): Promise<void> {
    const held = this.#held(receipts);
    const now = performance.now();
    await this.#answer(held, inProgress);
    this.#hold(held, now);
  }

  async deadLetter(delivery: Delivery<string | Uint8Array>, reason: unknown): Promise<void> {
    const { sequence } = delivery.receipt as NatsDelivery;
    const { id, body, deliveries, failures } = delivery;
    await this.#accounts.deadLetter(body, {
      id,
      sequence,
      deliveries,
      failures,
      reason: describeReason(reason),
      diedAt: new Date().toISOString(),
    });
    await this.ack([delivery.receipt]);
  }

  async send(bodies: readonly (string | Uint8Array)[], options: SendOptions = {}): Promise<void> {
    checkSend(bodies, options, this.#format);
    refuseOptions("NATS", options);
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

  /** Reads which stream it is now; if that is another than before, it is reported. */
  async #readTag(): Promise<StreamInfo> {
    const info = this.#info = await this.#streamInfo();
    const before = this.#tag;
    this.#tag = Date.parse(info.created).toString(36);
    if (before !== "" && before !== this.#tag) this.#onReplaced();
    return info;
  }

  /**
   * How many messages a pull may bring, and how many bytes. A cluster says that such a pull is over before it sends what
   * the pull has brought, so there the limit of bytes is kept by the average size of a message.
   */
  #limitsFor(max: number, maxBytes: number | undefined): { max: number; maxBytes?: number } {
    const { config, state } = this.#info ?? {};
    if (maxBytes === undefined || (config?.num_replicas ?? 1) === 1) return { max, maxBytes };
    const averageBytes = (state?.bytes ?? 0) / Math.max(1, state?.messages ?? 0);
    return { max: Math.max(1, Math.min(max, Math.floor(maxBytes / Math.max(1, averageBytes)))) };
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

  #hold(deliveries: readonly NatsDelivery[], now = performance.now()): void {
    const until = now + heldShare * this.#ackWaitMs;
    for (const delivery of deliveries) delivery.heldUntil = until;
  }

  /** Those whose lease is not over: the server takes any answer for that of the worker that has the message now. */
  #held(receipts: readonly Receipt[]): NatsDelivery[] {
    const now = performance.now();
    return (receipts as readonly NatsDelivery[]).filter(({ heldUntil }) => heldUntil > now);
  }

  /** Answers deliveries; the server takes answers in order, so that the last one's confirmation is that of all. */
  async #answer(receipts: readonly Receipt[], answer: Uint8Array): Promise<void> {
    const same = (receipts as readonly NatsDelivery[]).filter(({ tag }) => tag === this.#tag);
    const last = same.at(-1);
    if (last === undefined) return;
    for (const receipt of same) {
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

  /** Writes down what is new of messages, beside what was known of them at their delivery. */
  async #note(
    receipts: readonly Receipt[],
    changes: (account: NatsAccount) => Partial<NatsAccount>,
  ): Promise<void> {
    await Promise.all((receipts as NatsDelivery[]).map((account) => {
      const { id, failures, nacked, isolations, isNoted } = account;
      // A delay is that of the isolation which is noted, and no other.
      const before = { id, failures, nacked, isolations, delayMs: 0, isNoted };
      return this.#accounts.write({ ...before, ...changes(account) });
    }));
  }

  /** What is handed over for the first time has no account yet, and none is asked for. */
  async #readAccounts(deliveries: readonly NatsDelivery[]): Promise<void> {
    const known = deliveries.filter(({ handedOver }) => handedOver > 1);
    await Promise.all(known.map(async (delivery) => {
      delivery.setAccount(await this.#accounts.read(delivery.id));
    }));
  }

  /** Those whose worker has died wait now for as long as was noted then. */
  async #withoutDelayed(deliveries: NatsDelivery[]): Promise<NatsDelivery[]> {
    const delayed = deliveries.filter(({ delayMs }) => delayMs > 0);
    if (delayed.length === 0) return deliveries;
    for (const delivery of delayed) {
      await this.#note([delivery], ({ nacked }) => ({ nacked: nacked + 1 }));
      await this.#answer([delivery], refusalFor(delivery.delayMs));
    }
    return deliveries.filter(({ delayMs }) => delayMs === 0);
  }

  /** What comes after its wait was given up goes back, as if it had not been delivered. */
  async #nackLate(delivery: NatsDelivery): Promise<void> {
    this.#hold([delivery]);
    try {
      await this.#readTag();
      // Its number may be that of a message of the new stream, which another worker has.
      if (this.#tag !== delivery.tag) return;
      await this.#readAccounts([delivery]);
      await this.nack([delivery]);
    } catch {
      // The broker is away; the lease runs out.
    }
  }

  /** They would stay leased to no one: others may have them, if the broker still learns of it. */
  #refuse(deliveries: readonly NatsDelivery[]): void {
    try {
      for (const { reply } of deliveries) this.#connection.publish(reply, refused);
    } catch {
      // The connection is closed; their leases run out.
    }
  }
}

const nameReader = textLike("a name without . * > / \\ or space", /^[^\s.*>/\\]+$/);
const subjectReader = textLike("a subject without wildcard", /^[^\s*>]+$/);

interface StreamInfo {
  readonly created: string;
  readonly config: NatsLimits & NatsSafety & { readonly subjects?: readonly string[] };
  readonly state?: { readonly messages: number; readonly bytes: number };
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
 * A queue in a stream of NATS JetStream, for any number of machines that reach it.
 *
 * JetStream counts no failures, so there is a second stream, `<stream>_<consumer>_dead`, created if it is missing. It
 * has a note for each message that failed or was given back (`….note.<id>`), and the dead letters
 * (`….letter.<id>` is the reason, `….body.<id>` the message itself). A message that is given back counts
 * as leased until it is delivered again, since JetStream does not distinguish the two.
 *
 * `open` refuses streams that would drop messages silently: with `max_msgs` or `max_bytes` they need
 * `discard: "new"`. `max_age` is up to you: what is older is gone.
 *
 * @typeParam Format What a message is: text or bytes.
 * @param client A JetStream client of `@nats-io/jetstream`; its connection stays yours to close.
 * @param options The stream and its consumer.
 * @returns A queue for a `Consumer`.
 * @throws {TypeError} If the client is not one, or an option is missing, of the wrong type, or unknown.
 *
 * @example Bad options fail at once
 * ```ts
 * import { natsQueue } from "@hosepipe/streams/queue/nats";
 * import { jetstream } from "@nats-io/jetstream";
 * import { connect } from "@nats-io/transport-node";
 * import assert from "node:assert/strict";
 *
 * async function openOrders(servers: string) {
 *   const connection = await connect({ servers, maxReconnectAttempts: -1 });
 *   return natsQueue(jetstream(connection), { stream: "orders", consumer: "rows" });
 * }
 *
 * assert.throws(() => natsQueue(openOrders as never, { stream: "orders", consumer: "rows" }), TypeError);
 * ```
 */
export function natsQueue<const Format extends "text" | "bytes" = "text">(
  client: NatsClient,
  options: NatsQueueOptions & { format?: Format | undefined },
): QueueSource<Format extends "bytes" ? Uint8Array : string> {
  const action = "create natsQueue";
  const connection = connectionOf(client);
  if (connection === undefined) throwTypeError(action, "client", "a JetStream client", client);
  checkFunction(action, "client.publish", client.publish);
  const settings = readOptions(action, options ?? {} as NatsQueueOptions, {
    stream: nameReader,
    consumer: nameReader,
    subject: (action, name, value) =>
      value === undefined ? value : subjectReader(action, name, value),
    format: oneOf(["text", "bytes"], "text"),
  });
  return new NatsQueue(client, connection!, settings) as unknown as QueueSource<
    Format extends "bytes" ? Uint8Array : string
  >;
}
