import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { pipeline } from "@hosepipe/streams";
import {
  Consumer,
  type Delivery,
  messages,
  perMessage,
  type QueueSource,
  stored,
} from "@hosepipe/streams/queue";
import { type KafkaClient, type KafkaMessage, kafkaQueue } from "@hosepipe/streams/queue/kafka";
import { freePort } from "../../../scenarios/consume/faults/servers/free_port.ts";
import { OwnServer } from "../../../scenarios/consume/faults/fault_place.ts";
import { until } from "../../lib/until.ts";
import { testQueueLaws } from "./_check_queue.ts";
import { openKafka, skipKafka as skip, withKafka } from "./_kafka.ts";
import { killTwice, workOff } from "./_kill_twice.ts";

const cannot = (option: string) => `Cannot send: a queue in Kafka has no ${option}`;

// A partition is one member's, so the two workers of a law are consumers of one member.
testQueueLaws(
  "kafkaQueue",
  skip,
  (_, use) =>
    withKafka(1, async ({ join }) => {
      const member = join();
      await use({ one: member, other: member });
    }),
  {
    remade: "remake is not given",
    ids: cannot("ids"),
    remembering: cannot("ids"),
    notBefore: cannot("notBefore"),
    age: "the queue has no `oldestAgeMs`",
    letters: "the queue has no `dead`",
    replay: "the queue has no `dead`",
  },
  {},
  true,
);

const { signal } = new AbortController();

/** Receives until there are so many. */
async function take<T>(from: QueueSource<T>, count: number): Promise<Delivery<T>[]> {
  const found: Delivery<T>[] = [];
  await until(async () => {
    found.push(...await from.receive(count - found.length, { waitMs: 100, signal }));
    return found.length === count;
  });
  return found;
}

const receiptsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ receipt }) => receipt);
const bodiesOf = (deliveries: readonly Delivery[]) => deliveries.map(({ body }) => body);

test("kafkaQueue: text and bytes come as they were sent; what is neither dies with the reason", {
  skip,
}, () =>
  withKafka(1, async ({ topic, client, join }) => {
    const bytes = kafkaQueue(client, { topic, group: "bytes", format: "bytes" });
    const text = join();
    await bytes.send([Uint8Array.of(0, 255, 128), new Uint8Array()], { keys: ["a", undefined] });
    await text.send(["", "\ufeff\0\u{1f600}"]);
    const producer = client.producer();
    await producer.connect();
    await producer.send({ topic, messages: [{ key: "k", value: null, headers: { from: "x" } }] });
    await producer.disconnect();

    await bytes.open(30_000);
    const all = await take(bytes, 5);
    assertEquals(all.slice(0, 2).map(({ body }) => [...body]), [[0, 255, 128], []]);
    assertEquals(all[0]!.id, `${topic}/0/0`);
    await bytes.close();

    const { bodies, reasons } = await workOff(text, 3);
    assertEquals(bodies, ["", "", "\ufeff\0\u{1f600}"]);
    assertEquals(reasons, ["Its text is not UTF-8", "It has no value"]);
    const dead = kafkaQueue(client, { topic: `${topic}.dead`, deadTopic: topic, group: "dead" });
    await dead.open(30_000);
    const letters = await take(dead, 2);
    const shown = letters.map(({ receipt }) => {
      const { message } = receipt as unknown as { message: KafkaMessage };
      const headers = Object.entries(message.headers!).map(([name, value]) => [name, `${value}`]);
      return [message.key && `${message.key}`, message.value?.length, Object.fromEntries(headers)];
    });
    const counts = { "hosepipe-deliveries": "1", "hosepipe-failures": "0" };
    assertEquals(shown.toSorted(), [
      ["a", 3, {
        ...{ "hosepipe-id": `${topic}/0/0`, ...counts },
        "hosepipe-reason": "TypeError: Its text is not UTF-8",
      }],
      ["k", undefined, {
        ...{ from: "x", "hosepipe-id": `${topic}/0/4`, ...counts },
        "hosepipe-reason": "TypeError: It has no value",
      }],
    ]);
    await dead.close();
  }));

