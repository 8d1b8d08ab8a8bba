import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { natsQueue } from "@hosepipe/streams/queue/nats";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { withTimerCount } from "../../lib/with_timer_count.ts";
import { fakeMessage, FakeNats } from "./_fake_nats.ts";

const { signal } = new AbortController();
const names = { stream: "jobs", consumer: "rows" };

/** A queue whose next pull gives messages with these answers' addresses. */
async function delivered(nats: FakeNats, replies: readonly string[], body = "x") {
  nats.onPull = ({ give }) =>
    give(
      ...replies.map((reply) => fakeMessage(body, { reply })),
      fakeMessage("", { code: 404 }),
    );
  const queue = natsQueue(nats, names);
  const deliveries = await queue.receive(10, { waitMs: 0, signal });
  nats.sent.length = 0;
  return { queue, deliveries, receipts: deliveries.map(({ receipt }) => receipt) };
}

const reply = (deliveries: number, sequence: number) =>
  `$JS.ACK.jobs.rows.${deliveries}.${sequence}.1.2.3`;
const note = (counts: object) => ({ message: { data: btoa(JSON.stringify(counts)) } });

test("natsQueue reads deliveries and place of both kinds of address", async () => {
  const nats = new FakeNats();
  nats.onRequest = () => note({ failures: 2, givenBack: 1, isolations: 3 });
  const replies = [reply(1, 7), reply(4, 8), "$JS.ACK.domain.hash.jobs.rows.4.9.1.2.3.token"];
  const { deliveries } = await delivered(nats, replies);
  const first = { deliveries: 1, failures: 0, isolations: 0, body: "x" };
  const later = { deliveries: 3, failures: 2, isolations: 3, body: "x" };
  const said = deliveries.map(({ id, body, deliveries, failures, isolations }) => ({
    ...{ id, body, deliveries, failures, isolations },
  }));
  assertEquals(said, [
    { ...first, id: "-7" },
    { ...later, id: "-8" },
    { ...later, id: "-9" },
  ]);
});

test("natsQueue answers each delivery, and waits for the last answer to be confirmed", async () => {
  const nats = new FakeNats();
  const [a, b] = [reply(1, 7), reply(1, 8)];
  const { queue, receipts } = await delivered(nats, [a, b]);
  const sentBy = async (act: () => Promise<unknown>) => {
    nats.sent.length = 0;
    await act();
    return [...nats.sent];
  };
  const dead = "jobs_rows_dead.note";
  assertEquals(await sentBy(() => queue.ack(receipts)), [`${a} +ACK`, `?${b} +ACK`]);
  assertEquals(await sentBy(() => queue.extend(receipts)), [`${a} +WPI`, `?${b} +WPI`]);
  assertEquals(await sentBy(() => queue.giveBack(receipts)), [
    `${dead}.7 {"failures":0,"givenBack":1,"isolations":0}`,
    `${dead}.8 {"failures":0,"givenBack":1,"isolations":0}`,
    `${a} -NAK`,
    `?${b} -NAK`,
  ]);
  assertEquals(await sentBy(() => queue.fail(receipts.slice(1), "why", 25)), [
    `${dead}.8 {"failures":1,"givenBack":0,"isolations":0}`,
    `?${b} -NAK {"delay":25000000}`,
  ]);
  assertEquals(
    (await sentBy(() => queue.fail(receipts.slice(1), "why", 0)))[1],
    [
      `?${b} -NAK {"delay":1000000}`,
    ][0],
  );
  assertEquals(await sentBy(() => queue.isolate(receipts[0]!)), [
    `${dead}.7 {"failures":0,"givenBack":0,"isolations":1}`,
  ]);
  assertEquals(await sentBy(() => queue.ack([])), []);
  assertEquals(new Set(nats.timeouts), new Set([2_000]));
});

test("what cannot be noted of a message is not answered, and fails", async () => {
  const nats = new FakeNats();
  const { queue, receipts } = await delivered(nats, [reply(1, 7)]);
  nats.publish = () => Promise.reject(new Error("no room"));
  nats.sent.length = 0;
  for (
    const settle of [
      () => queue.giveBack(receipts),
      () => queue.fail(receipts, "why", 1),
      () => queue.isolate(receipts[0]!),
    ]
  ) {
    await assertRejects(settle, Error, "no room");
  }
  assertEquals(nats.sent.filter((text) => text.includes("NAK")), []);
});

test("an answer that is not confirmed has reached the server if that answers at all", async () => {
  const nats = new FakeNats();
  const { queue, receipts } = await delivered(nats, [reply(1, 7)]);
  nats.onRequest = () => Promise.reject(new Error("timeout"));
  await withTimerCount(async (pending) => {
    await queue.ack(receipts);
    assertEquals([nats.flushes, pending()], [1, 0]);
  });
  nats.onFlush = () => Promise.reject(new Error("closed"));
  await assertRejects(() => queue.ack(receipts), Error, "closed");
  nats.onFlush = () => new Promise(() => {});
  const delays = await withQuickTimers(() =>
    assertRejects(() => queue.ack(receipts), Error, "The broker does not answer")
  );
  assertEquals(delays, [2_000]);
});

test("natsQueue sends to the stream's own subject, if that is one, or to the one it is given", async () => {
  const nats = new FakeNats();
  let subjects: string[] | undefined = ["orders", "others"];
  nats.onRequest = () => ({ created: 0, config: { subjects } });
  const queue = natsQueue(nats, names);
  await queue.send(Array.from({ length: 300 }, (_, index) => `${index}`));
  assertEquals(nats.sent.slice(1), Array.from({ length: 300 }, (_, index) => `orders ${index}`));
  for (subjects of [["a.*"], ["a.>"], [], undefined]) {
    await assertRejects(() => queue.send(["a"]), TypeError, "no subject without a wildcard");
  }
  nats.sent.length = 0;
  await natsQueue(nats, { ...names, subject: "mine" }).send(["a"]);
  assertEquals(nats.sent, ["mine a"]);
});

test("what is no text is a dead letter at once, and not handed on; bytes are as they are", async () => {
  const nats = new FakeNats();
  const bad = new Uint8Array([0xff]);
  const messages = [
    fakeMessage(bad, { reply: reply(1, 7) }),
    fakeMessage("\uFEFFgood", { reply: reply(1, 8) }),
  ];
  nats.onPull = ({ give }) => give(...messages, fakeMessage("", { code: 404 }));
  const texts = await natsQueue(nats, names).receive(10, { waitMs: 0, signal });
  assertEquals(texts.map(({ body }) => body), ["\uFEFFgood"]);
  assertEquals(nats.sent.filter((text) => text.includes("letter.7")).length, 1);
  assertEquals(nats.sent.at(-1), `?${reply(1, 7)} +ACK`);
  nats.sent.length = 0;
  const bytes = await natsQueue(nats, { ...names, format: "bytes" })
    .receive(10, { waitMs: 0, signal });
  assertEquals(bytes.map(({ body }) => [...body]), [[0xff], [
    ...new TextEncoder().encode("\uFEFFgood"),
  ]]);
});
