import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { map, pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { publish, type SqsClient, type SqsMessage, sqsQueue } from "@hosepipe/streams/queue/sqs";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { testQueueLaws } from "./_check_queue.ts";
import { openSns, openSqs, withSqs } from "./_sqs.ts";

const { signal } = new AbortController();

/** SQS counts deliveries, and nothing else. */
const counts = "a delivery that was given back, or whose lease is over, counts as a failure";
const weaker = {
  ...{ nack: counts, fail: counts, lease: counts, size: counts, isolate: counts },
  abandon: "a wait that is given up may have leased a message, which comes after the lease",
  content: "fauxqs refuses characters beyond U+FFFF, which SQS takes",
};
const cannot = (option: string, why: string) => `Cannot send: SQS has no ${option} ${why}`;
const hasNot = {
  remade: "remake is not given",
  remembering: cannot("rememberMs", "of one's own: a FIFO queue remembers ids for five minutes"),
  age: "the queue has no `oldestAgeMs`",
  letters: "the queue has no `dead`",
  replay: "the queue has no `dead`",
};
const needsFifo = "in a standard queue: use a FIFO queue";

testQueueLaws("sqsQueue, standard", false, (_, use) => withSqs("standard", use), {
  ...hasNot,
  ids: cannot("ids", needsFifo),
  keys: cannot("keys", needsFifo),
  keyOrder: cannot("keys", needsFifo),
}, { ...weaker, notBefore: "SQS delays by 15 minutes at most" });
testQueueLaws("sqsQueue, FIFO", false, (_, use) => withSqs("FIFO", use), {
  ...hasNot,
  notBefore: cannot("notBefore", "in a FIFO queue: use a standard queue"),
}, { ...weaker, ids: "a FIFO queue remembers an id for five minutes, acknowledged or not" });

test("sqsQueue: text and bytes come as they were sent, and what others sent", () =>
  withSqs("standard", async ({ name, client, url }) => {
    const queue = sqsQueue<string | Uint8Array>(client, { queue: name });
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const bodies = [
      "text",
      "",
      "\ufeff\0",
      "\0\u{1f600}\ufffe",
      "line\r\n",
      bytes,
      new Uint8Array(),
    ];
    await queue.send(bodies);
    await client.sendMessage({ QueueUrl: url, MessageBody: "base64, by another" });
    const found = [];
    while (found.length < 8) found.push(...await queue.receive(20, { waitMs: 1_000, signal }));
    const sorted = (all: unknown[]) => all.map((one) => JSON.stringify(one)).toSorted();
    assertEquals(
      sorted(found.map(({ body }) => body)),
      sorted([...bodies, "base64, by another"]),
    );
  }));

test("sqsQueue: a body that is not what its mark says has a flaw", () =>
  withSqs("standard", async ({ one, client, url }) => {
    const bodies = { bytes: "base64,!!!", text: "base64,Yf8=", other: "base64,Yf8=" };
    const marked = [...Object.entries(bodies), ["bytes", "Yf8="] as const];
    for (const [StringValue, MessageBody] of marked) {
      const MessageAttributes = { "hosepipe-body": { DataType: "String", StringValue } };
      await client.sendMessage({ QueueUrl: url, MessageBody, MessageAttributes });
    }
    const found = [];
    while (found.length < marked.length) {
      found.push(...await one.receive(10, { waitMs: 1_000, signal }));
    }
    for (const { flaw } of found) {
      assertEquals((flaw!.reason as Error).message, "Its body is not what its mark says");
    }
  }));

test("sqsQueue: each delivery counts, and one too many makes a dead letter with the reason", () =>
  withSqs("standard", async ({ name, client, url }) => {
    const queue = sqsQueue<string>(client, { queue: name, maxDeliveries: 2 });
    await queue.send(["killer"]);
    for (const deliveries of [1, 2]) {
      const [one] = await queue.receive(1, { waitMs: 1_000, signal });
      assertEquals([one!.deliveries, one!.failures, one!.flaw], [
        deliveries,
        deliveries - 1,
        undefined,
      ]);
      await queue.nack([one!.receipt]);
    }
    const consumer = new Consumer(queue, { onEvent: () => consumer.stop() });
    await pipeline(messages(consumer), perMessage(map(String)), stored(consumer, () => {}));
    const { Messages } = await client.receiveMessage({
      QueueUrl: url.replace(name, `${name}-dead`),
      MessageAttributeNames: ["All"],
    });
    const [{ Body, MessageAttributes }] = Messages as [SqsMessage];
    assertEquals([Body, MessageAttributes!["hosepipe-reason"]!.StringValue], [
      "killer",
      "Error: It was handed over 2 times, and came to no end",
    ]);
  }));

test("sqsQueue: a dead letter keeps its body, however large, and a message may die twice", () =>
  withSqs("FIFO", async ({ name, client, url }) => {
    const queue = sqsQueue<string>(client, { queue: name });
    const dead = url.replace(".fifo", "-dead.fifo");
    const { Attributes } = await client.getQueueAttributes({
      QueueUrl: dead,
      AttributeNames: ["MaximumMessageSize"],
    });
    const body = "a".repeat(Number(Attributes?.MaximumMessageSize ?? 262_144) - 200);
    for (const time of [1, 2]) {
      await queue.send([body], { ids: [`id-${time}`] });
      const [one] = await queue.receive(1, { waitMs: 2_000, signal });
      await queue.deadLetter(one!, new Error("no such order ".repeat(1_000)));
      await queue.deadLetter(one!, new Error("twice"));
      assertEquals(await queue.depth(), { waiting: 0, leased: 0, dead: time });
    }
    const { Messages } = await client.receiveMessage({
      QueueUrl: dead,
      MessageAttributeNames: ["All"],
    });
    const [{ Body, MessageAttributes }] = Messages as [SqsMessage];
    // There is no room for a reason beside the largest body.
    assertEquals([Body, MessageAttributes], [body, undefined]);
    const stop = AbortSignal.abort();
    assertEquals(await queue.receive(5, { waitMs: 60_000, signal: stop }), []);
  }));

test("sqsQueue: the messages of a key follow each other, and an id is taken once", () =>
  withSqs("FIFO", async ({ name, client }) => {
    const queue = sqsQueue<string>(client, { queue: name });
    await queue.send(["a1", "b1", "a2"], { keys: ["a", "b", "a"], ids: ["1", "2", "3"] });
    await queue.send(["again"], { keys: ["b"], ids: ["2"] });
    const seen: string[] = [];
    const consumer = new Consumer(queue, { maxInFlight: 10 });
    await pipeline(
      messages(consumer),
      perMessage(map(String)),
      stored(consumer, (outputs) => {
        seen.push(...outputs.map(({ key, value }) => `${key} ${value}`));
        if (seen.length === 3) consumer.stop();
      }),
    );
    assertEquals(seen.toSorted(), ["1/0 a1", "2/0 b1", "3/0 a2"]);
    assert(seen.indexOf("1/0 a1") < seen.indexOf("3/0 a2"));
    assertEquals(await queue.depth(), { waiting: 0, leased: 0, dead: 0 });
  }));

test("from one queue through stages to a store, and events by SNS to another queue", () =>
  withSqs("FIFO", async ({ name, client }) => {
    const sns = await openSns();
    const { TopicArn } = await sns.createTopic({
      Name: `paid-${name}`,
      Attributes: { FifoTopic: "true" },
    });
    await withSqs("FIFO", async ({ name: other, url }) => {
      const { Attributes } = await client.getQueueAttributes({
        QueueUrl: url,
        AttributeNames: ["QueueArn"],
      });
      await sns.subscribe({
        TopicArn: TopicArn!,
        Protocol: "sqs",
        Endpoint: Attributes!.QueueArn!,
        Attributes: { RawMessageDelivery: "true" },
      });
      const queue = sqsQueue<string>(client, { queue: name });
      const orders = Array.from({ length: 30 }, (_, id) => JSON.stringify({ id, total: id * 2 }));
      await queue.send(orders, { ids: orders.map((_, id) => `order-${id}`) });

      const store = new Map<string, { id: number; total: number }>();
      const send = publish<{ id: number; total: number }>(sns, {
        topicArn: TopicArn!,
        group: ({ id }) => `${id % 3}`,
        format: ({ id }) => `paid ${id}`,
        attributes: ({ total }) => ({ total: `${total}` }),
      });
      const consumer = new Consumer(queue);
      await pipeline(
        messages(consumer),
        perMessage(map((text: string) => JSON.parse(text) as { id: number; total: number })),
        stored(consumer, async (outputs) => {
          for (const { key, value } of outputs) store.set(key, value);
          await send(outputs);
          // What is published again after a failure is dropped.
          await send(outputs);
          if (store.size === orders.length) consumer.stop();
        }),
      );
      const events = sqsQueue<string>(client, { queue: other });
      const found: string[] = [];
      while (found.length < orders.length) {
        const some = await events.receive(10, { waitMs: 1_000, signal });
        found.push(...some.map(({ body }) => body));
        await events.ack(some.map(({ receipt }) => receipt));
      }
      assertEquals(found.toSorted(), orders.map((_, id) => `paid ${id}`).toSorted());
      assertEquals(await events.depth(), { waiting: 0, leased: 0, dead: 0 });
    });
  }));

test("publish sends what the service could not take again, alone, and says what it refuses", async () => {
  const outputs = ["a", "b", "c"].map((value, index) => ({
    ...{ key: `m/${index}`, value, index },
    message: { id: "m", body: "", deliveries: 1, failures: 0 },
  }));
  const failed = (Id: string, Code: string, SenderFault = false) => ({
    Failed: [{ Id, Code, SenderFault }],
  });
  const unnamed = "Cannot publish: 2 of 3 failed: the answer does not name it";
  const throttled = "Cannot publish: 1 of 3 failed: Throttled";
  const cases: readonly [answers: object[], calls: string[], message?: string, isRefused?: true][] =
    [
      [[failed("1", "InternalError")], ["abc", "b"]],
      [Array(3).fill({ Successful: [{ Id: "0" }] }), ["abc", "bc", "bc"], unnamed],
      [[failed("2", "Invalid", true)], ["abc"], "Cannot publish m/2: Invalid, refused", true],
      [Array(3).fill(failed("0", "Throttled")), ["abc", "a", "a"], throttled],
    ];
  for (const [answers, wanted, message, isRefused = false] of cases) {
    const calls: string[] = [];
    const client = {
      sendMessageBatch: ({ Entries }: { Entries: { MessageBody: string }[] }) => {
        calls.push(Entries.map(({ MessageBody }) => MessageBody).join(""));
        return Promise.resolve(answers.shift() ?? {});
      },
    };
    const publishing = publish<string>(client, { queueUrl: "http://localhost/q" })(outputs);
    const error = await publishing.catch((error: Error) => error);
    assertEquals([calls, error?.message, error instanceof TypeError], [wanted, message, isRefused]);
  }
});

test("sqsQueue and publish refuse bad input, and say what is missing", async () => {
  const client = await openSqs();
  const cases: readonly [() => unknown, string][] = [
    [() => sqsQueue(undefined as never, { queue: "q" }), "client must be an SQS of @aws-sdk"],
    [() => sqsQueue({} as never, { queue: "q" }), "client.getQueueUrl must be a function"],
    [() => sqsQueue(client, { queue: "a b" }), "queue must be the name of a queue"],
    [() => sqsQueue(client, undefined as never), "queue must be the name of a queue"],
    [() => sqsQueue(client, { queue: "q", deadQueue: "" }), "deadQueue must be the name"],
    [() => sqsQueue(client, { queue: "q", maxDeliveries: 0 }), "maxDeliveries must be a positive"],
    [() => sqsQueue(client, { name: "q" } as never), "unknown option"],
    [() => publish(client, {}), "either topicArn or queueUrl"],
    [() => publish(client, { topicArn: "arn" }), "client.publishBatch must be a function"],
    [() => publish(client, { queueUrl: "u", format: 5 as never }), "format must be a function"],
  ];
  for (const [make, message] of cases) assertThrows(make, Error, message);
  const url = "https://sqs.eu-west-1.amazonaws.com/210987654321/q";
  assertThrows(() => sqsQueue(client, { queue: url }), TypeError, "must be the name of a queue");
  const missing = sqsQueue(client, { queue: "none" });
  const error = await assertRejects(() => missing.open(1_000), Error);
  assertEquals(error.message, "Cannot use the SQS queue none: QueueDoesNotExist");
  const failure = (name: string, message: string, more = {}) =>
    Object.assign(new Error(message), { name, ...more });
  const failures = [
    [failure("AccessDenied", "User: arn:aws:iam::1:user/me is not authorized"), "AccessDenied"],
    [failure("InvalidClientTokenId", "The token AKIASECRET is invalid"), "InvalidClientTokenId"],
    [failure("SignatureDoesNotMatch", "The Canonical String\nwas …"), "SignatureDoesNotMatch"],
    [failure("CredentialsProviderError", "Could not load\nany"), "Could not load"],
    [failure("Error", "Region is missing"), "Region is missing"],
    [failure("AggregateError", "", { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    [undefined, "undefined"],
  ] as const;
  for (const [reason, words] of failures) {
    const refuse = () => Promise.reject(reason);
    const other = clientOf({ getQueueUrl: refuse, sendMessageBatch: refuse });
    const opened = sqsQueue(other, { queue: "q" }).open(1_000);
    assertEquals(
      await opened.catch(({ message }) => message),
      `Cannot use the SQS queue q: ${words}`,
    );
    const sent = sqsQueue(
      clientOf({
        ...{ getQueueAttributes: () => Promise.resolve({}), sendMessageBatch: refuse },
      }),
      { queue: "q" },
    ).send(["a"]);
    const missing = "1 of 1 messages may not be in the queue";
    assertEquals(await sent.catch(({ message }) => message), `Cannot send: ${missing}: ${words}`);
    const message = { id: "m", body: "", deliveries: 1, failures: 0 };
    const published = publish<string>(other, { queueUrl: url })([
      { key: "m/0", value: "a", index: 0, message },
    ]);
    assertEquals(
      await published.catch(({ message }) => message),
      `Cannot publish to ${url}: ${words}`,
    );
  }
  await withSqs("standard", async ({ one }) => {
    const late = new Date(Date.now() + 3_600_000);
    await assertRejects(() => one.send(["a"], { notBefore: late }), RangeError, "15 minutes");
    await assertRejects(() => one.send(["a".repeat(2 ** 21)]), RangeError, "bodies[0] must be at");
    assertEquals((await one.depth()).waiting, 0);
  });
});

/** A client of some methods of its own; the others do nothing. */
function clientOf(methods: object): SqsClient {
  const all = { getQueueUrl: () => Promise.resolve({ QueueUrl: "url" }), ...methods };
  const others = { get: (target: object, name: string) => Reflect.get(target, name) ?? (() => {}) };
  return new Proxy(all, others) as unknown as SqsClient;
}

test("sqsQueue: an idle worker waits in one call, and a busy one makes more each time", async () => {
  let [there, late] = [0, 0];
  let stop = new AbortController();
  const calls: { most: number; waits: boolean }[] = [];
  const client = clientOf({
    receiveMessage: ({ MaxNumberOfMessages, WaitTimeSeconds }: Record<string, number>) => {
      calls.push({ most: MaxNumberOfMessages!, waits: WaitTimeSeconds! > 0 });
      if (WaitTimeSeconds! > 0) {
        if (late === 0) stop.abort();
        there += late;
      }
      const count = Math.min(MaxNumberOfMessages!, there);
      there -= count;
      const message = { MessageId: "id", ReceiptHandle: "handle", Body: "body" };
      return Promise.resolve({ Messages: Array(count).fill(message) });
    },
  });
  for (const [name, most] of [["jobs", 10], ["jobs.fifo", 1]] as const) {
    const queue = sqsQueue(client, { queue: name });
    const rounds: string[] = [];
    for (
      const [now, then] of [[200, 0], [0, 1], [0, 1], [0, 0], [0, 0], [0, 1], [50, 0], [50, 0]]
    ) {
      [there, late, stop] = [now!, then!, new AbortController()];
      calls.length = 0;
      await queue.receive(256, { waitMs: 60_000, signal: stop.signal });
      const waits = calls.filter(({ waits }) => waits).length;
      rounds.push(`${calls.length - waits}+${waits}`);
      assert(calls.every((call) => call.most === most));
    }
    assertEquals(rounds, ["20+0", "20+1", "1+1", "1+1", "0+1", "0+1", "1+0", "2+0"]);
  }
});

test("sqsQueue: a call that waits and is not answered fails ten seconds after its time", async () => {
  const receiveMessage = (
    { WaitTimeSeconds }: { WaitTimeSeconds: number },
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ) =>
    WaitTimeSeconds === 0
      ? Promise.resolve({})
      : new Promise((_, reject) => abortSignal!.addEventListener("abort", reject));
  const client = clientOf({ receiveMessage });
  const queue = sqsQueue(client, { queue: "jobs" });
  const delays = await withQuickTimers(() =>
    assertRejects(() => queue.receive(1, { waitMs: 20_000, signal }), Error, "does not answer")
  );
  assertEquals(delays.filter((ms) => ms > 1_000), [30_000]);
});
