import { natsQueue } from "@hosepipe/streams/queue/nats";
import {
  jetstream,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
} from "@nats-io/jetstream";
import { headers, type NatsConnection as Connection } from "@nats-io/transport-node";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { withTimerCount } from "../../lib/with_timer_count.ts";
import { type LendQueue, testQueueLaws } from "./_check_queue.ts";
import { workOff } from "./_kill_twice.ts";
import { connectTo, makeJobs, skipNats, withNats } from "./_nats_server.ts";
import { createDeferred } from "../../../src/deferred.ts";
import {
  NatsAccounts,
  NatsApiError,
  type NatsLetter,
  newAccount,
} from "../../../src/queue/adapters/nats_accounts.ts";
import type {
  NatsClient,
  NatsConnection,
  NatsMessage,
} from "../../../src/queue/adapters/nats_client.ts";
import { natsPull } from "../../../src/queue/adapters/nats_pull.ts";
import { countedSignal } from "../../lib/counted_signal.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { freePorts } from "../../../scenarios/consume/faults/servers/free_port.ts";
import { OwnServer } from "../../../scenarios/consume/faults/fault_place.ts";

/** A message as a server sends it. */
function fakeMessage(
  data: string | Uint8Array,
  { reply, code, description = "" }: { reply?: string; code?: number; description?: string } = {},
): NatsMessage {
  return {
    subject: "s",
    data: typeof data === "string" ? encoder.encode(data) : data,
    ...(reply === undefined ? {} : { reply }),
    ...(code === undefined ? {} : { headers: { code, description } }),
  };
}

/** One pull: what was asked, and how to answer it. */
interface FakePull {
  readonly subject: string;
  readonly inbox: string;
  readonly request: { batch: number; no_wait: boolean; expires: number; max_bytes?: number };
  give(...messages: NatsMessage[]): void;
  fail(error: Error): void;
}

/** A client of NATS and its connection without a server: what is sent is noted, what is answered is the test's. */
class FakeNats implements NatsConnection, NatsClient {
  readonly apiPrefix = "$JS.API";
  readonly options: { inboxPrefix?: string } = {};
  /** What was sent, as `subject text`; of requests, `?subject text`. */
  readonly sent: string[] = [];
  readonly timeouts: (number | undefined)[] = [];
  /** Listeners that are there now. */
  subscriptions = 0;
  drains = 0;
  flushes = 0;
  /** When the stream of messages was made; `undefined` leaves the answer to `onRequest`. */
  created: string | undefined = "1970-01-01T00:00:00.005Z";
  /** How often that was asked. */
  looks = 0;
  /** What the server says to a request; what it throws is the connection's failure. */
  onRequest: (subject: string, text: string) => unknown = () => ({});
  onPull: (pull: FakePull) => void = () => {};
  onDrain: () => Promise<void> = () => Promise.resolve();
  onFlush: () => Promise<void> = () => Promise.resolve();
  #callback: ((error: Error | null, message: NatsMessage) => void) | undefined;

  getConnection(): NatsConnection {
    return this;
  }

  publish(
    subject: string,
    data?: Uint8Array | string,
    options: { reply?: string; msgID?: string } = {},
  ): Promise<void> {
    this.sent.push(`${subject} ${toText(data)}`);
    const inbox = options.reply;
    const callback = this.#callback;
    if (inbox !== undefined && callback !== undefined) {
      this.onPull({
        ...{ subject, inbox, request: JSON.parse(toText(data)) },
        give: (...messages) => messages.forEach((message) => callback(null, message)),
        fail: (error) => callback(error, fakeMessage("")),
      });
    }
    return Promise.resolve();
  }

  async request(
    subject: string,
    data?: Uint8Array | string,
    options?: { timeout: number },
  ): Promise<NatsMessage> {
    if (this.created !== undefined && subject === `${this.apiPrefix}.STREAM.INFO.jobs`) {
      this.looks++;
      return fakeMessage(JSON.stringify({ created: this.created, config: {} }));
    }
    this.sent.push(`?${subject} ${toText(data)}`);
    this.timeouts.push(options?.timeout);
    return fakeMessage(JSON.stringify(await this.onRequest(subject, toText(data))));
  }

