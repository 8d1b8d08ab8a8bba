import { inFolder } from "../../lib/in_folder.ts";
import process from "node:process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type MockTracker, test } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import { sqliteStatements } from "../../../src/queue/adapters/sqlite_statements.ts";
import { withNotedTimers } from "../../lib/with_noted_timers.ts";
import { withQuickTimers } from "../../lib/with_quick_timers.ts";
import { type LendQueue, testQueueLaws, testSender } from "./_check_queue.ts";
import { workOff } from "./_kill_twice.ts";

/** A test that replaces functions: they are put back at its end, which Deno does not do by itself. */
function testWithMocks(name: string, run: (mocks: MockTracker) => Promise<void>): void {
  test(name, async ({ mock }) => {
    try {
      await run(mock);
    } finally {
      mock.restoreAll();
    }
  });
}

const { signal } = new AbortController();

function inMemory() {
  const database = new DatabaseSync(":memory:");
  return { database, queue: sqliteQueue<string>(database, { table: "t" }) };
}

const inFile = (use: (path: string) => Promise<void>) =>
  inFolder((folder) => use(join(folder, "queue.sqlite")));

const inQueueFile: LendQueue = (_leaseMs, use) =>
  inFile(async (path) => {
    const databases = [new DatabaseSync(path), new DatabaseSync(path)] as const;
    const [one, other] = databases.map((database) => sqliteQueue<string>(database, { table: "t" }));
    // deno-lint-ignore require-await -- what fails must reject, as with the others
    const remake = async () => {
      const third = new DatabaseSync(path);
      third.exec("DROP TABLE t; DROP TABLE t_body; DROP TABLE t_tag");
      void sqliteQueue(third, { table: "t" }).open(1_000);
      third.close();
    };
    await use({ one: one!, other: other!, remake });
    for (const database of databases) database.close();
  });

testQueueLaws("sqliteQueue", false, inQueueFile);
testSender("sqliteQueue", false, inQueueFile);

test("sqliteQueue: what cannot be read is a dead letter, and the others arrive", async () => {
  const { database, queue } = inMemory();
  const hostile = [
    ["failures = 'x'", 'Its failures must be a count, got "x"'],
    ["failures = 0.5", "Its failures must be a count, got 0.5"],
    ["failures = x'00'", 'Its failures must be a count, got "00"'],
    ["isolations = 9223372036854775807", "Its isolations must be a count, got 9223372036854776000"],
    ["deliveries = 9223372036854775806", "Its deliveries must be a count, got 9223372036854776000"],
    ["name = x'ff', failures = -1", "Its failures must be a count, got -1"],
    ["body = 5", "Its body is a number"],
    ["body = 9223372036854775807", "Its body is a number"],
    ["body = 1.5", "Its body is a number"],
    ["body = CAST(x'61ff' AS TEXT)", "Its text is not UTF-8"],
    ["body = x'61ff', is_text = 1", "Its text is not UTF-8"],
  ] as const;
  await queue.send([...hostile.map(() => "a"), "text", "kept \ufffd", "x'", "late"]);
  const change = (set: string, row: number) =>
    database.exec(`UPDATE t${/^body/.test(set) ? "_body" : ""} SET ${set} WHERE id = ${row}`);
  for (const [index, [set]] of hostile.entries()) change(set, index + 1);
  // These are no flaws.
  change("body = 'text', is_text = 1", hostile.length + 1);
  change("is_isolated = 'x', held_ms = 'x'", hostile.length + 2);
  change("deliveries = 'x', due_at = 'x'", hostile.length + 3);
  const { bodies, reasons } = await workOff(queue, 4);
  assertEquals(bodies, ["text", "kept \ufffd", "x'", "late"]);
  assertEquals(reasons, hostile.map(([, reason]) => reason));
  const letters = await queue.dead.list();
  assertEquals(letters.map(({ body }) => body), [
    ...Array(6).fill("a"),
    ...["5", "9223372036854775807", "1.5", "a\ufffd", "a\ufffd"],
  ]);
  assertEquals([letters[0]!.failures, letters[0]!.deliveries], [0, 1]);
  await queue.oldestAgeMs();
  assertEquals([await queue.dead.replay(), (await queue.depth()).waiting], [11, 11]);
});

