import { natsQueue } from "@hosepipe/streams/queue/nats";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { withTimerCount } from "../../lib/with_timer_count.ts";
import { type LendQueue, testQueueLaws } from "./_check_queue.ts";
import { fakeMessage, FakeNats, type FakePull } from "./_fake_nats.ts";
import { workOff } from "./_kill_twice.ts";
import { connectTo, makeJobs, skipNats, withNats } from "./_nats_server.ts";

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
  nats.onRequest = () => note({ failures: 2, nacked: 1, isolations: 3, delayMs: 0 });
  const replies = [reply(1, 7), reply(4, 8), "$JS.ACK.domain.hash.jobs.rows.4.9.1.2.3.token"];
  const { deliveries } = await delivered(nats, replies);
  const first = { deliveries: 1, failures: 0, isolations: 0, body: "x" };
  const later = { deliveries: 3, failures: 2, isolations: 3, body: "x" };
  const said = deliveries.map(({ id, body, deliveries, failures, isolations }) => ({
    ...{ id, body, deliveries, failures, isolations },
  }));
  assertEquals(said, [
    { ...first, id: "5-7" },
    { ...later, id: "5-8" },
    { ...later, id: "5-9" },
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
  assertEquals(await sentBy(() => queue.nack(receipts)), [
    `${dead}.5-7 {"failures":0,"nacked":1,"isolations":0,"delayMs":0}`,
    `${dead}.5-8 {"failures":0,"nacked":1,"isolations":0,"delayMs":0}`,
    `${a} -NAK`,
    `?${b} -NAK`,
  ]);
  assertEquals(await sentBy(() => queue.fail(receipts.slice(1), "why", 25)), [
    `${dead}.5-8 {"failures":1,"nacked":0,"isolations":0,"delayMs":0}`,
    `?${b} -NAK {"delay":25000000}`,
  ]);
  assertEquals(
    (await sentBy(() => queue.fail(receipts.slice(1), "why", 0)))[1],
    [
      `?${b} -NAK {"delay":1000000}`,
    ][0],
  );
  assertEquals(await sentBy(() => queue.isolate(receipts[0]!, 30)), [
    `${dead}.5-7 {"failures":0,"nacked":0,"isolations":1,"delayMs":30}`,
  ]);
  assertEquals(await sentBy(() => queue.ack([])), []);
  assertEquals(new Set(nats.timeouts), new Set([2_000]));
});

test("what arrives after its wait was given up goes back, and its delivery does not count", async () => {
  for (const isReplaced of [false, true]) {
    const nats = new FakeNats();
    const controller = new AbortController();
    let pulled: FakePull | undefined;
    nats.onPull = (pull) => {
      pulled = pull;
      controller.abort();
    };
    nats.onDrain = () => new Promise(() => {});
    const queue = natsQueue(nats, names);
    assertEquals(await queue.receive(10, { waitMs: 60_000, signal: controller.signal }), []);
    nats.sent.length = 0;
    if (isReplaced) nats.created = "1970-01-01T00:00:00.009Z";
    pulled!.give(fakeMessage("x", { reply: reply(1, 7) }));
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(
      nats.sent.filter((text) => /NAK|nacked/.test(text)),
      isReplaced ? [] : [
        `jobs_rows_dead.note.5-7 {"failures":0,"nacked":1,"isolations":0,"delayMs":0}`,
        `?${reply(1, 7)} -NAK`,
      ],
    );
    nats.onRequest = () => Promise.reject(new Error("closed"));
    // What cannot be answered fails nothing: its lease runs out.
    pulled!.give(fakeMessage("x", { reply: reply(1, 8) }));
    await new Promise((resolve) => setTimeout(resolve));
  }
});

