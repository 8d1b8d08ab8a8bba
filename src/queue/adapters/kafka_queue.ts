import { builtinModule } from "../../builtin_module.ts";
import { byteLengthOf } from "../../byte_length.ts";
import { checkFunction, throwTypeError } from "../../errors.ts";
import { integer, oneOf, readOptions, textLike } from "../../read_options.ts";
import type {
  Delivery,
  QueueDepth,
  QueueSource,
  Receipt,
  ReceiveOptions,
  SendOptions,
} from "../queue_source.ts";
import { Backoff, pause, retryUntilDone } from "../retry_until_done.ts";
import { Arrivals } from "./arrivals.ts";
import { checkSend, refuseOptions } from "./check_send.ts";
import { describeReason } from "./describe_reason.ts";
import type {
  KafkaAdmin,
  KafkaBatchPayload,
  KafkaClient,
  KafkaConsumer,
  KafkaHeaders,
  KafkaProducer,
} from "./kafka_client.ts";
import { type KafkaDelivery, KafkaPartition, readKafkaNotes } from "./kafka_partition.ts";
import { batchesOf } from "./batches_of.ts";

/** How `kafkaQueue` works. */
export interface KafkaQueueOptions {
  /** The topic that has the messages. */
  topic: string;
  /** The consumer group, whose members share the partitions. */
  group: string;
  /** The topic of dead letters. Default: the topic's name with `.dead`. */
  deadTopic?: string | undefined;
  /**
   * How far behind the first message of a partition that has not settled others may be worked on, a positive integer: so
   * much may be repeated if what the group has noted is lost. Default: 1,000.
   */
  window?: number | undefined;
  /**
   * After how long without a sign of life a member loses its partitions, in milliseconds, a positive integer. Default:
   * `leaseMs` of the consumer, or 6,000 if that is less and the broker refuses it, as brokers do by default.
   */
  sessionTimeoutMs?: number | undefined;
  /** What a body is: text in UTF-8, or bytes as they are. Default: `"text"`. */
  format?: "text" | "bytes" | undefined;
}

interface KafkaSettings extends KafkaQueueOptions {
  deadTopic: string;
  window: number;
  format: "text" | "bytes";
}

/** How long a close waits for the broker. */
const closeMs = 10_000;
/** How long a fetch waits for messages, and so at most until a partition that has room again is fetched. */
const fetchWaitMs = 200;
/** How long an answer to a rebalance is waited for before it counts as an outage. */
const longestRebalanceMs = 60_000;
/** What brokers ask for by default. */
const leastSessionMs = 6_000;
/** A consumer that takes so many at a time has more counted as handed over, ahead of that. */
const leastAhead = 64;
/** How long an acknowledgement waits for others at most, while there is other work. */
const commitDelayMs = 5;
const retryMs = 1_000;
const mostTries = 8;
const mostPartitions = 256;
/** Messages sent at a time; a broker takes 1 MiB by default. */
const mostSent = 1_000;
const mostSentBytes = 500_000;
const rebalances = new Set(["REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"]);

interface BufferModule {
  readonly Buffer: { from(bytes: Uint8Array): Uint8Array };
}

/** The client takes nothing else for bytes. */
function toBuffer(bytes: Uint8Array): Uint8Array {
  return builtinModule<BufferModule>("node:buffer")!.Buffer.from(bytes);
}

/** What an error of the client, or one that it has wrapped, is called by Kafka. */
function typeOf(error: unknown): string | undefined {
  const { type, cause } = (error ?? {}) as { type?: unknown; cause?: unknown };
  return typeof type === "string" ? type : cause === undefined ? undefined : typeOf(cause);
}

/** What an error is called: its text may be long, and say what the client was given. */
function reasonOf(error: unknown): string | undefined {
  return typeOf(error) ?? (error as Error | undefined)?.name;
}

