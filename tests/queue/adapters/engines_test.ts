import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { QueueSource } from "@hosepipe/streams/queue";
import { natsQueue } from "@hosepipe/streams/queue/nats";
import { postgresQueue } from "@hosepipe/streams/queue/postgres";
import { redisQueue } from "@hosepipe/streams/queue/redis";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import { jetstream } from "@nats-io/jetstream";
import { killTwice } from "./_kill_twice.ts";
import { connectTo, makeJobs, skipNats, withNats } from "./_nats_server.ts";
import { openPostgres, skipPostgres, withPostgresServer } from "./_postgres.ts";
import { openRedis, skipRedis, withRedisServers } from "./_redis.ts";
import { checkBodies, checkSend } from "../../../src/queue/adapters/check_send.ts";
import { describeReason } from "../../../src/queue/adapters/describe_reason.ts";

// What is said of each engine in the same words.

type Refusal = readonly [
  options: unknown,
  message: string,
  type?: typeof TypeError | typeof RangeError,
];

/** What each refuses of its options; of its client, if that is not the right one. */
const refusals: Readonly<
  Record<string, { create: unknown; client: unknown; options: Refusal[]; clients: Refusal[] }>
> = {
  sqliteQueue: {
    create: sqliteQueue,
    client: new DatabaseSync(":memory:"),
    options: [
      [undefined, "table must be a name of letters, digits and _"],
      ...["a b", 'x"; DROP', "sqlite_x"].map((table): Refusal => [
        { table },
        `table must be a name of letters, digits and _, got ${JSON.stringify(table)}`,
      ]),
      [{ table: "t", pollMs: 0 }, "pollMs must be a positive integer, got 0", RangeError],
      [{ table: "t", poll: 1 }, 'unknown option "poll"'],
    ],
    clients: [[1, "database.exec must be a function"]],
  },
  postgresQueue: {
    create: postgresQueue,
    client: { query: () => {}, connect: () => {} },
    options: [
      [undefined, "table must be a name"],
      ...[undefined, "", "A", "a-b", "a.b.c", "a".repeat(41), "1a", "a;"]
        .map((table): Refusal => [{ table }, "table must be a name of at most 40"]),
      [{ table: "a", pollMs: 0 }, "pollMs must be a positive", RangeError],
      [{ table: "a", x: 1 }, 'unknown option "x"'],
    ],
    clients: [
      [undefined, "client must be a postgres() or a Pool of pg, got undefined"],
      ["", 'client must be a postgres() or a Pool of pg, got ""'],
      [{}, "client must be a postgres() or a Pool of pg, got an object"],
      [{ query() {} }, "client.connect must be a function"],
      [{ unsafe() {} }, "client.listen must be a function"],
    ],
  },
  redisQueue: {
    create: redisQueue,
    client: { sendCommand: () => {}, duplicate: () => {} },
    options: [
      [undefined, "key must be text"],
      ...[undefined, "", "a{", "}", 5]
        .map((key): Refusal => [{ key }, "key must be text without braces"]),
      [{ key: "a", pollMs: 0 }, "pollMs must be a positive", RangeError],
      [{ key: "a", replicas: -1 }, "replicas must be a non-neg", RangeError],
      [{ key: "a", replicaWaitMs: 0 }, "replicaWaitMs must be", RangeError],
      [{ key: "a", x: 1 }, 'unknown option "x"'],
    ],
    clients: [
      [undefined, "client must be a client of redis or ioredis, got undefined"],
      ["", 'client must be a client of redis or ioredis, got ""'],
      [{}, "client must be a client of redis or ioredis, got an object"],
      [{ call() {} }, "client.duplicate must be a function"],
    ],
  },
  natsQueue: {
    create: natsQueue,
    client: { getConnection: () => ({}), publish() {}, apiPrefix: "$JS.API" },
    options: [
      [undefined, "stream must be a name without"],
      [
        { stream: "a.b", consumer: "c" },
        'stream must be a name without . * > / \\ or space, got "a.b"',
      ],
      [{ stream: "a" }, "consumer must be a name without"],
      ...([
        [{ subject: "a.*" }, "subject must be a subject without wildcard"],
        [{ format: "json" }, 'format must be "text" or "bytes", got "json"'],
        [{ format: 5 }, 'format must be "text" or "bytes", got 5'],
        [{ lease: 1 }, 'unknown option "lease"'],
      ] as [object, ...string[]][]).map(([options, ...rest]) =>
        [{ stream: "jobs", consumer: "rows", ...options }, ...rest] as unknown as Refusal
      ),
    ],
    clients: [
      [1, "client must be a JetStream client, got 1"],
      [null, "client must be a JetStream client, got null"],
    ],
  },
};