test(
  "kafkaQueue: no commit goes beyond what has not settled, and the next owner repeats nothing else",
  { skip },
  () =>
    withKafka(1, async ({ topic, admin, join }) => {
      const one = join({ window: 10 });
      await one.send(Array.from({ length: 30 }, (_, index) => `${index}`));
      await one.open(30_000);
      const found = await take(one, 10);
      assertEquals(await one.receive(5, { waitMs: 300, signal }), [], "the window is full");
      const committed = async () =>
        (await admin.fetchOffsets({ groupId: topic, topics: [topic] }))[0]!.partitions[0]!.offset;
      // All but the first, and the third, which has failed twice.
      await one.ack(receiptsOf(found.filter((_, index) => index !== 0 && index !== 2)));
      assertEquals(await committed(), "0");
      await one.fail([found[2]!.receipt], new Error("no"), 0);
      const [third] = await take(one, 1);
      await one.isolate(third!.receipt, 0);
      await one.fail([third!.receipt], new Error("no"), 3_600_000);
      assertEquals(await one.depth(), { waiting: 21, leased: 1, dead: 0 });
      await one.close();

      const other = join();
      await other.open(30_000);
      const rest = await take(other, 22);
      assertEquals(bodiesOf(rest), [
        "0",
        "2",
        ...Array.from({ length: 20 }, (_, i) => `${i + 10}`),
      ]);
      // Who was closed had not given it back: it counts as handed over.
      const counts = rest.slice(0, 3).map(({ deliveries, failures }) => [deliveries, failures]);
      assertEquals(counts, [[2, 0], [3, 2], [1, 0]]);
      await other.ack(receiptsOf(rest));
      assertEquals(await committed(), "30");
    }),
);

test(
  "kafkaQueue: a message that has failed holds its key, not its partition",
  { skip },
  () =>
    withKafka(1, async ({ join }) => {
      const one = join();
      await one.send(["a1", "a2", "b1", "free"], { keys: ["a", "a", "b", undefined] });
      await one.open(30_000);
      const first = await take(one, 3);
      assertEquals(bodiesOf(first), ["a1", "b1", "free"]);
      await one.fail([first[0]!.receipt], new Error("no"), 500);
      await one.ack(receiptsOf(first.slice(1)));
      await one.send(["b2"], { keys: ["b"] });
      const [next] = await take(one, 1);
      assertEquals(next!.body, "b2");
      const [again] = await take(one, 1);
      assertEquals([again!.body, again!.failures], ["a1", 1]);
      await one.ack(receiptsOf([next!, again!]));
      assertEquals(bodiesOf(await take(one, 1)), ["a2"]);
    }),
);

test(
  "kafkaQueue: what is revoked is given up, and its old owner moves nothing any more",
  { skip },
  () =>
    withKafka(4, async ({ topic, admin, join }) => {
      const [one, other] = [join(), join()];
      const bodies = Array.from({ length: 40 }, (_, index) => `${index}`);
      await one.send(bodies, { keys: bodies });
      await one.open(30_000);
      const mine = await take(one, 40);
      await other.open(30_000);
      const places = async () =>
        (await admin.fetchOffsets({ groupId: topic, topics: [topic] }))[0]!.partitions
          .map(({ offset }) => Number(offset)).filter((offset) => offset > 0).length;
      const theirs: Delivery<string>[] = [];
      const partitionOf = ({ id }: Delivery) => id.split("/")[1];
      await until(async () => {
        theirs.push(...await other.receive(40, { waitMs: 200, signal }));
        const partitions = new Set(theirs.map(partitionOf));
        const all = mine.filter((one) => partitions.has(partitionOf(one)));
        return partitions.size === 2 && theirs.length === all.length;
      });
      // As if they had never been handed over: no worker has died of them.
      assertEquals(new Set(theirs.map(({ deliveries }) => deliveries)), new Set([1]));
      await one.ack(receiptsOf(mine));
      assertEquals(await places(), 2, "only its own");
      await one.nack(receiptsOf(mine));
      assertEquals(await one.depth(), { waiting: 0, leased: theirs.length, dead: 0 });
      for (const delivery of mine) await one.deadLetter(delivery, new Error("late"));
      await other.ack(receiptsOf(theirs));
      assertEquals(await one.depth(), { waiting: 0, leased: 0, dead: 0 });
    }),
);