class KafkaQueue implements QueueSource<string | Uint8Array> {
  readonly #client: KafkaClient;
  readonly #options: KafkaSettings;
  readonly #partitions = new Map<number, KafkaPartition>();
  readonly #arrivals = new Arrivals();
  readonly #joins = new Arrivals();
  readonly #rooms = new Arrivals();
  readonly #closed = new AbortController();
  #admin: Promise<KafkaAdmin> | undefined;
  #producer: Promise<KafkaProducer> | undefined;
  #consumer: Promise<KafkaConsumer> | undefined;
  #producing: Promise<void> = Promise.resolve();
  /** Messages without a key take the partitions in turn. */
  #partitionCount = 0;
  #turn = 0;
  #leaseMs = 30_000;
  #sessionTimeoutMs = 30_000;
  #member = "";
  /** The member's own, since a consumer's would try again as what it is by then: the owner of other partitions. */
  #commitAsMember: KafkaBatchPayload["commitOffsetsIfNecessary"] | undefined;
  #isMember = false;
  #isRebalancing = false;
  #lastSignMs = 0;
  /** Those whose notes, or whose first message that has not settled, have changed. */
  readonly #changed = new Set<KafkaPartition>();
  #committing: Promise<void> = Promise.resolve();
  #nextCommit: Promise<void> | undefined;
  #mostAhead = 0;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #mostNoted = 4_000;

  constructor(client: KafkaClient, options: KafkaSettings) {
    this.#client = client;
    this.#options = options;
  }