test("sqliteQueue: a full disk is an outage, and no message dies of it", async () => {
  const { queue } = inMemory();
  await inFile(async (path) => {
    const database = new DatabaseSync(path);
    const next = sqliteQueue<string>(database, { table: "next" });
    await next.open(120_000);
    const setFull = (isFull: boolean) => {
      const [{ page_count }] = database.prepare("PRAGMA page_count").all() as [
        { page_count: number },
      ];
      database.exec(`PRAGMA max_page_count = ${isFull ? page_count : 1_000_000}`);
    };
    setFull(true);
    const body = "x".repeat(100_000);
    const full = (error: unknown) =>
      assertEquals((error as Error).message, "database or disk is full");
    full(assertThrows(() => next.sendSync([body])));
    database.exec("BEGIN");
    full(assertThrows(() => next.sendSync([body])));
    await queue.send(Array.from({ length: 30 }, (_, index) => `${index}`));
    const events: string[] = [];
    const consumer = new Consumer(queue, {
      onEvent({ kind }) {
        events.push(kind);
        if (kind === "outage") setFull(false);
      },
    });
    let count = 0;
    await pipeline(
      messages(consumer),
      perMessage<string>(),
      stored<string>(consumer, (outputs) => {
        next.sendSync(outputs.map(() => body), { ids: outputs.map(({ key }) => key) });
        count += outputs.length;
        if (count === 30) consumer.stop();
      }, { batchSize: 3 }),
    );
    assertEquals(events, ["outage", "recovery"]);
    assertEquals((await next.depth()).waiting, 30);
    database.close();
  });
});

test("sqliteQueue: a name may be a word of SQL's", async () => {
  for (const table of ["order", "SELECT", "group", "table"]) {
    const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table });
    await queue.send(["a", "b", "c"], {
      ids: ["1", "2", "3"],
      keys: ["k", "k", "k"],
      rememberMs: 5,
    });
    const [a] = await queue.receive(3, { waitMs: 0, signal });
    await queue.deadLetter(a!, new Error("no"));
    assertEquals([await queue.dead.replay(), await queue.dead.purge()], [1, 0]);
    const { bodies } = await workOff(queue, 3);
    assertEquals(bodies, ["b", "c", "a"]);
  }
});

testWithMocks(
  "a clock that is set back keeps no message for longer than its lease",
  async (mocks) => {
    const real = Date.now();
    const clock = mocks.method(Date, "now", () => real);
    for (const [index, keys] of [undefined, ["k", "l"]].entries()) {
      const { queue } = inMemory();
      const now = real + index * 7_200_000;
      clock.mock.mockImplementation(() => now);
      await queue.open(1_000);
      await queue.send(["a", "b"], { keys });
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
    }
  },
);

