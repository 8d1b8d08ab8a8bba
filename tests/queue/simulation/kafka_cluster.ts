import type {
  KafkaAdmin,
  KafkaBatchPayload,
  KafkaClient,
  KafkaConsumer,
  KafkaMessage,
  KafkaOffset,
  KafkaProducer,
} from "@hosepipe/streams/queue/kafka";
import { readKafkaNotes } from "../../../src/queue/adapters/kafka_partition.ts";
import { calm, type Random, type Weather, Wire } from "./broker.ts";
import { sleep } from "./virtual_clock.ts";

const topic = "t";
const sessionMs = 1_000;

/** What a broker answers that does not do what it is asked. */
function refusal(type: string): Error {
  return Object.assign(new Error(type), { type, retriable: false });
}

/** Parts with an error in them. */
export interface KafkaPlant {
  readonly commit?: (place: KafkaOffset) => KafkaOffset;
  readonly message?: (message: KafkaMessage) => KafkaMessage;
  /** Whether members of an earlier generation may commit. */
  readonly fencesNone?: boolean;
}

/** A member of a generation. */
interface KnownAs {
  readonly id: string;
  readonly generation: number;
}

/** A topic, and the one group that takes from it. */
export class KafkaCluster {
  readonly random: Random;
  readonly plant: KafkaPlant;
  readonly logs: KafkaMessage[][];
  readonly committed: { offset: number; metadata: string }[];
  readonly deadIds = new Set<string>();
  readonly problems: string[] = [];
  readonly members = new Map<string, Member>();
  readonly owners = new Map<number, string>();
  generation = 0;
  commits = 0;
  rebalances = 0;
  readonly weather: Weather = { ...calm };
  mostMetadata: number;
  isPreparing = false;
  #lastMember = 0;
  readonly #joined = new Map<Member, () => void>();
  /** Whether a message's work is done. */
  readonly #isDone: (id: string) => boolean;

  constructor(
    random: Random,
    partitions: number,
    plant: KafkaPlant,
    isStored: (id: string) => boolean,
  ) {
    this.random = random;
    this.plant = plant;
    this.logs = Array.from({ length: partitions }, () => []);
    this.committed = this.logs.map(() => ({ offset: -1, metadata: "" }));
    this.mostMetadata = random.pick([4_096, 4_096, 40]);
    this.#isDone = (id) => isStored(id) || this.deadIds.has(id);
  }

  /** How many messages the group does not stand behind. */
  get left(): number {
    return this.logs.reduce(
      (sum, log, partition) => sum + log.length - Math.max(0, this.committed[partition]!.offset),
      0,
    );
  }