  flush(): Promise<void> {
    this.flushes++;
    return this.onFlush();
  }

  subscribe(
    _subject: string,
    { callback }: { callback: (error: Error | null, message: NatsMessage) => void },
  ): { unsubscribe(): void; drain(): Promise<void> } {
    this.subscriptions++;
    this.#callback = callback;
    return {
      unsubscribe: () => void this.subscriptions--,
      drain: () => {
        this.drains++;
        return this.onDrain();
      },
    };
  }
}

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

test("of several answers the last is confirmed; a failure waits for a millisecond at least, and is noted", async () => {
  const nats = new FakeNats();
  const [a, b] = [reply(1, 7), reply(1, 8)];
  const { queue, receipts } = await delivered(nats, [a, b]);
  const note = `jobs_rows_dead.note.5-7 {"failures":1,"nacked":0,"isolations":0,"delayMs":0}`;
  const rows: [act: () => Promise<unknown>, sent: string[]][] = [
    [() => queue.ack(receipts), [`${a} +ACK`, `?${b} +ACK`]],
    [() => queue.ack([]), []],
    [() => queue.extend(receipts), [`${a} +WPI`, `?${b} +WPI`]],
    [() => queue.fail([receipts[0]!], "why", 0), [note, `?${a} -NAK {"delay":1000000}`]],
  ];
  for (const [act, sent] of rows) {
    nats.sent.length = 0;
    await act();
    assertEquals(nats.sent, sent);
  }
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
  const subject = { ...names, subject: "mine" };
  for (
    const [queue, body, need] of [
      [natsQueue(nats, subject), new Uint8Array([1]), "text, got a Uint8Array"],
      [natsQueue(nats, { ...subject, format: "bytes" }), "a", 'a Uint8Array, got "a"'],
    ] as const
  ) {
    const message = `Cannot send: bodies[0] must be ${need}`;
    await assertRejects(() => queue.send([body as never]), TypeError, message);
  }
});

const options = { stream: "jobs", consumer: "rows" };