  async open(leaseMs: number): Promise<void> {
    const { topic, group, deadTopic, sessionTimeoutMs = leaseMs } = this.#options;
    this.#leaseMs = leaseMs;
    this.#sessionTimeoutMs = sessionTimeoutMs;
    const refuse = (name: string, cause: unknown): never => {
      const why = reasonOf(cause) ?? "it is not there, or may not be seen";
      const what = why.includes("GROUP") ? `group ${group} for topic ${name}` : `topic ${name}`;
      throw new Error(`Cannot use the Kafka ${what}: ${why}`, { cause });
    };
    const topics = await this.#useAdmin((admin) => admin.listTopics())
      .catch((cause) => refuse(topic, cause));
    for (const name of [topic, deadTopic]) if (!topics.includes(name)) refuse(name, undefined);
    await this.#join().catch(async (cause) => {
      const isOwn = this.#options.sessionTimeoutMs !== undefined || leaseMs >= leastSessionMs;
      if (isOwn || typeOf(cause) !== "INVALID_SESSION_TIMEOUT") refuse(topic, cause);
      this.#sessionTimeoutMs = leastSessionMs;
      await this.#join().catch((cause) => refuse(topic, cause));
    });
  }

  async receive(max: number, options: ReceiveOptions): Promise<Delivery<string | Uint8Array>[]> {
    const { waitMs, signal, maxBytes = Infinity } = options;
    const until = performance.now() + waitMs;
    if (signal.aborted) return [];
    // At once, while it is a member: what it takes is in work before anything else is settled.
    if (!this.#isMember) await this.#join();
    while (!signal.aborted) {
      const { count } = this.#arrivals;
      // What was counted ahead needs no commit; what is new comes after what has failed before.
      const ahead = this.#take(max, maxBytes, true);
      const found = ahead.length > 0 ? ahead : this.#take(max, maxBytes, false);
      if (found.length > 0) {
        this.#mostAhead = max < leastAhead ? 0 : Math.max(this.#mostAhead, max);
        if (found.every(({ isNoted }) => isNoted)) {
          this.#commitSoon(0);
          return found;
        }
        try {
          // The next owner of the partition is to know that a worker was handed them.
          await this.#commit();
        } catch (error) {
          this.#giveBack(found);
          throw error;
        }
        const ours = found.filter(({ partition }) => this.#isOurs(partition));
        if (ours.length > 0) return ours;
        continue;
      }
      const now = performance.now();
      if (now >= until) return [];
      const silentMs = Math.round(now - this.#lastSignMs);
      // Members that have died may hold back a rebalance for that time.
      if (silentMs > 2 * this.#sessionTimeoutMs) {
        const { topic, group } = this.#options;
        throw new Error(
          `Kafka has not answered group ${group} of topic ${topic} for ${silentMs} ms`,
        );
      }
      const dueAt = Math.min(
        until,
        now + 1_000,
        ...[...this.#partitions.values()].map(({ dueAt }) => dueAt),
      );
      await this.#arrivals.wait(count, Math.max(1, Math.ceil(dueAt - now)), signal);
    }
    return [];
  }

  async ack(receipts: readonly Receipt[]): Promise<void> {
    const partitions = new Set<KafkaPartition>();
    for (const receipt of receipts as readonly KafkaDelivery[]) {
      receipt.partition.settle(receipt);
      partitions.add(receipt.partition);
    }
    for (const partition of partitions) this.#noteChange(partition);
    // While others are in work these can go with a later commit: what dies before it is stored again by the same keys.
    if ([...this.#partitions.values()].some(({ held }) => held > 0)) {
      this.#commitSoon(commitDelayMs);
    } else await this.#commit();
  }

  async nack(receipts: readonly Receipt[]): Promise<void> {
    this.#giveBack(receipts as readonly KafkaDelivery[]);
    await this.#commit();
  }

  async fail(receipts: readonly Receipt[], _reason: unknown, delayMs: number): Promise<void> {
    for (const receipt of this.#held(receipts)) {
      const { entry, partition } = receipt;
      partition.release(receipt);
      entry.failures++;
      Object.assign(entry, { isolations: 0, delayMs: 0, dueAt: performance.now() + delayMs });
      this.#noteChange(partition);
    }
    await this.#commit();
  }

  async isolate(receipt: Receipt, delayMs: number): Promise<void> {
    for (const held of this.#held([receipt])) {
      if (held.isIsolated) continue;
      held.isIsolated = true;
      held.entry.isolations++;
      held.entry.delayMs = delayMs;
      this.#noteChange(held.partition);
    }
    await this.extend([receipt]);
    // With nothing else beside it.
    this.#mostAhead = 0;
    await this.#commit();
  }

  extend(receipts: readonly Receipt[]): Promise<void> {
    const until = performance.now() + this.#leaseMs;
    for (const { entry } of this.#held(receipts)) entry.dueAt = until + entry.delayMs;
    return Promise.resolve();
  }

  async deadLetter({ receipt }: Delivery<string | Uint8Array>, reason: unknown): Promise<void> {
    const letter = receipt as KafkaDelivery;
    if (!letter.isHeld) return this.#commit();
    // Kafka refuses who has lost the partition: what another may be about to finish is not buried.
    this.#noteChange(letter.partition);
    await this.#commit();
    if (!letter.isHeld || !this.#isOurs(letter.partition)) return;
    if (!letter.isBuried) await this.#bury(letter, reason);
    letter.isBuried = true;
    await this.ack([letter]);
  }

  async send(bodies: readonly (string | Uint8Array)[], options: SendOptions = {}): Promise<void> {
    const { topic, format } = this.#options;
    checkSend(bodies, options, format);
    refuseOptions("Kafka", { ...options, keys: undefined });
    let missing = bodies.length;
    const refuse = (cause: unknown): never => {
      const what = `${missing} of ${bodies.length} messages may not be in the queue`;
      throw new Error(`Cannot send: ${what}: ${reasonOf(cause)}`, { cause });
    };
    const count = this.#partitionCount ||= await this.#useAdmin(async (admin) => {
      const { topics: [found] } = await admin.fetchTopicMetadata({ topics: [topic] });
      return found!.partitions.length;
    }).catch(refuse);
    const messages = bodies.map((body, index) => {
      const value = typeof body === "string" ? body : toBuffer(body);
      const key = options.keys?.[index];
      // The client would choose again when it tries again, and Kafka take one message for another.
      return key === undefined ? { value, partition: this.#turn++ % count } : { value, key };
    });
    for (
      const batch of batchesOf(
        messages,
        ({ value }) => byteLengthOf(value)!,
        mostSentBytes,
        mostSent,
      )
    ) {
      await this.#produce(topic, batch).catch((cause) => {
        if (typeOf(cause) === "MESSAGE_TOO_LARGE" && batch.length === 1) {
          const index = bodies.length - missing;
          throw new RangeError(`Cannot send: bodies[${index}] is larger than the topic takes`, {
            cause,
          });
        }
        refuse(cause);
      });
      missing -= batch.length;
    }
  }

  async depth(): Promise<QueueDepth> {
    const { topic, group, deadTopic } = this.#options;
    if (this.#soon !== undefined) await this.#commit();
    return await this.#useAdmin(async (admin) => {
      const [ends, deadEnds, [own]] = await Promise.all([
        admin.fetchTopicOffsets(topic),
        admin.fetchTopicOffsets(deadTopic),
        admin.fetchOffsets({ groupId: group, topics: [topic] }),
      ]);
      let [waiting, leased, dead] = [0, 0, 0];
      for (const { partition, low, high } of ends) {
        const place = own?.partitions.find((one) => one.partition === partition);
        const from = Math.max(Number(low), Number(place?.offset ?? 0));
        const { settled, held } = readKafkaNotes(place?.metadata, from);
        leased += held;
        waiting += Math.max(0, Number(high) - from - settled.size - held);
      }
      for (const { low, high } of deadEnds) dead += Number(high) - Number(low);
      return { waiting, leased, dead };
    });
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const left = new AbortController();
    // A broker that is gone answers no farewell.
    await Promise.race([this.#leave().finally(() => left.abort()), pause(closeMs, left.signal)]);
  }

  async #leave(): Promise<void> {
    await Promise.allSettled([this.#commit(), this.#producing]);
    clearTimeout(this.#soon);
    const clients = [this.#consumer, this.#producer, this.#admin];
    this.#partitions.clear();
    await Promise.allSettled(clients.map(async (client) => (await client)?.disconnect()));
  }

  #isOurs(partition: KafkaPartition): boolean {
    return this.#partitions.get(partition.number) === partition;
  }

  /** Those that this worker still has. */
  #held(receipts: readonly Receipt[]): KafkaDelivery[] {
    return (receipts as readonly KafkaDelivery[])
      .filter((receipt) => receipt.isHeld && this.#isOurs(receipt.partition));
  }

  #noteChange(partition: KafkaPartition): void {
    this.#changed.add(partition);
    this.#arrivals.notify();
    this.#rooms.notify();
    if (!partition.isPaused || partition.load >= 0.5) return;
    // With all that have some room, which would wait for a fetch of those that have nothing more.
    for (const one of this.#partitions.values()) {
      if (one.isPaused && one.load < 1) this.#pause(one, false);
    }
  }

  #giveBack(receipts: readonly KafkaDelivery[]): void {
    for (const receipt of this.#held(receipts)) {
      const { entry, partition, deliveries, isolations } = receipt;
      partition.release(receipt);
      Object.assign(entry, { deliveries: deliveries - 1, isolations, delayMs: 0, dueAt: 0 });
      this.#noteChange(partition);
    }
  }

  /** From each partition in turn, so that none has to wait for another. */
  #take(max: number, maxBytes: number, isAhead: boolean): KafkaDelivery[] {
    if (this.#isRebalancing) return [];
    const { format } = this.#options;
    const found: KafkaDelivery[] = [];
    let bytes = 0;
    let isFull = false;
    const fits = (more: number) => {
      isFull = isFull || (found.length > 0 || bytes > 0) && bytes + more > maxBytes;
      if (!isFull) bytes += more;
      return !isFull;
    };
    for (const [number, partition] of [...this.#partitions]) {
      if (found.length >= max || isFull) break;
      const some = partition.take({
        max: max - found.length,
        fits,
        leaseMs: this.#leaseMs,
        format,
        isAhead,
      });
      if (some.length === 0) continue;
      found.push(...some);
      this.#changed.add(partition);
      // The last to be asked next time.
      this.#partitions.delete(number);
      this.#partitions.set(number, partition);
    }
    return found;
  }

  #pause(partition: KafkaPartition, isPaused: boolean): void {
    if (!this.#isOurs(partition)) return;
    partition.isPaused = isPaused;
    const topics = [{ topic: this.#options.topic, partitions: [partition.number] }];
    void this.#consumer?.then((consumer) =>
      isPaused ? consumer.pause(topics) : consumer.resume(topics)
    ).catch(() => {});
  }

  /**
   * Lets the client fetch no more before a partition has room, or has stood still while the others could go on
   * without it. With nothing to fetch the client would sleep: here it learns at once of a partition that has room again.
   */
  async #waitForRoom(partition: KafkaPartition, heartbeat: () => Promise<void>): Promise<void> {
    const { signal } = this.#closed;
    const until = performance.now() + fetchWaitMs;
    while (this.#isOurs(partition) && !this.#isRebalancing && !signal.aborted) {
      const { count } = this.#rooms;
      const leftMs = until - performance.now();
      if (!partition.isPaused && partition.load >= 1 && leftMs <= 0) this.#pause(partition, true);
      const isFull = partition.isPaused
        ? [...this.#partitions.values()].every(({ isPaused }) => isPaused)
        : partition.load >= 1;
      if (!isFull) return;
      await this.#rooms.wait(count, leftMs > 0 ? Math.ceil(leftMs) : fetchWaitMs, signal);
      await heartbeat();
    }
  }

  /** Commits after a while, unless something else does before. */
  #commitSoon(ms: number): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#commit().catch(() => {
        if (!this.#closed.signal.aborted) this.#commitSoon(retryMs);
      });
    }, ms);
  }

  /** What was changed by now is with Kafka once this fulfils: one call at a time, for all of it. */
  #commit(): Promise<void> {
    return this.#nextCommit ??= this.#committing.catch(() => {}).then(() => {
      this.#nextCommit = undefined;
      return this.#committing = this.#commitChanged();
    });
  }

  async #commitChanged(): Promise<void> {
    const until = performance.now() + longestRebalanceMs;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#countAhead();
    while (true) {
      // What was revoked is another's to move.
      const partitions = [...this.#changed].filter((partition) => this.#isOurs(partition));
      this.#changed.clear();
      if (partitions.length === 0) return;
      const { count } = this.#joins;
      try {
        await this.#commitAsMember!(this.#placesOf(partitions));
        for (const partition of partitions) partition.noteAhead();
        return;
      } catch (error) {
        for (const partition of partitions) this.#changed.add(partition);
        const type = typeOf(error);
        if (type === "OFFSET_METADATA_TOO_LARGE" && this.#mostNoted > 0) {
          this.#mostNoted = Math.floor(this.#mostNoted / 2);
          continue;
        }
        const leftMs = until - performance.now();
        if (!rebalances.has(type!) || leftMs <= 0 || this.#closed.signal.aborted) throw error;
        await this.#joins.wait(count, Math.min(leftMs, 1_000), this.#closed.signal);
      }
    }
  }

  /** While there is work, and a consumer takes much at a time, it is not to wait for a commit each time. */
  #countAhead(): void {
    const all = [...this.#partitions.values()];
    const isIdle = this.#mostAhead === 0 || this.#isRebalancing || this.#closed.signal.aborted ||
      all.every(({ held }) => held === 0);
    const most = Math.ceil(this.#mostAhead / all.length);
    for (const partition of all) {
      const { ahead } = partition;
      if (isIdle) partition.dropAhead();
      else partition.countAhead(most - ahead);
      if (partition.ahead !== ahead) this.#changed.add(partition);
    }
  }

  #placesOf(partitions: readonly KafkaPartition[]) {
    const places = partitions.map((partition) => ({
      partition: partition.number,
      offset: `${partition.base}`,
      metadata: partition.note(this.#isRebalancing, this.#mostNoted),
    }));
    return { topics: [{ topic: this.#options.topic, partitions: places }] };
  }

  async #bury({ id, message, deliveries, failures }: KafkaDelivery, reason: unknown) {
    const { key, value, headers = {} } = message;
    const send = (own: KafkaHeaders) =>
      this.#produce(this.#options.deadTopic, [{ key, value, headers: { ...headers, ...own } }]);
    const marks = {
      "hosepipe-id": id,
      "hosepipe-deliveries": `${deliveries}`,
      "hosepipe-failures": `${failures}`,
    };
    await send({ ...marks, "hosepipe-reason": describeReason(reason) }).catch((error) => {
      if (typeOf(error) !== "MESSAGE_TOO_LARGE") throw error;
      // A message of the largest size leaves room for nothing else.
      return send({});
    });
  }

  /** Made once; what fails is made again. */
  #open<Client extends { connect(): Promise<void>; disconnect(): Promise<void> }>(
    client: Client,
    forget: () => void,
  ): Promise<Client> {
    const opening = client.connect().then(() => client);
    opening.catch(() => {
      forget();
      client.disconnect().catch(() => {});
    });
    return opening;
  }

  /** One call at a time: each is numbered, so that Kafka drops what is repeated of it. */
  #produce(
    topic: string,
    messages: Parameters<KafkaProducer["send"]>[0]["messages"],
  ): Promise<void> {
    const produce = async () => {
      const settings = { allowAutoTopicCreation: false, idempotent: true };
      const opening = this.#producer ??= this.#open(
        this.#client.producer(settings),
        () => this.#producer = undefined,
      );
      const producer = await opening;
      try {
        await producer.send({ topic, acks: -1, messages });
      } catch (error) {
        // What Kafka has of it is not known, nor which number is next.
        this.#producer = undefined;
        producer.disconnect().catch(() => {});
        throw error;
      }
    };
    return this.#producing = this.#producing.then(produce, produce);
  }

  /** What the broker calls passing, as while a partition's leader changes, is asked again. */
  async #useAdmin<R>(use: (admin: KafkaAdmin) => Promise<R>): Promise<R> {
    const backoff = new Backoff();
    for (let tries = 1;; tries++) {
      this.#admin ??= this.#open(this.#client.admin(), () => this.#admin = undefined);
      const admin = await this.#admin;
      try {
        return await use(admin);
      } catch (error) {
        const isPassing = typeOf(error) !== undefined &&
          (error as { retriable?: boolean }).retriable;
        if (!isPassing || tries === mostTries || this.#closed.signal.aborted) throw error;
        await backoff.pause(this.#closed.signal);
      }
    }
  }

  #join(): Promise<KafkaConsumer> {
    if (this.#consumer !== undefined) return this.#consumer;
    const joining = this.#consumer = this.#makeMember();
    joining.catch(() => {
      if (this.#consumer === joining) this.#consumer = undefined;
    });
    return joining;
  }

  async #makeMember(): Promise<KafkaConsumer> {
    const { topic, group } = this.#options;
    const consumer = this.#client.consumer({
      groupId: group,
      sessionTimeout: this.#sessionTimeoutMs,
      heartbeatInterval: Math.min(3_000, Math.floor(this.#sessionTimeoutMs / 3)),
      maxWaitTimeInMs: fetchWaitMs,
      allowAutoTopicCreation: false,
    });
    let crash: Error | undefined;
    const mark = () => void (this.#lastSignMs = performance.now());
    consumer.on("consumer.heartbeat", mark);
    consumer.on("consumer.rebalancing", () => this.#giveUp());
    consumer.on("consumer.group_join", ({ payload: { memberId, memberAssignment } }) => {
      mark();
      this.#assign(consumer, memberId, memberAssignment[topic] ?? []);
    });
    consumer.on("consumer.crash", ({ payload: { error, restart } }) => {
      if (restart) return;
      crash = error;
      this.#consumer = undefined;
      this.#isMember = false;
      this.#arrivals.notify();
    });
    mark();
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        // Each waits for room in its own partition.
        partitionsConsumedConcurrently: mostPartitions,
        eachBatch: (payload) => this.#admit(payload),
      });
      if (crash !== undefined) throw crash;
      this.#isMember = true;
    } catch (error) {
      consumer.disconnect().catch(() => {});
      throw error;
    }
    return consumer;
  }

  /** Before partitions are assigned again: who has them next finds what is in work as if it had never been handed over. */
  #giveUp(): void {
    this.#isRebalancing = true;
    for (const partition of this.#partitions.values()) partition.dropAhead();
    const known = [...this.#partitions.values()].filter(({ load }) => load > 0);
    if (known.length > 0) this.#commitAsMember?.(this.#placesOf(known)).catch(() => {});
  }

  /** What is still its own it goes on with; what was revoked is not its own to settle any more. */
  #assign(consumer: KafkaConsumer, member: string, assigned: readonly number[]): void {
    const { topic, window } = this.#options;
    this.#isRebalancing = false;
    // Another member's life has begun: in between anyone may have had the partitions.
    if (member !== this.#member) this.#partitions.clear();
    this.#member = member;
    for (const number of this.#partitions.keys()) {
      if (!assigned.includes(number)) this.#partitions.delete(number);
    }
    const added: KafkaPartition[] = [];
    for (const number of assigned) {
      const known = this.#partitions.get(number);
      if (known?.position !== undefined) {
        consumer.seek({ topic, partition: number, offset: `${known.position}` });
        this.#changed.add(known);
        continue;
      }
      const partition = new KafkaPartition(topic, number, window);
      this.#partitions.set(number, partition);
      added.push(partition);
    }
    if (added.length > 0) {
      const ready = this.#readNotes(added);
      for (const partition of added) partition.ready = ready;
      consumer.resume([{ topic, partitions: added.map(({ number }) => number) }]);
    }
    this.#joins.notify();
    this.#arrivals.notify();
  }

  async #readNotes(partitions: readonly KafkaPartition[]): Promise<void> {
    const { topic, group } = this.#options;
    const read = async () => {
      const [own] = await this.#useAdmin((admin) =>
        admin.fetchOffsets({ groupId: group, topics: [topic] })
      );
      for (const partition of partitions) {
        const place = own?.partitions.find((one) => one.partition === partition.number);
        partition.begin(Number(place?.offset ?? -1), place?.metadata);
      }
    };
    await retryUntilDone(read, this.#closed.signal, () => {});
  }

  async #admit(payload: KafkaBatchPayload): Promise<void> {
    const { batch, resolveOffset } = payload;
    this.#commitAsMember = payload.commitOffsetsIfNecessary;
    const partition = this.#partitions.get(batch.partition);
    const last = batch.messages.at(-1);
    if (partition === undefined || last === undefined) return;
    await partition.ready;
    if (!this.#isOurs(partition) || partition.position === undefined) return;
    const { base } = partition;
    partition.add(batch.messages);
    // What an earlier owner had settled is behind the group now.
    if (partition.base > base) {
      this.#changed.add(partition);
      this.#commitSoon(commitDelayMs);
    }
    resolveOffset(last.offset);
    this.#arrivals.notify();
    await this.#waitForRoom(partition, payload.heartbeat);
  }
}

