import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { natsQueue } from "@hosepipe/streams/queue/nats";
import { type LendQueue, testQueueLaws } from "./_check_queue.ts";
import { connectTo, makeJobs, skipNats, withNats } from "./_nats_server.ts";
import { killTwice } from "./_kill_twice.ts";
import { workOff } from "./_work_off.ts";

const options = { stream: "jobs", consumer: "rows" };
const { signal } = new AbortController();

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

test("natsQueue refuses bad arguments", () => {
  const client = { getConnection: () => ({}), publish() {}, apiPrefix: "$JS.API" };
  for (
    const [args, type, message] of [
      [[1, options], TypeError, "client must be a JetStream client, got 1"],
      [[null, options], TypeError, "client must be a JetStream client, got null"],
      [[client], TypeError, "stream must be a name without"],
      [
        [client, { stream: "a.b", consumer: "c" }],
        TypeError,
        'stream must be a name without . * > / \\ or space, got "a.b"',
      ],
      [[client, { stream: "a" }], TypeError, "consumer must be a name without"],
      [
        [client, { ...options, subject: "a.*" }],
        TypeError,
        "subject must be a subject without wildcard",
      ],
      [
        [client, { ...options, format: "json" }],
        RangeError,
        'format must be "text" or "bytes", got "json"',
      ],
      [
        [client, { ...options, format: 5 }],
        TypeError,
        'format must be "text" or "bytes", got 5',
      ],
      [[client, { ...options, lease: 1 }], TypeError, 'unknown option "lease"'],
    ] as const
  ) {
    const create = () => (natsQueue as (...args: readonly unknown[]) => unknown)(...args);
    assertThrows(create, type, `Cannot create natsQueue: ${message}`);
  }
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

test(
  "a broker that is killed twice and restarted loses nothing",
  { skip: skipNats },
  () =>
    withNats(async (server) => {
      const connection = await connectTo(server.url);
      await makeJobs(connection, 2_000);
      const queue = natsQueue(jetstream(connection), options);
      const count = 3_000;
      await queue.send(Array.from({ length: count }, (_, index) => `${index}`));
      const store = await killTwice(queue, server, count, { leaseMs: 2_000, maxInFlight: 64 });
      // What was handed over twice is not there twice.
      let depth = await queue.depth();
      while (depth.leased + depth.waiting > 0) {
        const left = await queue.receive(100, { waitMs: 3_000, signal });
        assert(left.every(({ id }) => store.has(`${id}/0`)));
        await queue.ack(left.map(({ receipt }) => receipt));
        depth = await queue.depth();
      }
      assertEquals(depth, { waiting: 0, leased: 0, dead: 0 });
      await connection.close();
    }),
);
