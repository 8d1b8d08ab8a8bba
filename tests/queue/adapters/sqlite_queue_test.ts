import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import { withNotedTimers } from "../../lib/with_noted_timers.ts";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { testQueueLaws } from "./_laws.ts";

const { signal } = new AbortController();

async function inFile(use: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-queue-"));
  try {
    await use(join(folder, "queue.sqlite"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

testQueueLaws("sqliteQueue", false, (_leaseMs, use) =>
  inFile(async (path) => {
    const databases = [new DatabaseSync(path), new DatabaseSync(path)] as const;
    const [one, other] = databases.map((database) => sqliteQueue<string>(database, { table: "t" }));
    await use({ one: one!, other: other! });
    for (const database of databases) database.close();
  }));

test("sqliteQueue refuses bad arguments", () => {
  const database = new DatabaseSync(":memory:");
  for (
    const [args, type, message] of [
      [[1, { table: "t" }], TypeError, "database.exec must be a function"],
      [[database], TypeError, "table must be a name of letters, digits and _"],
      [
        [database, { table: "a b" }],
        TypeError,
        'table must be a name of letters, digits and _, got "a b"',
      ],
      [[database, { table: 'x"; DROP' }], TypeError, "table must be a name"],
      [
        [database, { table: "t", pollMs: 0 }],
        RangeError,
        "pollMs must be a positive integer, got 0",
      ],
      [[database, { table: "t", poll: 1 }], TypeError, 'unknown option "poll"'],
    ] as const
  ) {
    const create = () => (sqliteQueue as (...args: readonly unknown[]) => unknown)(...args);
    assertThrows(create, type, `Cannot create sqliteQueue: ${message}`);
  }
});

test("bytes stay bytes", async () => {
  const queue = sqliteQueue<Uint8Array>(new DatabaseSync(":memory:"), { table: "t" });
  await queue.send([new Uint8Array([0, 255, 1])]);
  const [delivery] = await queue.receive(1, { waitMs: 0, signal });
  assertEquals([...delivery!.body], [0, 255, 1]);
});

test("a clock that is set back keeps no message for longer than its lease", async (context) => {
  const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "t" });
  await queue.open(1_000);
  await queue.send(["a", "b"]);
  const now = Date.now();
  const clock = context.mock.method(Date, "now", () => now);
  const [first, second] = await queue.receive(2, { waitMs: 0, signal });
  await queue.fail([second!.receipt], undefined, 5_000);
  clock.mock.mockImplementation(() => now - 3_600_000);
  const again = await queue.receive(2, { waitMs: 0, signal });
  assertEquals(again.map(({ id }) => id), [first!.id, second!.id]);
  // Set forward, leases end early: it comes again, and is not lost.
  clock.mock.mockImplementation(() => now + 3_600_000);
  assertEquals((await queue.receive(2, { waitMs: 0, signal })).map(({ id }) => id), [
    first!.id,
    second!.id,
  ]);
});

test("a table that is made again has other ids", () =>
  inFile(async (path) => {
    const ids = [];
    for (let round = 0; round < 2; round++) {
      const database = new DatabaseSync(path);
      const queue = sqliteQueue<string>(database, { table: "t" });
      await queue.send(["a"]);
      ids.push((await queue.receive(1, { waitMs: 0, signal }))[0]!.id);
      database.exec("DROP TABLE t; DROP TABLE t_body; DROP TABLE t_tag");
      database.close();
    }
    assertEquals(new Set(ids).size, 2);
  }));

test("while another process writes the event loop goes on, and the message arrives", () =>
  inFile(async (path) => {
    const [database, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    const queue = sqliteQueue<string>(database, { table: "t" });
    await queue.open(1_000);
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const sending = queue.send(["a"]);
    while (turns < 10) await new Promise((resolve) => setTimeout(resolve, 1));
    other.exec("COMMIT");
    await sending;
    clearInterval(timer);
    assertEquals(await queue.depth(), { waiting: 1, leased: 0, dead: 0 });
    database.close();
    other.close();
  }));

test("a send is all or nothing, also within a transaction of the user's", async () => {
  const database = new DatabaseSync(":memory:");
  const queue = sqliteQueue<string>(database, { table: "t" });
  await queue.open(1_000);
  await assertRejects(() => queue.send(["a", null as never, "c"]));
  assertEquals((await queue.depth()).waiting, 0);
  database.exec("BEGIN");
  await queue.send(["a"]);
  database.exec("ROLLBACK");
  assertEquals((await queue.depth()).waiting, 0);
});

test("a database that cannot be written says so", async () => {
  const database = new DatabaseSync(":memory:");
  database.close();
  await assertRejects(() => sqliteQueue(database, { table: "t" }).open(1_000), Error, "not open");
});

test("who has read the clock and then waited takes no lease from those who were faster", async (context) => {
  const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "t" });
  await queue.open(1_000);
  await queue.send(["a"]);
  const now = Date.now();
  const clock = context.mock.method(Date, "now", () => now);
  assertEquals((await queue.receive(1, { waitMs: 0, signal })).length, 1);
  clock.mock.mockImplementation(() => now - 15);
  assertEquals(await queue.receive(1, { waitMs: 0, signal }), []);
});

test("text is kept as text, but for what has a NUL in it", async () => {
  const database = new DatabaseSync(":memory:");
  const queue = sqliteQueue<string>(database, { table: "t" });
  await queue.send(["plain", "a\0b", ""]);
  const kinds = database.prepare("SELECT typeof(body) AS kind, is_text FROM t_body ORDER BY id")
    .all() as { kind: string; is_text: number }[];
  assertEquals(kinds.map(({ kind, is_text }) => [kind, is_text]), [
    ["text", 0],
    ["blob", 1],
    ["text", 0],
  ]);
  const deliveries = await queue.receive(3, { waitMs: 0, signal });
  assertEquals(deliveries.map(({ body }) => body), ["plain", "a\0b", ""]);
});

test("messages may be acknowledged in any order, with others between them, and no other is gone", async () => {
  const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "t" });
  for (const order of [[0, 1, 2], [2, 1, 0], [3, 1], [0, 2, 1, 4], [3]]) {
    await queue.send(["0", "1", "2", "3", "4"]);
    const deliveries = await queue.receive(5, { waitMs: 0, signal });
    await queue.ack(order.map((index) => deliveries[index]!.receipt));
    const others = deliveries.filter((_, index) => !order.includes(index));
    assertEquals(await queue.depth(), { waiting: 0, leased: others.length, dead: 0 }, `${order}`);
    await queue.giveBack(others.map(({ receipt }) => receipt));
    const left = await queue.receive(5, { waitMs: 0, signal });
    assertEquals(left.map(({ id }) => id), others.map(({ id }) => id));
    await queue.ack(left.map(({ receipt }) => receipt));
    assertEquals((await queue.depth()).leased, 0);
  }
});