const topicForm = /^[\w.-]{1,249}$/;

/**
 * A queue in a topic of Apache Kafka, for any number of machines that reach it, as one group of its consumers.
 *
 * A partition is one member's at a time, with as many messages in work as its consumer takes: of each key only one, in
 * order, and none more than `window` behind the first that has not settled. The committed offset never goes beyond that
 * one. Beside it stands what is known of those behind it: which are settled, and how often the others were handed
 * over, have failed and were worked on alone. So they are not repeated, nor forgotten, when another member gets the
 * partition. A message that has failed waits here, and holds back its key, not its partition.
 *
 * When partitions are assigned again, what is in work in those that are revoked is given up: whatever becomes of it here
 * moves no offset any more. The next member works on it again, and a store with a row for each output's key has its
 * effects once.
 *
 * Dead letters go to a topic of their own, with the key, the value and the headers of the message, and with `hosepipe-id`,
 * `hosepipe-reason`, `hosepipe-deliveries` and `hosepipe-failures`. Make both topics yourself. Messages' ids are
 * `<topic>/<partition>/<offset>`. `close` leaves the group; until then the partitions are this member's.
 *
 * @typeParam Format What a message is: text or bytes.
 * @param client A `Kafka` of `kafkajs`.
 * @param options The topic and the group.
 * @returns A queue for a `Consumer`.
 * @throws {TypeError} If the client lacks a method, or an option is missing, of the wrong type, or unknown.
 * @throws {RangeError} If a number is not a positive integer.
 *
 * @example Orders, in order of their customers
 * ```ts
 * import { kafkaQueue } from "@hosepipe/streams/queue/kafka";
 * import { Kafka } from "kafkajs";
 * import assert from "node:assert/strict";
 * import process from "node:process";
 *
 * const broker = process.env.KAFKA_BROKERS;
 * if (broker !== undefined) {
 *   const client = new Kafka({ brokers: [broker], logLevel: 0 });
 *   const admin = client.admin();
 *   await admin.connect();
 *   const topic = `orders-${crypto.randomUUID()}`;
 *   await admin.createTopics({ topics: [{ topic }, { topic: `${topic}.dead` }] });
 *   await admin.disconnect();
 *
 *   const queue = kafkaQueue(client, { topic, group: "rows" });
 *   await queue.send(["paid", "shipped"], { keys: ["ada", "ada"] });
 *   assert.deepEqual(await queue.depth(), { waiting: 2, leased: 0, dead: 0 });
 *   await queue.close();
 * }
 * ```
 */
export function kafkaQueue<const Format extends "text" | "bytes" = "text">(
  client: KafkaClient,
  options: KafkaQueueOptions & { format?: Format | undefined },
): QueueSource<Format extends "bytes" ? Uint8Array : string> {
  const action = "create kafkaQueue";
  if (typeof client !== "object" || client === null) {
    throwTypeError(action, "client", "a Kafka of kafkajs", client);
  }
  for (const name of ["consumer", "producer", "admin"] as const) {
    checkFunction(action, `client.${name}`, client[name]);
  }
  const settings: KafkaSettings = readOptions(action, options ?? {} as KafkaQueueOptions, {
    topic: textLike("the name of a topic", topicForm),
    group: textLike("the name of a group", /./),
    deadTopic: textLike("the name of a topic", topicForm, `${options?.topic}.dead`),
    window: integer(1_000),
    sessionTimeoutMs: integer(undefined),
    format: oneOf(["text", "bytes"], "text"),
  });
  if (settings.deadTopic === settings.topic) {
    throwTypeError(action, "deadTopic", "another topic", settings.deadTopic);
  }
  return new KafkaQueue(client, settings) as unknown as QueueSource<
    Format extends "bytes" ? Uint8Array : string
  >;
}