test("sqliteQueue: messages behind many that wait are found without looking at those", () => {
  const { makeReady, create, prepared } = sqliteStatements("t");
  const database = new DatabaseSync(":memory:");
  database.exec(create);
  database.exec(makeReady);
  for (const name of ["receiveReady", "read", "leave", "isReady"] as const) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${prepared[name]}`).all() as {
      detail: string;
    }[];
    const scans = plan.filter(({ detail }) => /^SCAN (t|t_body)\b/.test(detail));
    assertEquals(scans, [], name);
  }
  const trigger = "SELECT min(id) FROM t WHERE key = 'k'";
  assertEquals(database.prepare(`EXPLAIN QUERY PLAN ${trigger}`).all().map((row) => row.detail), [
    "SEARCH t USING COVERING INDEX t_key (key=?)",
  ]);
});

test("sqliteQueue: what others insert and delete keeps the order of each key", async () => {
  const { database, queue } = inMemory();
  await queue.open(120_000);
  for (let index = 0; index < 6; index++) {
    database.exec(`INSERT INTO t (key) VALUES (${index < 4 ? "'k'" : "NULL"});
      INSERT INTO t_body VALUES (${index + 1}, '${index}', 0)`);
  }
  const take = async () => {
    const got = await queue.receive(10, { waitMs: 0, signal });
    await queue.ack(got.map(({ receipt }) => receipt));
    return got.map(({ body }) => body).join("");
  };
  assertEquals(await take(), "045");
  await queue.send(["6", "7", "8"], { keys: ["k", "l", undefined] });
  const held = await queue.receive(10, { waitMs: 0, signal });
  assertEquals(held.map(({ body }) => body).join(""), "178");
  await queue.send(["9"], { notBefore: new Date(Date.now() + 3_600_000) });
  assertEquals(await take(), "");
  await queue.fail(held.map(({ receipt }) => receipt), undefined, 0);
  // A process that knows nothing of the order of keys deletes one.
  database.exec("DELETE FROM t WHERE id = 3");
  assertEquals([await take(), await take(), await take(), await take()], ["178", "3", "6", ""]);
});

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

test("a database that cannot be written says so", async () => {
  const database = new DatabaseSync(":memory:");
  database.close();
  await assertRejects(() => sqliteQueue(database, { table: "t" }).open(1_000), Error, "not open");
});

testWithMocks(
  "who has read the clock and then waited takes no lease from those who were faster",
  async (mocks) => {
    const { queue } = inMemory();
    await queue.open(1_000);
    await queue.send(["a"]);
    const now = Date.now();
    const clock = mocks.method(Date, "now", () => now);
    assertEquals((await queue.receive(1, { waitMs: 0, signal })).length, 1);
    clock.mock.mockImplementation(() => now - 15);
    assertEquals(await queue.receive(1, { waitMs: 0, signal }), []);
  },
);

test("text is kept as text, but for what has a NUL in it", async () => {
  const { database, queue } = inMemory();
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

testWithMocks(
  "what is busy is tried again after 2 to 12 ms, for five seconds; any other error is told at once",
  async (mocks) => {
    const busy = { errcode: 5 };
    const database = new DatabaseSync(":memory:");
    const patient = failing(database, 3, busy);
    const randoms = [0, 0.5, 0.75];
    mocks.method(Math, "random", () => randoms.shift() ?? 0);
    const delays = await withQuickTimers(async () => {
      await sqliteQueue(patient, { table: "t" }).open(1_000);
    });
    assertEquals([patient.tries(), delays], [4, [2, 7, 9.5]]);

    const broken = failing(database, 1, { errcode: 1 });
    await assertRejects(() => sqliteQueue(broken, { table: "t" }).open(1_000), Error, "busy");
    assertEquals(broken.tries(), 1);

    let nowMs = 0;
    mocks.method(performance, "now", () => nowMs);
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
  },
);

testWithMocks(
  "an empty queue is looked at every so many milliseconds, no longer than it is waited for",
  async (mocks) => {
    const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "t", pollMs: 30 });
    await queue.open(1_000);
    let nowMs = 0;
    mocks.method(performance, "now", () => nowMs);
    const receive = async () => assertEquals(await queue.receive(1, { waitMs: 100, signal }), []);
    const delays = await withNotedTimers(receive, (set, callback, ms) =>
      set(() => {
        nowMs += ms;
        callback();
      }, 0));
    assertEquals(delays, [30, 30, 30, 10]);
  },
);

test("a message that is put away leaves nothing in the tables of those that wait", async () => {
  const { database, queue } = inMemory();
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

test("dead letters stay when the queue is made again, and those with the same numbers come to them", async () => {
  const { database, queue } = inMemory();
  for (const body of ["a", "b"]) {
    await queue.send([body]);
    const [delivery] = await queue.receive(1, { waitMs: 0, signal });
    await queue.deadLetter(delivery!, new Error("no"));
    database.exec("DROP TABLE t; DROP TABLE t_body; DROP TABLE t_tag");
  }
  const letters = database.prepare("SELECT body FROM t_dead ORDER BY id").all();
  assertEquals(letters.map(({ body }) => body), ["a", "b"]);
});

test("a queue that is there in part is not made whole, and not made anew, before the rest is gone", async () => {
  const { database, queue } = inMemory();
  await queue.send(["a"]);
  database.exec("DROP TABLE t");
  await assertRejects(() => queue.send(["b"]), Error, "Of queue t only t_body and t_tag is there");
  database.exec("DROP TABLE t_body; DROP TABLE t_tag");
  await queue.send(["c"]);
  const [delivery] = await queue.receive(2, { waitMs: 0, signal });
  assertEquals(delivery!.body, "c");
});

test("a message whose body is missing is a dead letter that says so", async () => {
  const { database, queue } = inMemory();
  await queue.send(["a", "b", "c"]);
  database.exec("DELETE FROM t_body WHERE id = 2");
  const { bodies, reasons } = await workOff(queue, 2);
  assertEquals([bodies, reasons], [["a", "c"], ["Its body is missing"]]);
  assertEquals(await queue.depth(), { waiting: 0, leased: 0, dead: 1 });
  const [letter] = database.prepare("SELECT body, reason FROM t_dead").all();
  assertEquals({ ...letter }, { body: null, reason: "Error: Its body is missing" });
});

test("a queue whose first send was rolled back is as good as new, in a new file too", () =>
  inFile(async (path) => {
    const database = new DatabaseSync(path);
    const queue = sqliteQueue<string>(database, { table: "t" });
    for (const send of ["send", "sendSync"] as const) {
      database.exec("BEGIN");
      await queue[send](["a"]);
      database.exec("ROLLBACK");
    }
    queue.sendSync(["b"]);
    const mode = database.prepare("PRAGMA journal_mode").all();
    assertEquals(mode.map(({ journal_mode }) => journal_mode), ["wal"]);
    const { bodies } = await workOff(queue, 1);
    assertEquals(bodies, ["b"]);
    database.close();
  }));

test("what is sent in a transaction is there once that is committed, with what else is in it", () =>
  inFile(async (path) => {
    const [database, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    const queue = sqliteQueue<string>(database, { table: "t" });
    const seen = sqliteQueue<string>(other, { table: "t" });
    database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    await seen.open(1_000);
    const depths: number[] = [];
    for (const end of ["COMMIT", "ROLLBACK", "COMMIT"]) {
      database.exec("BEGIN IMMEDIATE; INSERT INTO orders DEFAULT VALUES");
      queue.sendSync(["a", "b"]);
      depths.push((await seen.depth()).waiting);
      database.exec(end);
      depths.push((await seen.depth()).waiting);
    }
    assertEquals(depths, [0, 2, 2, 2, 2, 4]);
    assertEquals(database.prepare("SELECT count(*) AS n FROM orders").get()!.n, 2);
    other.exec("BEGIN IMMEDIATE");
    assertThrows(() => queue.sendSync(["c"]), Error, "database is locked");
    other.exec("COMMIT");
    queue.sendSync(["c"]);
    assertEquals((await seen.depth()).waiting, 5);
    const wrong = { id: [] } as never;
    assertThrows(() => queue.sendSync(["d"], wrong), TypeError, 'unknown option "id"');
    for (const each of [database, other]) each.close();
  }));

for (
  const [what, harm] of [
    // At once, so that no worker looks between two steps.
    ["removed", (path: string) => rmSync(path)],
    ["replaced", (path: string) => {
      renameSync(path, `${path}.old`);
      writeFileSync(path, "");
    }],
    ["removed", (path: string) => rmSync(`${path}-wal`)],
    ["replaced", (path: string) => {
      renameSync(`${path}-wal`, `${path}.old`);
      writeFileSync(`${path}-wal`, "");
    }],
  ] as const
) {
  const file = `${harm}`.includes("-wal") ? "log" : "file";
  const skip = process.platform === "win32" && "an open file stays there";
  test(
    `a ${file} that is ${what} under a worker is an outage, and takes no message`,
    { skip },
    () =>
      inFile(async (path) => {
        const database = new DatabaseSync(path);
        const queue = sqliteQueue<string>(database, { table: "t" });
        await queue.send(["a"]);
        const outages: string[] = [];
        const consumer = new Consumer(queue, {
          drainMs: 0,
          onEvent(event) {
            if (event.kind === "outage") outages.push(`${event.of} ${event.reason}`);
            consumer.stop();
          },
        });
        const reader = messages(consumer).getReader();
        assertEquals((await reader.read()).value?.body, "a");
        harm(path);
        await reader.read();
        const message = `The queue's file ${path}${file === "log" ? "-wal" : ""} was ${what} while`;
        assertEquals(outages.map((text) => text.startsWith(`broker Error: ${message}`)), [true]);
        await assertRejects(() => queue.send(["b"]), Error, message);
        assertThrows(() => queue.sendSync(["b"]), Error, message);
        await consumer.close();
        database.close();
      }),
  );
}