for (const [name, { create, client, options, clients }] of Object.entries(refusals)) {
  test(`${name} refuses what it cannot work with`, () => {
    const make = create as (...args: readonly unknown[]) => unknown;
    const right = options.at(-1)![0];
    for (const [wrong, message, type = TypeError] of options) {
      assertThrows(() => make(client, wrong), type, `Cannot create ${name}: ${message}`);
    }
    for (const [wrong, message] of clients) {
      assertThrows(() => make(wrong, right), TypeError, `Cannot create ${name}: ${message}`);
    }
  });
}

interface Served {
  readonly queue: QueueSource<string> & { send(bodies: readonly string[]): Promise<void> };
  readonly server: Parameters<typeof killTwice>[1];
  end(): unknown;
}

/** A queue on a server of its own, for as long as `use` takes. */
const servers: Readonly<
  Record<
    string,
    {
      skip: string | false;
      count: number;
      leaseMs: number;
      lend(use: (served: Served) => Promise<void>): Promise<void>;
    }
  >
> = {
  postgresQueue: {
    skip: skipPostgres,
    ...{ count: 300, leaseMs: 500 },
    lend: (use) =>
      withPostgresServer((server) => {
        const { client, end } = openPostgres.pg(server.address);
        const queue = postgresQueue<string>(client, { table: "jobs", pollMs: 50 });
        return use({ queue, server, end });
      }),
  },
  redisQueue: {
    skip: skipRedis,
    ...{ count: 300, leaseMs: 500 },
    lend: (use) =>
      withRedisServers(1, async ([server]) => {
        const { client, end } = await openRedis.redis(server!.address);
        const queue = redisQueue<string>(client, { key: "jobs", pollMs: 50 });
        await use({ queue, server: server!, end });
      }),
  },
  natsQueue: {
    skip: skipNats,
    ...{ count: 3_000, leaseMs: 2_000 },
    lend: (use) =>
      withNats(async (server) => {
        const connection = await connectTo(server.address);
        await makeJobs(connection, 2_000);
        const queue = natsQueue(jetstream(connection), { stream: "jobs", consumer: "rows" });
        await use({ queue, server, end: () => connection.close() });
      }),
  },
};

const { signal } = new AbortController();

for (const [name, { skip, count, leaseMs, lend }] of Object.entries(servers)) {
  test(`${name}: a server that is killed twice and comes back loses and doubles nothing`, {
    skip,
  }, () =>
    lend(async ({ queue, server, end }) => {
      const maxInFlight = count / 10;
      const options = { maxInFlight, leaseMs, retryDelayMs: 10 };
      const store = await killTwice(queue, server, count, options);
      // What was handed over twice is not there twice.
      let depth = await queue.depth();
      while (depth.leased + depth.waiting > 0) {
        const left = await queue.receive(100, { waitMs: 3_000, signal });
        assert(left.every(({ id }) => store.has(`${id}/0`)));
        await queue.ack(left.map(({ receipt }) => receipt));
        depth = await queue.depth();
      }
      assertEquals(depth, { waiting: 0, leased: 0, dead: 0 });
      await queue.close?.();
      await end();
    }));
}