test(
  "kafkaQueue: members come and go while messages are worked on: none is lost",
  { skip },
  () =>
    withKafka(6, async ({ join }) => {
      const count = 1_000;
      const store = new Map<string, string>();
      const sender = join();
      const bodies = Array.from({ length: count }, (_, index) => `${index}`);
      await sender.send(bodies, { keys: bodies.map((body) => `${Number(body) % 50}`) });
      const done = new AbortController();
      const events: string[] = [];
      const work = async (lifeMs: number) => {
        while (!done.signal.aborted) {
          const member = join();
          const stop = AbortSignal.any([done.signal, AbortSignal.timeout(lifeMs)]);
          const consumer = new Consumer(member, {
            ...{ signal: stop, maxInFlight: 20 },
            onEvent: ({ kind }) => events.push(kind),
          });
          await pipeline(
            messages(consumer),
            perMessage<string>(),
            stored<string>(consumer, async (outputs) => {
              await new Promise((resolve) => setTimeout(resolve, 10));
              for (const { key, value } of outputs) store.set(key, value);
              if (store.size === count) done.abort();
            }, { batchSize: 5 }),
          );
          await member.close();
        }
      };
      await Promise.all([work(600), work(60_000), work(1_000)]);
      assertEquals([store.size, new Set(store.values()).size], [count, count]);
      assertEquals(events.filter((kind) => kind === "dead" || kind === "failure"), []);
      assertEquals(await sender.depth(), { waiting: 0, leased: 0, dead: 0 });
    }),
);

test("kafkaQueue: a server that is killed, and comes back", { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-kafka-test-"));
  const server = new OwnServer("kafka", join(folder, "server"), await freePort());
  try {
    await server.start();
    const client = openKafka(`127.0.0.1:${server.port}`, 3);
    const admin = client.admin();
    await admin.createTopics({ topics: [{ topic: "t" }, { topic: "t.dead" }] });
    await admin.disconnect();
    const queue = kafkaQueue(client, { topic: "t", group: "g", sessionTimeoutMs: 1_000 });
    // Once: it takes seconds to start.
    await killTwice(queue, server, 300, { maxInFlight: 30, leaseMs: 5_000 }, 1);
    await until(async () => (await queue.depth()).leased === 0);
    await queue.close();
    await server.kill();
    const away = kafkaQueue(openKafka(`127.0.0.1:${server.port}`, 3), { topic: "t", group: "g" });
    const error = await assertRejects(() => away.open(1_000), Error);
    assertEquals(error.message, "Cannot use the Kafka topic t: KafkaJSNumberOfRetriesExceeded");
    await assertRejects(
      () => away.send(["a", "b"]),
      Error,
      "Cannot send: 2 of 2 messages may not be in the queue",
    );
    await away.close();
  } finally {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  }
});

const secret = "SASL user:hunter2";

/** A client of a cluster that answers with this in one place. */
function refusing(place: string, type: string | undefined): KafkaClient {
  const answer = (name: string, value?: unknown) => () =>
    name === place
      ? Promise.reject(Object.assign(new Error(secret), type && { type }))
      : Promise.resolve(value);
  const common = (of: string) => ({
    connect: answer(`${of}.connect`),
    disconnect: () => Promise.resolve(),
  });
  const admin = {
    ...common("admin"),
    listTopics: answer("listTopics", ["t", "t.dead"]),
    fetchTopicMetadata: answer("fetchTopicMetadata", { topics: [{ partitions: [0] }] }),
  };
  const consumer = { ...common("consumer"), on() {}, subscribe: answer("subscribe") };
  const client = {
    admin: () => admin,
    producer: () => ({ ...common("producer"), send: answer("send") }),
    consumer: () => ({ ...consumer, run: answer("run") }),
  };
  return client as unknown as KafkaClient;
}

