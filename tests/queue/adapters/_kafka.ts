import { randomUUID } from "node:crypto";
import process from "node:process";
import kafkajs from "kafkajs";
import { kafkaQueue, type KafkaQueueOptions } from "@hosepipe/streams/queue/kafka";
import { until } from "../../lib/until.ts";
import type { QueueSource } from "@hosepipe/streams/queue";

const broker = process.env.KAFKA_BROKERS;

/** Why tests of Kafka are left out, where they may be. */
export const skipKafka: string | false = broker || process.env.HOSEPIPE_REQUIRE_KAFKA
  ? false
  : "no Kafka: KAFKA_BROKERS is not set";

/** A client as its users make it, which says nothing and does not try for long. */
export function openKafka(address: string = broker!, retries: number = 10): kafkajs.Kafka {
  return new kafkajs.Kafka({
    ...{ clientId: "test", brokers: [address], logLevel: kafkajs.logLevel.NOTHING },
    connectionTimeout: 10_000,
    retry: { initialRetryTime: 50, maxRetryTime: 500, retries },
  });
}

/** A topic of its own, and members of a group that takes from it. */
export interface LentKafka {
  readonly topic: string;
  readonly client: kafkajs.Kafka;
  readonly admin: kafkajs.Admin;
  /** Makes a member; it leaves at the end. */
  join(options?: Partial<KafkaQueueOptions>): QueueSource<string>;
}

/** Lends a topic for as long as `use` takes. */
export async function withKafka(
  partitions: number,
  use: (lent: LentKafka) => Promise<void>,
): Promise<void> {
  const topic = `laws-${randomUUID().slice(0, 8)}`;
  const client = openKafka();
  const admin = client.admin();
  await admin.connect();
  const members: QueueSource<string>[] = [];
  const topics = [{ topic, numPartitions: partitions }, { topic: `${topic}.dead` }];
  try {
    await admin.createTopics({ topics, waitForLeaders: false });
    // The client itself does not wait for long enough.
    const ends = () => Promise.all(topics.map(({ topic }) => admin.fetchTopicOffsets(topic)));
    await until(() => ends().then(() => true, () => false));
    const join = (options: Partial<KafkaQueueOptions> = {}) => {
      const member = kafkaQueue(openKafka(), {
        ...{ topic, group: topic, sessionTimeoutMs: 10_000 },
        ...options,
      }) as QueueSource<string>;
      members.push(member);
      return member;
    };
    await use({ topic, client, admin, join });
  } finally {
    await Promise.all(members.map((member) => member.close()));
    await admin.deleteTopics({ topics: topics.map(({ topic }) => topic) });
    await admin.disconnect();
  }
}