test("a dead letter's reason is text: of an error its name and message, never too much, or what brokers cannot keep", () => {
  const none = "a value that has no text";
  const thrower = () => {
    throw new Error("no text");
  };
  const rows: readonly (readonly [reason: unknown, text: string])[] = [
    [new TypeError("no such row"), "TypeError: no such row"],
    [new RangeError(), "RangeError"],
    ["no", "no"],
    [undefined, "undefined"],
    [null, "null"],
    [0, "0"],
    [{ message: "no error" }, "[object Object]"],
    [Symbol("no"), "Symbol(no)"],
    [Object.create(null), none],
    [{ toString: thrower }, none],
    [{ toString: () => ({}) }, none],
    [Object.assign(new Error(), { message: Symbol("no") }), none],
    [Object.defineProperty(new Error(), "message", { get: thrower }), none],
    [new Proxy({}, { get: thrower, getPrototypeOf: thrower }), none],
    [Object.assign(new Error(), { name: Object.create(null) }), none],
    ["a\0b\ud800c\u{1f600}", "a\ufffdb\ufffdc\u{1f600}"],
    ["x".repeat(8_192), "x".repeat(8_192)],
    ["x".repeat(8_193), `${"x".repeat(8_189)}...`],
  ];
  for (const [reason, text] of rows) assertEquals(describeReason(reason), text);
  assertEquals(describeReason("\u{1f600}".repeat(5_000)).slice(-4), "\ufffd...");
});

test("text and bytes are taken where no format is named, and else what it names", () => {
  const bytes = new Uint8Array(2);
  checkBodies([]);
  checkBodies(["", "\ud83d\ude00", bytes]);
  checkBodies(["a"], "text");
  checkBodies([bytes], "bytes");
  const refusals: [unknown, "text" | "bytes" | undefined, string][] = [
    [["a", 1], undefined, "bodies[1] must be text or a Uint8Array, got 1"],
    [[bytes], "text", "bodies[0] must be text, got a Uint8Array"],
    [["a"], "bytes", 'bodies[0] must be a Uint8Array, got "a"'],
    [[new Uint16Array(1)], "bytes", "bodies[0] must be a Uint8Array"],
    [undefined, undefined, "bodies must be an array, got undefined"],
    [[null], "text", "bodies[0] must be text, got null"],
    [[7n], "text", "bodies[0] must be text, got 7n (a BigInt)"],
    [["\ud800"], undefined, "bodies[0] must be text without lone surrogates"],
  ];
  for (const [bodies, format, message] of refusals) {
    assertThrows(() => checkBodies(bodies, format), TypeError, message);
  }
});

test("options of a send that are wrong are refused by name", () => {
  const refusals: [options: unknown, type: typeof TypeError | typeof RangeError, why: string][] = [
    [{ ids: "x" }, TypeError, "ids must be an array"],
    [{ ids: ["x"] }, RangeError, "Cannot send: ids must be as many as bodies, 2, got 1"],
    [{ ids: ["x", ""] }, TypeError, "ids[1] must be text that is not empty"],
    [{ ids: ["x", "\ud800"] }, TypeError, "ids[1] must be text that is not empty"],
    [{ keys: ["x"] }, RangeError, "keys must be as many as bodies, 2, got 1"],
    [{ keys: [undefined, 5] }, TypeError, "keys[1] must be text that is not empty"],
    [{ rememberMs: 5 }, TypeError, "Cannot send: rememberMs needs ids"],
    [{ ids: ["x", "y"], rememberMs: 0 }, RangeError, "rememberMs must be a positive"],
    [{ notBefore: 5 }, TypeError, "notBefore must be a Date, got 5"],
    [{ notBefore: new Date(NaN) }, RangeError, "notBefore must be a valid Date"],
    [{ key: "x" }, TypeError, 'unknown option "key"'],
  ];
  for (const [options, type, why] of refusals) {
    assertThrows(() => checkSend(["a", "b"], options as never), type, why);
  }
});