test("kafkaQueue: what a broker refuses is one line with its name, and no secret", async () => {
  const topic = "Cannot use the Kafka topic t: ";
  const group = "Cannot use the Kafka group g for topic t: ";
  const sent = "Cannot send: 1 of 1 messages may not be in the queue: ";
  const cases: readonly [place: string, type: string | undefined, message: string][] = [
    ["admin.connect", undefined, `${topic}Error`],
    ["admin.connect", "SASL_AUTHENTICATION_FAILED", `${topic}SASL_AUTHENTICATION_FAILED`],
    ["listTopics", "CLUSTER_AUTHORIZATION_FAILED", `${topic}CLUSTER_AUTHORIZATION_FAILED`],
    ["subscribe", "UNKNOWN_TOPIC_OR_PARTITION", `${topic}UNKNOWN_TOPIC_OR_PARTITION`],
    ["run", "TOPIC_AUTHORIZATION_FAILED", `${topic}TOPIC_AUTHORIZATION_FAILED`],
    ["run", "GROUP_AUTHORIZATION_FAILED", `${group}GROUP_AUTHORIZATION_FAILED`],
    ["run", "INVALID_GROUP_ID", `${group}INVALID_GROUP_ID`],
    ["run", "INCONSISTENT_GROUP_PROTOCOL", `${group}INCONSISTENT_GROUP_PROTOCOL`],
    ["fetchTopicMetadata", "UNKNOWN_TOPIC_OR_PARTITION", `${sent}UNKNOWN_TOPIC_OR_PARTITION`],
    ["producer.connect", undefined, `${sent}Error`],
    ["send", "TOPIC_AUTHORIZATION_FAILED", `${sent}TOPIC_AUTHORIZATION_FAILED`],
  ];
  for (const [place, type, message] of cases) {
    const queue = kafkaQueue(refusing(place, type), { topic: "t", group: "g" });
    const act = message.startsWith(sent) ? () => queue.send(["a"]) : () => queue.open(30_000);
    assertEquals((await assertRejects(act, Error)).message, message);
    await queue.close();
  }
});

test("kafkaQueue refuses bad input, and says what is missing", { skip }, async () => {
  const client = openKafka();
  const good = { topic: "t", group: "g" };
  const cases: readonly [() => unknown, string][] = [
    [() => kafkaQueue(undefined as never, good), "client must be a Kafka of kafkajs"],
    [() => kafkaQueue({} as never, good), "client.consumer must be a function"],
    [() => kafkaQueue(client, undefined as never), "topic must be the name of a topic"],
    [() => kafkaQueue(client, { ...good, topic: "a b" }), "topic must be the name of a topic"],
    [() => kafkaQueue(client, { ...good, deadTopic: "" }), "deadTopic must be the name of a topic"],
    [() => kafkaQueue(client, { ...good, deadTopic: "t" }), "deadTopic must be another topic"],
    [() => kafkaQueue(client, { ...good, group: "" }), "group must be the name of a group"],
    [() => kafkaQueue(client, { ...good, window: 0 }), "window must be a positive integer"],
    [() => kafkaQueue(client, { ...good, sessionTimeoutMs: 1.5 }), "sessionTimeoutMs must be"],
    [() => kafkaQueue(client, { ...good, format: "json" as never }), 'must be "text" or "bytes"'],
    [() => kafkaQueue(client, { ...good, name: "t" } as never), "unknown option"],
  ];
  for (const [make, message] of cases) assertThrows(make, Error, message);
  const missing = kafkaQueue(client, { topic: "none", group: "g" });
  const error = await assertRejects(() => missing.open(1_000), Error);
  const why = "it is not there, or may not be seen";
  assertEquals(error.message, `Cannot use the Kafka topic none: ${why}`);
  await missing.close();
  await withKafka(1, async ({ topic, join }) => {
    const lonely = kafkaQueue(client, { topic, group: "g", deadTopic: "none" });
    await assertRejects(() => lonely.open(1_000), Error, `Cannot use the Kafka topic none: ${why}`);
    await lonely.close();
    const short = join({ sessionTimeoutMs: 5 });
    const refused = await assertRejects(() => short.open(1_000), Error);
    assertEquals(refused.message, `Cannot use the Kafka topic ${topic}: INVALID_SESSION_TIMEOUT`);
    const one = join();
    await assertRejects(
      () => one.send(["a", "a".repeat(2 ** 21)]),
      RangeError,
      "bodies[1] is larger than the topic takes",
    );
  });
});