  /** Fulfils once all members have joined, and partitions are assigned. */
  join(member: Member): Promise<void> {
    // Who was expelled comes back as another.
    if (!this.members.has(member.id)) member.id = `member ${++this.#lastMember}`;
    this.members.set(member.id, member);
    this.prepare();
    const joining = new Promise<void>((resolve) => this.#joined.set(member, resolve));
    this.#assignIfAll();
    return joining;
  }

  /** Asks all members to join again. */
  prepare(): void {
    this.isPreparing = true;
  }

  /** Expels members that were not heard of for too long; one that waits to be assigned partitions is there. */
  expelSilent(): void {
    for (const member of [...this.members.values()]) {
      const silentMs = performance.now() - member.heardAtMs;
      if (silentMs > sessionMs && !this.#joined.has(member)) this.expel(member);
    }
  }

  /** A member has left, or was not heard of for too long. */
  expel(member: Member): void {
    if (this.#joined.has(member) || !this.members.delete(member.id)) return;
    this.prepare();
    this.#assignIfAll();
  }

  #assignIfAll(): void {
    const members = [...this.members.values()];
    if (members.length === 0 || !members.every((member) => this.#joined.has(member))) return;
    this.isPreparing = false;
    this.generation++;
    this.rebalances++;
    for (const member of members) member.assigned = [];
    const from = this.random.between(0, members.length - 1);
    for (const partition of this.logs.keys()) {
      const owner = members[(partition + from) % members.length]!;
      owner.assigned.push(partition);
      this.owners.set(partition, owner.id);
    }
    for (const [member, resolve] of [...this.#joined]) {
      member.generation = this.generation;
      this.#joined.delete(member);
      resolve();
    }
  }

  /** Refuses who is no member of this generation. As Kafka, it does not look whose the partitions are: the check does. */
  commit({ id, generation }: KnownAs, places: readonly KafkaOffset[]): void {
    if (this.plant.fencesNone !== true) {
      if (!this.members.has(id)) throw refusal("UNKNOWN_MEMBER_ID");
      if (generation !== this.generation) throw refusal("ILLEGAL_GENERATION");
    }
    if (places.some(({ metadata }) => metadata!.length > this.mostMetadata)) {
      throw refusal("OFFSET_METADATA_TOO_LARGE");
    }
    this.commits++;
    for (const honest of places) {
      const place = this.plant.commit?.(honest) ?? honest;
      const [offset, metadata] = [Number(place.offset), place.metadata!];
      const { partition } = place;
      const name = `${topic}/${partition}`;
      if (this.owners.get(partition) !== id) {
        this.problems.push(`${name} is moved by one that does not have it`);
      }
      const before = this.committed[partition]!.offset;
      if (offset < before) this.problems.push(`${name} goes back from ${before} to ${offset}`);
      const { settled } = readKafkaNotes(metadata, offset);
      for (const at of this.logs[partition]!.keys()) {
        if ((at < offset || settled.has(at)) && !this.#isDone(`${name}/${at}`)) {
          this.problems.push(`${name}/${at} is lost: ${offset} ${metadata}`);
        }
      }
      this.committed[partition] = { offset, metadata };
    }
  }

  /** A worker's client: what is asked takes its time, and goes in order. */
  connect(network: Network): KafkaClient {
    const call = <R>(act: () => R) => network.call(act);
    const admin: KafkaAdmin = {
      connect: () => call(() => {}),
      disconnect: () => Promise.resolve(),
      listTopics: () => call(() => [topic, `${topic}.dead`]),
      fetchTopicMetadata: () => call(() => ({ topics: [{ partitions: this.logs }] })),
      fetchTopicOffsets: () =>
        call(() =>
          this.logs.map((log, partition) => ({ partition, low: "0", high: `${log.length}` }))
        ),
      fetchOffsets: () =>
        call(() => {
          const partitions = this.committed.map(({ offset, metadata }, partition) => {
            return { partition, offset: `${offset}`, metadata };
          });
          return [{ topic, partitions }];
        }),
    };
    const producer: KafkaProducer = {
      connect: () => call(() => {}),
      disconnect: () => Promise.resolve(),
      send: ({ messages }) =>
        call(() => {
          for (const { headers } of messages) this.deadIds.add(`${headers!["hosepipe-id"]}`);
        }),
    };
    return {
      admin: () => admin,
      producer: () => producer,
      consumer: () => new Member(this, network),
    };
  }
}

/** A worker's way to the cluster, on which calls go in order. */
export class Network extends Wire {
  readonly #reach: { isDown: boolean };
  #last: Promise<unknown> = Promise.resolve();

  constructor({ weather, random }: KafkaCluster, reach = { isDown: false, leaseMs: 0 }) {
    super(reach, weather, random);
    this.#reach = reach;
  }

  /** Whether nothing comes through, though the worker lives. */
  set isAway(isAway: boolean) {
    this.#reach.isDown = isAway;
  }

  override call<R>(act: () => R | Promise<R>): Promise<R> {
    const run = () => super.call<R>(act, true);
    const answer = this.#last.then(run, run);
    this.#last = answer.catch(() => {});
    return answer;
  }
}

/** A consumer as kafkajs has it. */
export class Member implements KafkaConsumer {
  id = "";
  generation = 0;
  /** Who it knows itself to be. */
  known: KnownAs = { id: "", generation: 0 };
  assigned: number[] = [];
  heardAtMs = 0;
  readonly #cluster: KafkaCluster;
  readonly #network: Network;
  // deno-lint-ignore no-explicit-any -- each event has its own
  readonly #listeners = new Map<string, (event: any) => void>();
  readonly #positions = new Map<number, number>();
  readonly #paused = new Set<number>();
  #eachBatch: (payload: KafkaBatchPayload) => Promise<void> = () => Promise.resolve();
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();

  constructor(cluster: KafkaCluster, network: Network) {
    this.#cluster = cluster;
    this.#network = network;
  }

  connect(): Promise<void> {
    return this.#network.call(() => {});
  }

  subscribe(): Promise<void> {
    return Promise.resolve();
  }

  // deno-lint-ignore no-explicit-any -- each event has its own
  on(name: string, listener: (event: any) => void): void {
    this.#listeners.set(name, listener);
  }

  async run({ eachBatch }: Parameters<KafkaConsumer["run"]>[0]): Promise<void> {
    this.#eachBatch = eachBatch;
    this.#isRunning = true;
    await this.#join();
    this.#running = this.#fetchAll();
  }

  async disconnect(): Promise<void> {
    this.#isRunning = false;
    await this.#running;
    await this.#network.call(() => this.#cluster.expel(this)).catch(() => {});
  }

  seek({ partition, offset }: { partition: number; offset: string }): void {
    this.#positions.set(partition, Number(offset));
  }

  pause([{ partitions } = { partitions: [] }]: { partitions: number[] }[]): void {
    for (const partition of partitions) this.#paused.add(partition);
  }

  resume([{ partitions } = { partitions: [] }]: { partitions: number[] }[]): void {
    for (const partition of partitions) this.#paused.delete(partition);
  }

  #tell(name: string, payload: unknown = {}): void {
    this.#listeners.get(`consumer.${name}`)?.({ payload });
  }

  async #join(): Promise<void> {
    while (this.#isRunning && !this.#network.isCut) {
      const isSent = await this.#network.call(() => {}).then(() => true, () => false);
      if (!isSent) continue;
      this.heardAtMs = performance.now();
      await this.#cluster.join(this);
      this.heardAtMs = performance.now();
      this.#positions.clear();
      for (const partition of this.assigned) {
        this.#positions.set(partition, Math.max(0, this.#cluster.committed[partition]!.offset));
      }
      this.known = { id: this.id, generation: this.generation };
      const memberAssignment = { [topic]: this.assigned };
      return this.#tell("group_join", { memberId: this.id, memberAssignment });
    }
  }

  #heartbeat = async (): Promise<void> => {
    await this.#network.call(() => {
      this.heardAtMs = performance.now();
      if (!this.#cluster.members.has(this.id)) throw refusal("UNKNOWN_MEMBER_ID");
      const isOld = this.known.generation !== this.#cluster.generation;
      if (isOld || this.#cluster.isPreparing) throw refusal("REBALANCE_IN_PROGRESS");
    });
    this.#tell("heartbeat");
  };

  async #fetchAll(): Promise<void> {
    while (this.#isRunning && !this.#network.isCut) {
      try {
        await this.#fetch();
        await this.#heartbeat();
      } catch (error) {
        const { type } = error as { type?: string };
        if (type === "REBALANCE_IN_PROGRESS") this.#tell("rebalancing");
        else if (type !== "UNKNOWN_MEMBER_ID") continue;
        await this.#join();
      }
    }
  }

  async #fetch(): Promise<void> {
    const { random, logs, plant } = this.#cluster;
    const { generation } = this;
    const batches = await this.#network.call(() =>
      this.assigned.filter((partition) => !this.#paused.has(partition)).map((partition) => {
        const from = this.#positions.get(partition)!;
        const messages = logs[partition]!.slice(from, from + random.between(1, 10));
        return { partition, messages: messages.map((one) => plant.message?.(one) ?? one) };
      }).filter(({ messages }) => messages.length > 0)
    );
    if (batches.length === 0) return await sleep(random.between(1, 50));
    const ends = await Promise.allSettled(batches.map(async (batch) => {
      if (this.#paused.has(batch.partition)) return;
      await this.#eachBatch({
        batch,
        resolveOffset: (offset) => {
          if (generation !== this.generation) return;
          this.#positions.set(batch.partition, Number(offset) + 1);
        },
        heartbeat: this.#heartbeat,
        commitOffsetsIfNecessary: ({ topics }) => {
          // As it is when it asks, whatever it has become when that arrives.
          const { known } = this;
          return this.#network.call(() => this.#cluster.commit(known, topics[0]!.partitions));
        },
      });
    }));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}
