/** A partition, and where a group stands in it. */
export interface KafkaOffset {
  /** Its number. */
  partition: number;
  /** The offset of the next message. */
  offset: string;
  /** What the group has noted beside it. */
  metadata?: string | null | undefined;
}

/** What is kept beside a message, by name. */
export type KafkaHeaders = Record<
  string,
  Uint8Array | string | (Uint8Array | string)[] | undefined
>;

/** A message as Kafka has it. */
export interface KafkaMessage {
  /** What keeps it in order with others of the same key. */
  readonly key: Uint8Array | null;
  /** What was sent. */
  readonly value: Uint8Array | null;
  /** Its place in the partition. */
  readonly offset: string;
  /** What its sender has put beside it. */
  readonly headers?: KafkaHeaders | undefined;
}

/** Messages of one partition, as a consumer hands them over. */
export interface KafkaBatchPayload {
  /** The messages. */
  readonly batch: { readonly partition: number; readonly messages: readonly KafkaMessage[] };
  /** Fetches behind this offset from now on. */
  resolveOffset(offset: string): void;
  /** Stays a member, while this takes long; rejects if partitions are assigned again. */
  heartbeat(): Promise<void>;
  /** Moves the group to these offsets, as the member that has got this batch, and tries once. */
  commitOffsetsIfNecessary(
    offsets: { topics: { topic: string; partitions: KafkaOffset[] }[] },
  ): Promise<void>;
}

/** A member of a consumer group. */
export interface KafkaConsumer {
  /** Connects it. */
  connect(): Promise<void>;
  /** Leaves the group. */
  disconnect(): Promise<void>;
  /** Names the topic. */
  subscribe(subscription: { topic: string; fromBeginning: boolean }): Promise<void>;
  /** Joins the group and fetches. */
  run(options: {
    autoCommit: boolean;
    eachBatchAutoResolve: boolean;
    partitionsConsumedConcurrently: number;
    eachBatch: (payload: KafkaBatchPayload) => Promise<void>;
  }): Promise<void>;
  /** Fetches from this offset on. */
  seek(place: { topic: string; partition: number; offset: string }): void;
  /** Fetches no more of these partitions. */
  pause(topics: { topic: string; partitions: number[] }[]): void;
  /** Fetches of these partitions again. */
  resume(topics: { topic: string; partitions: number[] }[]): void;
  /** Tells which partitions are its own from now on. */
  on(
    name: "consumer.group_join",
    listener: (
      event: { payload: { memberId: string; memberAssignment: Record<string, number[]> } },
    ) => void,
  ): unknown;
  /** Says that a heartbeat was answered, or that partitions are about to be assigned again. */
  on(name: "consumer.heartbeat" | "consumer.rebalancing", listener: () => void): unknown;
  /** Tells that it has given up, and whether it begins again by itself. */
  on(
    name: "consumer.crash",
    listener: (event: { payload: { error: Error; restart: boolean } }) => void,
  ): unknown;
}

/** What sends messages. */
export interface KafkaProducer {
  /** Connects it. */
  connect(): Promise<void>;
  /** Disconnects it. */
  disconnect(): Promise<void>;
  /** Adds messages, and waits for all replicas that are in sync. */
  send(record: {
    topic: string;
    acks?: number | undefined;
    messages: {
      key?: Uint8Array | string | null | undefined;
      value: Uint8Array | string | null;
      headers?: KafkaHeaders | undefined;
      partition?: number | undefined;
    }[];
  }): Promise<unknown>;
}

/** What knows topics and groups. */
export interface KafkaAdmin {
  /** Connects it. */
  connect(): Promise<void>;
  /** Disconnects it. */
  disconnect(): Promise<void>;
  /** Names the topics. */
  listTopics(): Promise<string[]>;
  /** Which partitions topics have. */
  fetchTopicMetadata(
    options: { topics: string[] },
  ): Promise<{ topics: { partitions: unknown[] }[] }>;
  /** Where each partition begins and ends. */
  fetchTopicOffsets(topic: string): Promise<{ partition: number; low: string; high: string }[]>;
  /** Where a group stands. */
  fetchOffsets(
    options: { groupId: string; topics: string[] },
  ): Promise<{ topic: string; partitions: KafkaOffset[] }[]>;
}

/** What `kafkaQueue` uses of a client: the class `Kafka` of `kafkajs` 2 has it. */
export interface KafkaClient {
  /** Makes a member of a group. */
  consumer(settings: {
    groupId: string;
    sessionTimeout: number;
    heartbeatInterval: number;
    maxWaitTimeInMs: number;
    allowAutoTopicCreation: boolean;
  }): KafkaConsumer;
  /** Makes what sends. */
  producer(settings: { allowAutoTopicCreation: boolean; idempotent: boolean }): KafkaProducer;
  /** Makes what knows topics. */
  admin(): KafkaAdmin;
}