const lendNats: LendQueue = (leaseMs, use) =>
  withNats(async (server) => {
    const connections = [await connectTo(server.address), await connectTo(server.address)];
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

const queueOf = (client: JetStreamClient) => natsQueue(client, options);

/** A test with a server of its own, with its stream and consumer unless `makesJobs` says no. */
function onServer(
  title: string,
  use: (server: {
    readonly connection: Connection;
    readonly client: JetStreamClient;
    readonly manager: JetStreamManager;
    readonly queue: ReturnType<typeof queueOf>;
  }) => Promise<void>,
  makesJobs = true,
): void {
  test(`natsQueue: ${title}`, { skip: skipNats }, () =>
    withNats(async (server) => {
      const connection = await connectTo(server.address);
      const [client, manager] = [jetstream(connection), await jetstreamManager(connection)];
      if (makesJobs) await makeJobs(connection, 120_000);
      await use({ connection, client, manager, queue: queueOf(client) });
      await connection.close();
    }));
}

onServer(
  "a consumer that would lose messages is refused, as is one that is not there",
  async ({ connection, client, manager }) => {
    const open = (consumer: string, stream = "jobs") =>
      natsQueue(client, { stream, consumer }).open(1_000);
    await assertRejects(() => open("rows"), Error, "STREAM.INFO.jobs: stream not found");
    await makeJobs(connection, 1_000, { retention: "limits" });
    await assertRejects(() => open("none"), Error, "consumer not found");
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
  },
  false,
);

onServer(
  "a stream of dead letters that drops them, or is another queue's, is refused",
  async ({ client, manager }) => {
    const open = async (stream: string, consumer: string) => {
      await manager.streams.add({ name: stream, subjects: [stream] });
      const durable = { durable_name: consumer, ack_wait: 1e9, max_deliver: -1 } as const;
      await manager.consumers.add(stream, { ...durable, ack_policy: "explicit" });
      const queue = natsQueue(client, { stream, consumer });
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
  },
  false,
);

onServer(
  "what cannot be read is a dead letter, and the others arrive",
  async ({ connection, client, queue }) => {
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
  },
);

onServer(
  "of too much for the broker a reason is cut, a message refused",
  async ({ connection, client }) => {
    const send = (bytes: number) => queueOf(client).send(["y".repeat(bytes)]);
    await send(1);
    await assertRejects(() => send(2 ** 20 + 1), Error);
    await send(2 ** 20 - 1_000);
    // As a server of a small max_payload: it says so.
    Object.assign(connection.info!, { max_payload: 1_024 });
    const queue = queueOf(jetstream(connection));
    await queue.open(1_000);
    const [delivery] = await queue.receive(1, { waitMs: 20_000, signal });
    await queue.deadLetter(delivery!, new Error("\u0001".repeat(10_000)));
    assertEquals((await queue.depth()).dead, 1);
  },
);

function accountsOf(onRequest: FakeNats["onRequest"]) {
  const nats = new FakeNats();
  nats.onRequest = onRequest;
  return { nats, accounts: new NatsAccounts(nats, nats, { stream: "jobs", consumer: "rows" }) };
}

const refusal = (err_code: number) => () => ({ error: { description: "no", err_code } });

test("the second stream is made like that of the messages, and keeps one note of each for ever", async () => {
  const { nats, accounts } = accountsOf(() => ({ config: {} }));
  await accounts.open({ storage: "memory", num_replicas: 3 });
  const subject = "?$JS.API.STREAM.CREATE.jobs_rows_dead ";
  assertEquals(nats.sent[0]!.startsWith(subject), true);
  const settings = JSON.parse(nats.sent[0]!.slice(subject.length));
  for (
    const [name, value] of Object.entries({
      ...{ storage: "memory", num_replicas: 3, max_msgs_per_subject: 1, retention: "limits" },
      ...{ discard: "old", max_consumers: -1, max_msgs: -1, max_bytes: -1, max_age: 0 },
    })
  ) assertEquals(settings[name], value, name);
  assertEquals(nats.timeouts, [5_000, 5_000]);
});

test("what JetStream answers an account means nothing, or fails by its code; so does the connection", async () => {
  const settings = { storage: "file", num_replicas: 1 };
  const none = newAccount("t-8");
  const calls: Record<string, [(accounts: NatsAccounts) => Promise<unknown>, number, unknown]> = {
    "STREAM.CREATE.jobs_rows_dead": [(accounts) => accounts.open(settings), 10_058, undefined],
    "STREAM.MSG.GET.jobs_rows_dead": [(accounts) => accounts.read("t-8"), 10_037, none],
    "STREAM.INFO.jobs_rows_dead": [(accounts) => accounts.countDead(), 10_059, 0],
  };
  for (const [subject, [call, harmless, answer]] of Object.entries(calls)) {
    const harm = (asked: string) =>
      asked.endsWith(`API.${subject}`) ? refusal(harmless)() : { config: {} };
    assertEquals(await call(accountsOf(harm).accounts), answer, subject);
    const refused = () => call(accountsOf(refusal(10_023)).accounts);
    const error = await assertRejects(refused, NatsApiError, `JetStream answers to ${subject}: no`);
    assertEquals([error.code, error.name], [10_023, "NatsApiError"]);
    const broken = accountsOf(() => Promise.reject(new Error("closed")));
    await assertRejects(() => call(broken.accounts), Error, "closed");
  }
});

test("a note is written for a message, and dropped if there may be one", async () => {
  const { nats, accounts } = accountsOf(() => Promise.reject(new Error("nobody hears of this")));
  const account = {
    id: "t-7",
    failures: 1,
    nacked: 0,
    isolations: 2,
    delayMs: 9,
    isNoted: true,
  };
  await accounts.write(account);
  accounts.forget([newAccount("t-6"), account, newAccount("t-8")]);
  assertEquals(nats.sent, [
    'jobs_rows_dead.note.t-7 {"failures":1,"nacked":0,"isolations":2,"delayMs":9}',
    '?$JS.API.STREAM.PURGE.jobs_rows_dead {"filter":"jobs_rows_dead.note.t-7"}',
  ]);
  await Promise.resolve();
});

test("a dead letter is the body first, then the reason", async () => {
  const { nats, accounts } = accountsOf(() => ({}));
  const letter = { id: "t-7", reason: "why" } as NatsLetter;
  await accounts.deadLetter("text", letter);
  assertEquals(nats.sent, [
    "jobs_rows_dead.body.t-7 text",
    'jobs_rows_dead.letter.t-7 {"id":"t-7","reason":"why"}',
  ]);
});

test("dead letters are counted page by page, and none where there is no stream", async () => {
  const pages = [{ a: 1, b: 1 }, { c: 1, d: 1 }, { e: 1 }];
  for (const [total, count, requests] of [[5, 5, 3], [9, 5, 4], [2, 2, 1], [undefined, 2, 1]]) {
    const left = [...pages];
    const { nats, accounts } = accountsOf(() => ({
      ...(total === undefined ? {} : { total }),
      state: { subjects: left.shift() },
    }));
    assertEquals(await accounts.countDead(), count);
    assertEquals(nats.sent.length, requests);
    const offsets = [0, 2, 4, 5].slice(0, requests);
    assertEquals(
      nats.sent,
      offsets.map((offset) =>
        "?$JS.API.STREAM.INFO.jobs_rows_dead " +
        `{"subjects_filter":"jobs_rows_dead.letter.*","offset":${offset}}`
      ),
    );
  }
});
const read = (message: NatsMessage) => message;
const onLate = () => assert(false, "nothing is late");
const pull = { subject: "next", max: 2, waitMs: 10_000, signal, read, onLate };
const status = (code: number, description = "") => fakeMessage("", { code, description });

/** A connection that answers its pulls in turn. */
function answering(...answers: ((pull: FakePull) => void)[]): FakeNats {
  const nats = new FakeNats();
  nats.onPull = (pull) => answers.shift()!(pull);
  return nats;
}

async function textsOf(pulling: Promise<NatsMessage[]>): Promise<string[]> {
  return (await pulling).map(({ data }) => new TextDecoder().decode(data));
}

test("a pull asks for what there is, with an expiry, at an inbox of its own", async () => {
  const pulls: FakePull[] = [];
  const end = (pull: FakePull) => {
    pulls.push(pull);
    pull.give(status(404));
  };
  const nats = answering(end, end);
  assertEquals(await natsPull(nats, { ...pull, waitMs: 7 }), []);
  nats.options.inboxPrefix = "mine";
  assertEquals(await natsPull(nats, { ...pull, waitMs: 0 }), []);
  assertEquals(pulls.map(({ subject }) => subject), ["next", "next"]);
  assertEquals(pulls.map(({ request }) => request), [
    { batch: 2, no_wait: true, expires: 7_000_000 },
    { batch: 2, no_wait: true, expires: 1_000_000 },
  ]);
  assertMatch(pulls[0]!.inbox, /^_INBOX\.[\w-]{36}$/);
  assertMatch(pulls[1]!.inbox, /^mine\.[\w-]{36}$/);
});

test("a pull asks for no more bytes than it may, but for one message alone that is larger", async () => {
  const requests: FakePull["request"][] = [];
  const note = ({ request }: FakePull) => void requests.push(request);
  const nats = answering(
    (pull) => (note(pull), pull.give(status(409, "Message Size Exceeds MaxBytes"))),
    (pull) => (note(pull), pull.give(fakeMessage("large"))),
    (
      pull,
    ) => (note(pull), pull.give(fakeMessage("a"), status(409, "Message Size Exceeds MaxBytes"))),
  );
  const limited = { ...pull, waitMs: 0, maxBytes: 3 };
  assertEquals(await textsOf(natsPull(nats, limited)), ["large"]);
  assertEquals(await textsOf(natsPull(nats, limited)), ["a"]);
  const all = { batch: 2, no_wait: true, expires: 1_000_000, max_bytes: 3 };
  assertEquals(requests, [all, { batch: 1, no_wait: true, expires: 1_000_000 }, all]);
});

test("a pull ends with the last message it asked for, or with what there was", async () => {
  const full = answering(({ give }) => give(fakeMessage("a"), fakeMessage("b"), fakeMessage("c")));
  assertEquals((await textsOf(natsPull(full, pull))).slice(0, 2), ["a", "b"]);
  for (const code of [404, 408, 409, 200]) {
    const some = answering(({ give }) => give(fakeMessage("a"), status(code)));
    assertEquals(await textsOf(natsPull(some, pull)), ["a"], `${code}`);
    assertEquals(some.drains, 0, "it did not end by its time");
  }
});

test("a heartbeat is no end of a pull, and a message with a header is a message, empty or not", async () => {
  const nats = answering(({ give }) =>
    give(status(100), status(199), fakeMessage("a", { code: 0 }), fakeMessage("", { code: 0 }))
  );
  assertEquals(await textsOf(natsPull(nats, pull)), ["a", ""]);
  const coded = answering(({ give }) => give(fakeMessage("a", { code: 503 }), status(404)));
  assertEquals(await textsOf(natsPull(coded, pull)), ["a"]);
});

test("a pull whose server is out of requests asks again until its time is over", async () => {
  const again = (pull: FakePull) => pull.give(status(408, "Request Timeout"));
  const nats = answering(again, again, ({ give }) => give(fakeMessage("a"), status(404)));
  await withQuickTimers(async () => {
    assertEquals(await textsOf(natsPull(nats, pull)), ["a"]);
  });
  assertEquals([nats.sent.length, nats.subscriptions], [3, 0]);
  const late = answering(again, again);
  assertEquals(await natsPull(late, { ...pull, waitMs: 0 }), []);
  assertEquals(late.sent.length, 1);
});

test("a pull that is refused, or whose connection fails, fails with what is said", async () => {
  const refused = answering(({ give }) => give(status(409, "Consumer Deleted")));
  const said = "The broker answers 409 Consumer Deleted";
  await assertRejects(() => natsPull(refused, pull), Error, said);
  const broken = answering(({ fail }) => fail(new Error("permissions")));
  await assertRejects(() => natsPull(broken, pull), Error, "permissions");
  assertEquals([refused.subscriptions, broken.subscriptions], [0, 0]);
});

test("a pull that is not answered fails half a second after its time", async () => {
  const nats = answering(() => {});
  const delays = await withQuickTimers(async () => {
    const error = await assertRejects(() => natsPull(nats, { ...pull, waitMs: 3_000 }), Error);
    assertEquals(error.message, "The broker does not answer");
  });
  assertEquals(delays.filter((ms) => ms > 1_000), [2_500]);
  assertEquals([nats.drains, nats.subscriptions], [1, 0]);
});

test("a pull whose answer is read after its time, as by a process that stood still, is answered", async () => {
  let answer: FakePull | undefined;
  const nats = answering((pull) => answer = pull);
  nats.onDrain = () => {
    answer!.give(status(404));
    return Promise.resolve();
  };
  await withQuickTimers(async () => assertEquals(await natsPull(nats, pull), []));
  assertEquals([nats.drains, nats.subscriptions], [1, 0]);
});

test("a pull that is given up takes what is on its way, and leaves nothing behind", () =>
  withTimerCount(async (pending) => {
    for (const isBefore of [true, false]) {
      const { controller, signal, listeners } = countedSignal();
      let answer: FakePull | undefined;
      const nats = answering((pull) => answer = pull);
      nats.onDrain = () => {
        answer!.give(fakeMessage("late"));
        return Promise.reject(new Error("closed"));
      };
      if (isBefore) controller.abort();
      const pulling = natsPull(nats, { ...pull, signal });
      assertEquals(nats.subscriptions, 1);
      controller.abort();
      assertEquals(await textsOf(pulling), ["late"]);
      assertEquals([nats.drains, nats.subscriptions, listeners()], [1, 0, 0]);
    }
    // One that hangs is not waited for; what comes of it later is handed on by itself.
    const controller = new AbortController();
    let pulled: FakePull | undefined;
    const nats = answering((pull) => {
      pulled = pull;
      controller.abort();
    });
    const draining = createDeferred<void>();
    nats.onDrain = () => draining.promise;
    const late: NatsMessage[] = [];
    const onLate = (message: NatsMessage) => void late.push(message);
    assertEquals(await natsPull(nats, { ...pull, signal: controller.signal, onLate }), []);
    assertEquals(nats.subscriptions, 1);
    pulled!.give(fakeMessage("a"), status(404), fakeMessage("b"));
    assertEquals(await textsOf(Promise.resolve(late)), ["a", "b"]);
    draining.resolve();
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(nats.subscriptions, 0);
    const done = answering(({ give }) => give(status(404)));
    const before = pending();
    const { signal, listeners } = countedSignal();
    await natsPull(done, { ...pull, signal });
    assertEquals([pending(), listeners()], [before, 0]);
  }));

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const toText = (data: Uint8Array | string = "") =>
  typeof data === "string" ? data : decoder.decode(data);

// The adapter is the same in all runtimes, and so is what a single server is sent: see nats_queue_test.ts.
const skip = skipNats || (currentRuntime().name === "bun" ? false : "runs under bun");

/** Tries again until a cluster that is just coming up takes it. */
async function untilDone<R>(attempt: () => Promise<R>): Promise<R> {
  while (true) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

test("of a cluster of three the leader is killed, and nothing is lost", { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-cluster-"));
  const ports = await freePorts(6);
  const routes = ports.slice(3);
  const servers = [0, 1, 2].map((index) => {
    // Its own port first.
    const order = [routes[index], ...routes.filter((_, other) => other !== index)];
    const args = ["--name", `n${index}`, "--routes", order.join(",")];
    return new OwnServer("nats", folder, ports[index]!, { args });
  });
  try {
    await Promise.all(servers.map((server) => server.start()));
    const connection = await connectTo(servers.map(({ address }) => address));
    await untilDone(() => makeJobs(connection, 2_000, { num_replicas: 3 }));
    const queue = natsQueue(jetstream(connection), { stream: "jobs", consumer: "rows" });
    await untilDone(() => queue.open(2_000));
    const count = 2_000;
    await queue.send(Array.from({ length: count }, (_, index) => `${index}`));

    const store = new Map<string, string>();
    const events: string[] = [];
    const consumer = new Consumer(queue, {
      leaseMs: 2_000,
      maxInFlight: 64,
      onEvent: ({ kind }) => events.push(kind),
    });
    let killed: Promise<void> | undefined;
    const killLeader = async () => {
      const manager = await jetstreamManager(connection);
      const { cluster } = await manager.consumers.info("jobs", "rows");
      await servers[Number(cluster!.leader!.slice(1))]!.kill();
    };
    await pipeline(
      messages(consumer),
      perMessage<string>(),
      stored(consumer, async (outputs) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        for (const { key, value } of outputs) store.set(key, value);
        if (killed === undefined && store.size > count / 3) killed = killLeader();
        if (store.size === count) consumer.stop();
      }, { batchSize: 16, concurrency: 2 }),
    );
    await killed;
    assert(killed !== undefined, "a leader was killed");
    assertEquals([store.size, new Set(store.values()).size], [count, count]);
    assertEquals(events.filter((kind) => kind === "dead" || kind === "failure"), []);
    // What is delivered again is nothing new.
    while (true) {
      const left = await untilDone(() => queue.receive(100, { waitMs: 2_500, signal }));
      if (left.length === 0) break;
      assert(left.every(({ id }) => store.has(`${id}/0`)));
      await untilDone(() => queue.ack(left.map(({ receipt }) => receipt)));
    }
    await connection.close();
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true });
  }
});