/** A database whose next statement fails so many times, and then works. */
function failing(database: DatabaseSync, times: number, error: object) {
  let left = times;
  let tries = 0;
  return {
    tries: () => tries,
    exec(sql: string) {
      if (sql.startsWith("SAVEPOINT")) tries++;
      if (sql.startsWith("SAVEPOINT") && left-- > 0) {
        throw Object.assign(new Error("busy"), error);
      }
      return database.exec(sql);
    },
    prepare: (sql: string) => database.prepare(sql),
  };
}

test("what is busy is tried again after 2 to 12 ms, for five seconds; any other error is told at once", async (context) => {
  const busy = { errcode: 5 };
  const database = new DatabaseSync(":memory:");
  const patient = failing(database, 3, busy);
  const randoms = [0, 0.5, 0.75];
  context.mock.method(Math, "random", () => randoms.shift() ?? 0);
  const delays = await withQuickTimers(async () => {
    await sqliteQueue(patient, { table: "t" }).open(1_000);
  });
  assertEquals([patient.tries(), delays], [4, [2, 7, 9.5]]);

  const broken = failing(database, 1, { errcode: 1 });
  await assertRejects(() => sqliteQueue(broken, { table: "t" }).open(1_000), Error, "busy");
  assertEquals(broken.tries(), 1);

  let nowMs = 0;
  context.mock.method(performance, "now", () => nowMs);
  for (const [stepMs, tries] of [[1_000, 7], [5_000, 3], [5_001, 2]] as const) {
    const away = failing(database, Infinity, busy);
    const { exec } = away;
    away.exec = (sql) => {
      if (sql.startsWith("SAVEPOINT") && away.tries() > 0) nowMs += stepMs;
      return exec(sql);
    };
    await withQuickTimers(() =>
      assertRejects(() => sqliteQueue(away, { table: "t" }).open(1_000), Error, "busy")
    );
    assertEquals(away.tries(), tries);
  }
});

test("an empty queue is looked at every so many milliseconds, no longer than it is waited for", async (context) => {
  const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "t", pollMs: 30 });
  await queue.open(1_000);
  let nowMs = 0;
  context.mock.method(performance, "now", () => nowMs);
  const receive = async () => assertEquals(await queue.receive(1, { waitMs: 100, signal }), []);
  const delays = await withNotedTimers(receive, (set, callback, ms) =>
    set(() => {
      nowMs += ms;
      callback();
    }, 0));
  assertEquals(delays, [30, 30, 30, 10]);
});

test("a message that is put away leaves nothing in the tables of those that wait", async () => {
  const database = new DatabaseSync(":memory:");
  const queue = sqliteQueue<string>(database, { table: "t" });
  await queue.send(["one", "two"]);
  const [delivery] = await queue.receive(1, { waitMs: 0, signal });
  await queue.deadLetter(delivery!, new Error("bad"));
  const countIn = (table: string) =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n);
  assertEquals([countIn("t"), countIn("t_body")], [1, 1]);
  assertEquals(await queue.depth(), { waiting: 1, leased: 0, dead: 1 });
  await queue.close();
  database.close();
});