test("what cannot be noted of a message is not answered, and fails", async () => {
  const nats = new FakeNats();
  const { queue, receipts } = await delivered(nats, [reply(1, 7)]);
  nats.publish = () => Promise.reject(new Error("no room"));
  nats.sent.length = 0;
  for (
    const settle of [
      () => queue.nack(receipts),
      () => queue.fail(receipts, "why", 1),
      () => queue.isolate(receipts[0]!, 30),
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
  nats.created = undefined;
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
  for (
    const options of [{ ids: ["x"] }, { keys: ["k"] }, { notBefore: new Date() }, {
      ids: ["x"],
      rememberMs: 5,
    }]
  ) {
    await assertRejects(
      () => natsQueue(nats, { ...names, subject: "mine" }).send(["b"], options),
      TypeError,
      `Cannot send: a queue in NATS has no ${Object.keys(options)[0]}`,
    );
  }
  assertEquals(nats.sent, ["mine a"]);
});

test("what is no text says so instead of a body; bytes are as they are", async () => {
  const nats = new FakeNats();
  const messages = [
    fakeMessage(new Uint8Array([0xff]), { reply: reply(1, 7) }),
    fakeMessage("\uFEFFgood", { reply: reply(1, 8) }),
  ];
  nats.onPull = ({ give }) => give(...messages, fakeMessage("", { code: 404 }));
  const texts = await natsQueue(nats, names).receive(10, { waitMs: 0, signal });
  assertEquals(texts.map(({ flaw }) => flaw?.reason instanceof TypeError), [true, false]);
  assertEquals(texts[1]!.body, "\uFEFFgood");
  const bytes = await natsQueue(nats, { ...names, format: "bytes" })
    .receive(10, { waitMs: 0, signal });
  assertEquals(bytes.map(({ body, flaw }) => [[...body], flaw]), [
    [[0xff], undefined],
    [[...new TextEncoder().encode("\uFEFFgood")], undefined],
  ]);
});

test("each queue takes the bodies of its format alone", async () => {
  const nats = new FakeNats();
  const subject = { ...names, subject: "mine" };
  const [text, bytes] = ["a", new Uint8Array([1])];
  await natsQueue(nats, subject).send([text]);
  await natsQueue(nats, { ...subject, format: "bytes" }).send([bytes]);
  const need = "Cannot send: bodies[0] must be";
  await assertRejects(
    () => natsQueue(nats, subject).send([bytes as never]),
    TypeError,
    `${need} text, got a Uint8Array`,
  );
  await assertRejects(
    () => natsQueue(nats, { ...subject, format: "bytes" }).send([text as never]),
    TypeError,
    `${need} a Uint8Array, got "a"`,
  );
  assertEquals(nats.sent.length, 2);
});

test("natsQueue hands over and acknowledges nothing of a stream that was made again", async () => {
  const nats = new FakeNats();
  let replaced = 0;
  const { queue, receipts } = await delivered(nats, [reply(1, 7), reply(1, 8)]);
  await queue.open(0, { onReplaced: () => replaced++ }).catch(() => {});
  nats.created = "1970-01-01T00:00:00.006Z";
  nats.sent.length = 0;
  await queue.ack(receipts);
  await queue.extend(receipts);
  assertEquals([nats.sent, replaced], [[], 1]);
  // Found out by a pull: what it gave may be of either.
  nats.created = "1970-01-01T00:00:00.007Z";
  const deliveries = await queue.receive(2, { waitMs: 60_000, signal });
  assertEquals(deliveries.map(({ id }) => id), ["7-7", "7-8"]);
  assertEquals(nats.sent.filter((text) => text.endsWith("-NAK")).length, 2);
  assertEquals(replaced, 2);
});

test("a message whose worker has died of it, maybe, waits once for as long as was noted", async () => {
  const nats = new FakeNats();
  nats.onRequest = () => note({ failures: 0, nacked: 1, isolations: 2, delayMs: 30 });
  const { deliveries } = await delivered(nats, [reply(4, 7)]);
  assertEquals(deliveries, []);
  nats.onPull = ({ give }) =>
    give(fakeMessage("x", { reply: reply(4, 7) }), fakeMessage("", { code: 404 }));
  await natsQueue(nats, names).receive(1, { waitMs: 0, signal });
  assertEquals(nats.sent.slice(-2), [
    'jobs_rows_dead.note.5-7 {"failures":0,"nacked":2,"isolations":2,"delayMs":0}',
    `?${reply(4, 7)} -NAK {"delay":30000000}`,
  ]);
});

const options = { stream: "jobs", consumer: "rows" };

const lendNats: LendQueue = (leaseMs, use) =>
  withNats(async (server) => {
    const connections = [await connectTo(server.url), await connectTo(server.url)];
    await makeJobs(connections[0]!, leaseMs);
    const [one, other] = connections.map((connection) => natsQueue(jetstream(connection), options));
    const remake = async () => {
      await (await jetstreamManager(connections[0]!)).streams.delete("jobs");
      await makeJobs(connections[0]!, leaseMs);
    };
    await use({ one: one!, other: other!, remake });
    await Promise.all(connections.map((connection) => connection.close()));
  });

testQueueLaws("natsQueue", skipNats, lendNats, {
  ids: "Cannot send: a queue in NATS has no ids",
  remembering: "Cannot send: a queue in NATS has no ids",
  notBefore: "Cannot send: a queue in NATS has no notBefore",
  keys: "Cannot send: a queue in NATS has no keys",
  keyOrder: "Cannot send: a queue in NATS has no keys",
  age: "the queue has no `oldestAgeMs`",
  letters: "the queue has no `dead`",
  replay: "the queue has no `dead`",
});

test("a consumer that would lose messages is refused, as is one that is not there", {
  skip: skipNats,
}, () =>
  withNats(async (server) => {
    const connection = await connectTo(server.url);
    const client = jetstream(connection);
    const open = (consumer: string, stream = "jobs") =>
      natsQueue(client, { stream, consumer }).open(1_000);
    await assertRejects(() => open("rows"), Error, "STREAM.INFO.jobs: stream not found");
    await makeJobs(connection, 1_000, { retention: "limits" });
    await assertRejects(() => open("none"), Error, "consumer not found");
    const manager = await jetstreamManager(connection);
    const base = { ack_policy: "explicit", ack_wait: 1e9, max_deliver: -1 } as const;
    for (
      const [name, config, problem] of [
        ["five", { ...base, max_deliver: 5 }, "max_deliver must be unlimited (-1)"],
        [
          "short",
          { ...base, ack_wait: 5e8 },
          "ack_wait must be at least the lease of 1000 ms, got 500 ms",
        ],
        ["none", { ...base, ack_policy: "none" }, "ack_policy must be explicit"],
        ["push", { ...base, deliver_subject: "x" }, "it must be a pull consumer"],
        ["back", { ...base, max_deliver: -1, backoff: [1e9] }, "backoff must not be set"],
      ] as const
    ) {
      try {
        await manager.consumers.add("jobs", { durable_name: name, ...config } as never);
      } catch {
        // The server itself refuses it: then there is nothing for us to refuse.
        continue;
      }
      await assertRejects(
        () => open(name),
        Error,
        `Cannot open consumer ${name} of stream jobs: ${problem}`,
      );
    }
    await open("rows");
    for (
      const [config, problem] of [
        [{ max_msgs: 5 }, 'Cannot open stream jobs: with max_msgs set discard must be "new"'],
        [{ max_bytes: 5_000 }, 'with max_bytes set discard must be "new"'],
        [{ max_msgs_per_subject: 5 }, "discard_new_per_subject must be"],
        [{ max_msgs: 5, discard: "new", max_msgs_per_subject: 5 }, "discard_new_per_subject must"],
        [{ max_msgs: 5, max_msgs_per_subject: -1, discard: "new" }, undefined],
        [{ discard: "new", discard_new_per_subject: true, max_msgs_per_subject: 5 }, undefined],
      ] as const
    ) {
      const none = {
        max_msgs: -1,
        max_bytes: -1,
        max_msgs_per_subject: -1,
        discard: "old",
      } as const;
      await manager.streams.update("jobs", { ...none, ...config });
      if (problem === undefined) await open("rows");
      else await assertRejects(() => open("rows"), Error, problem);
    }
    await connection.close();
  }));

test("natsQueue: a stream of dead letters that drops them, or is another queue's, is refused", {
  skip: skipNats,
}, () =>
  withNats(async (server) => {
    const connection = await connectTo(server.url);
    const manager = await jetstreamManager(connection);
    const open = async (stream: string, consumer: string) => {
      await manager.streams.add({ name: stream, subjects: [stream] });
      const durable = { durable_name: consumer, ack_wait: 1e9, max_deliver: -1 } as const;
      await manager.consumers.add(stream, { ...durable, ack_policy: "explicit" });
      const queue = natsQueue(jetstream(connection), { stream, consumer });
      await queue.open(1_000);
      await queue.open(1_000);
    };
    await open("a_b", "c");
    await assertRejects(
      () => open("a", "b_c"),
      Error,
      "Cannot use stream a_b_c_dead for dead letters: it says that it has the dead letters of consumer c of stream a_b",
    );
    for (
      const [config, problem] of [
        [{ max_msgs: 5 }, 'with max_msgs set discard must be "new"'],
        [{ max_msg_size: 500 }, "max_msg_size must not be less than that of stream x"],
        [{ max_msgs: 5, discard: "new" }, undefined],
        [{ max_age: 1e12 }, undefined],
      ] as const
    ) {
      const name = "x_y_dead";
      await manager.streams.add({ name, subjects: [`${name}.>`], ...config } as never);
      if (problem === undefined) await open("x", "y");
      else await assertRejects(() => open("x", "y"), Error, problem);
      await manager.streams.delete(name);
    }
    await connection.close();
  }));

test("natsQueue: what cannot be read is a dead letter, and the others arrive", {
  skip: skipNats,
}, () =>
  withNats(async (server) => {
    const connection = await connectTo(server.url);
    await makeJobs(connection, 120_000);
    const client = jetstream(connection);
    const queue = natsQueue(client, options);
    await queue.open(1_000);
    const notes = [
      ...["no JSON", "null", '{"failures":"x","nacked":0,"isolations":0,"delayMs":0}', "5"],
      ...['{"failures":-1,"nacked":0,"isolations":0,"delayMs":0}', "\u0000"],
    ];
    await queue.send([...notes, "a"]);
    const held = await queue.receive(10, { waitMs: 20_000, signal });
    for (const [index, note] of notes.entries()) {
      await client.publish(`jobs_rows_dead.note.${held[index]!.id}`, note);
    }
    assertEquals(await queue.orphans!(), 0);
    for (const { receipt } of held) {
      connection.publish((receipt as never as { reply: string }).reply, "-NAK");
    }
    // A status in a message of its sender's is not the broker's.
    const status = headers(503, "No Responders");
    await client.publish("jobs", "", { headers: status });
    const { bodies, reasons } = await workOff(queue, 2);
    assertEquals(bodies.toSorted(), ["", "a"]);
    assertEquals(
      reasons,
      notes.map(() => "The note of its failures cannot be read"),
    );
    await connection.close();
  }));

test(
  "natsQueue: a reason longer than the broker takes is cut",
  { skip: skipNats },
  () =>
    withNats(async (server) => {
      const connection = await connectTo(server.url);
      await makeJobs(connection, 60_000);
      // As a server of a small max_payload: it says so.
      Object.assign(connection.info!, { max_payload: 1_024 });
      const queue = natsQueue(jetstream(connection), options);
      await queue.open(1_000);
      await queue.send(["a"]);
      const [delivery] = await queue.receive(1, { waitMs: 20_000, signal });
      await queue.deadLetter(delivery!, new Error("\u0001".repeat(10_000)));
      assertEquals((await queue.depth()).dead, 1);
      await connection.close();
    }),
);

test("messages larger than the broker takes are refused by name, and sent ones stay", {
  skip: skipNats,
}, () =>
  withNats(async (server) => {
    const connection = await connectTo(server.url);
    await makeJobs(connection, 60_000);
    const queue = natsQueue(jetstream(connection), options);
    await assertRejects(() => queue.send(["x".repeat(2 ** 20 + 1)]), Error);
    await queue.send(["y".repeat(2 ** 20 - 1_000)]);
    // The broker tells of it a little later.
    while ((await queue.depth()).waiting !== 1) await new Promise((go) => setTimeout(go, 5));
    await connection.close();
  }));
