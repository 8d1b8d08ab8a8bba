import process from "node:process";
import { test } from "node:test";
import pg from "pg";
import postgres from "postgres";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { PgPool, PostgresSqlClient } from "@hosepipe/streams/queue/postgres";
import { postgresQueue } from "@hosepipe/streams/queue/postgres";
import { testQueueLaws, testSender } from "./_check_queue.ts";
import { openPostgres, skipPostgres, withPostgres } from "./_postgres.ts";
import { workOff } from "./_kill_twice.ts";
import { until } from "../../lib/until.ts";

const { signal } = new AbortController();
const skip = skipPostgres;

test(
  "postgresQueue: names of other tables do no harm, or are named; a name may be a word of SQL's",
  {
    skip,
  },
  async () => {
    const { client, run, end } = openPostgres.postgres();
    const schema = `laws_${crypto.randomUUID().slice(0, 8)}`;
    await run(`CREATE SCHEMA ${schema}`);
    try {
      for (
        const table of [
          "jobs_name",
          "jobs_key",
          "jobs",
          "jobs_ids_until",
          "order",
          "user",
          "select",
        ]
      ) {
        const queue = postgresQueue<string>(client, { table: `${schema}.${table}` });
        await queue.send(["a", "b"], { ids: ["1", "2"], keys: ["k", "k"], rememberMs: 60_000 });
        await queue.send(["a"], { ids: ["1"] });
        const [a] = await queue.receive(3, { waitMs: 0, signal });
        await queue.deadLetter(a!, new Error("no"));
        assertEquals(await queue.dead.replay(), 1);
        assertEquals(await queue.depth(), { waiting: 2, leased: 0, dead: 0 });
        await queue.close();
      }
      for (const part of ["", "_dead", "_ids", "_tag"]) {
        await run(`CREATE TABLE ${schema}.other${part} (x text)`);
        const queue = postgresQueue<string>(client, { table: `${schema}.other` });
        const { message } = await assertRejects(() => queue.open(1_000), Error);
        assert(/is there already, and is no part of it|a part was dropped/.test(message), message);
        await run(`DROP TABLE ${schema}.other${part}`);
      }
      await run(`CREATE VIEW ${schema}.seen_ids AS SELECT 'a' AS name, now() AS until`);
      await assertRejects(
        () => postgresQueue<string>(client, { table: `${schema}.seen` }).send(["a"]),
        Error,
        `Cannot make queue ${schema}.seen: "${schema}"."seen_ids" is there already`,
      );
    } finally {
      await run(`DROP SCHEMA ${schema} CASCADE`);
      await end();
    }
  },
);

test(
  "postgresQueue: a pooler that changes connections, which know no prepared statements, does no harm",
  {
    skip,
  },
  async () => {
    const uri = process.env.POSTGRES_URI!;
    const sql = postgres(uri, { max: 1, prepare: false, onnotice: () => {} });
    const pool = new pg.Pool({ connectionString: uri, max: 1 });
    for (
      const [client, run] of [
        [sql, (text: string) => sql.unsafe(text)],
        [pool, (text: string) => pool.query(text)],
      ] as const
    ) {
      const table = `laws_${crypto.randomUUID().slice(0, 8)}`;
      const queue = postgresQueue<string>(client, { table });
      for (let round = 0; round < 3; round++) {
        await queue.send(["a"]);
        const [delivery] = await queue.receive(1, { waitMs: 0, signal });
        await queue.ack([delivery!.receipt]);
        await run("DEALLOCATE ALL");
      }
      await run(`DROP TABLE ${table}, ${table}_dead, ${table}_ids, ${table}_tag`);
    }
    await sql.end();
    await pool.end();
  },
);

for (const name of ["postgres", "pg"] as const) {
  const law = (title: string, use: Parameters<typeof withPostgres>[1]) =>
    test(`postgresQueue, ${name}: ${title}`, { skip }, () => withPostgres(name, use));
  testQueueLaws(`postgresQueue, ${name}`, skip, (_, use) => withPostgres(name, use));
  testSender(`postgresQueue, ${name}`, skip, (_, use) => withPostgres(name, use));

  law(
    "what is sent in a transaction is there if it is committed",
    async ({ table, clients: [{ client }, other] }) => {
      const queue = postgresQueue<string>(client, { table });
      const seen = postgresQueue<string>(other.client, { table });
      const inTransaction = async (use: (transaction: never) => Promise<void>) => {
        if (name === "postgres") {
          const sql = client as PostgresSqlClient & {
            begin(use: (sql: never) => Promise<void>): Promise<void>;
          };
          return await sql.begin(use);
        }
        const lent = await (client as PgPool).connect();
        try {
          await lent.query({ text: "BEGIN" });
          await use(lent as never);
          await lent.query({ text: "COMMIT" });
        } catch (error) {
          await lent.query({ text: "ROLLBACK" });
          throw error;
        } finally {
          lent.release();
        }
      };
      const no = new Error("no");
      // The first that is done with the queue: its tables are rolled back with it.
      const rolledBack = await assertRejects(() =>
        inTransaction(async (transaction) => {
          await queue.sendIn(transaction, ["never"]);
          throw no;
        })
      );
      assert(rolledBack === no);
      assertEquals(await other.run(`SELECT to_regclass('${table}')::text AS name`), [{
        name: null,
      }] as never);
      await inTransaction(async (transaction) => {
        await queue.sendIn(transaction, ["a", "b"], { ids: ["x", "y"], keys: ["k", "k"] });
        await queue.sendIn(transaction, ["b again"], { ids: ["y"] });
        await queue.sendIn(transaction, []);
      });
      await assertRejects(() =>
        inTransaction(async (transaction) => {
          await queue.sendIn(transaction, ["never"]);
          throw no;
        })
      );
      assertEquals(await seen.depth(), { waiting: 2, leased: 0, dead: 0 });
      const [message] = await seen.receive(5, { waitMs: 0, signal });
      assertEquals([message!.id, message!.body], ["x", "a"]);
      await assertRejects(
        () => queue.sendIn(5 as never, ["a"]),
        TypeError,
        "Cannot send: transaction must be a transaction of postgres or pg, got 5",
      );
    },
  );

  law(
    "what cannot be read is a dead letter, and the others arrive",
    async ({ table, clients: [{ client, run }] }) => {
      const queue = postgresQueue<string>(client, { table });
      const hostile = [
        ["failures = -1", "Its failures must be a count, got -1"],
        ["deliveries = -2147483648", "Its deliveries must be a count, got -2147483647"],
        ["text = null, bytes = '\\x61ff', is_text = true", "Its text is not UTF-8"],
        ["text = null", "Its body is missing"],
        ["failures = 2147483647", "It had failed 2147483647 times"],
      ] as const;
      const odd = [
        ...["deliveries = 2147483647, failures = 4", "held_ms = 9223372036854775807"],
        ...["held_ms = -9223372036854775808", "held_until = 'infinity'"],
        ...["held_until = '-infinity', due_at = '-infinity'", "due_at = 'infinity'"],
      ];
      const changes = [...hostile.map(([set]) => set), ...odd];
      await queue.send([...changes, "late"]);
      for (const [index, set] of changes.entries()) {
        await run(`UPDATE ${table} SET ${set} WHERE id = ${index + 1}`);
      }
      assert(await queue.oldestAgeMs() < 60_000);
      const { bodies, reasons } = await workOff(queue, odd.length + 1);
      assertEquals([bodies.length, bodies.at(-1)], [odd.length + 1, "late"]);
      assertEquals(reasons, hostile.map(([, reason]) => reason));
      const letters = await queue.dead.list();
      const bodyOf = (reason: string) =>
        letters.find((letter) => letter.reason.endsWith(reason))!.body as string | null;
      assertEquals(hostile.map(([, reason]) => bodyOf(reason)?.length), [
        ...[hostile[0][0].length, hostile[1][0].length],
        ...[2, undefined, hostile[4][0].length],
      ]);
      await queue.close();
    },
  );

  test(
    `postgresQueue, ${name}: a reason of characters that the database has not is kept without them`,
    {
      skip,
    },
    async () => {
      const database = `laws_${crypto.randomUUID().slice(0, 8)}`;
      const admin = openPostgres[name]();
      await admin.run(
        `CREATE DATABASE ${database} ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
      );
      const uri = process.env.POSTGRES_URI!.replace(/[^/]*$/, database);
      const { client, end } = openPostgres[name](uri);
      try {
        const queue = postgresQueue<string>(client, { table: "jobs" });
        await queue.send(["a", "b"]);
        for (const delivery of await queue.receive(2, { waitMs: 0, signal })) {
          await queue.deadLetter(
            delivery,
            new Error(delivery.body === "a" ? "\u0100\u20ac1" : "\u00fc"),
          );
        }
        const letters = await queue.dead.list();
        assertEquals(letters.map(({ reason }) => reason), ["Error: ??1", "Error: \u00fc"]);
        await assertRejects(
          () => queue.send(["a", "\u20ac"]),
          TypeError,
          "Cannot send: the database's encoding lacks a character of bodies, ids or keys",
        );
        assertEquals((await queue.depth()).waiting, 0);
        await queue.close();
      } finally {
        await end();
        await admin.run(`DROP DATABASE ${database}`);
        await admin.end();
      }
    },
  );

  law(
    "who waits hears of a message long before it would look",
    async ({ table, clients: [one, other] }) => {
      const idle = postgresQueue<string>(one.client, { table, pollMs: 3_600_000 });
      const sender = postgresQueue<string>(other.client, { table });
      for (const body of ["a", "b"]) {
        const waiting = idle.receive(5, { waitMs: 3_600_000, signal });
        await new Promise((resolve) => setTimeout(resolve, 50));
        await sender.send([body]);
        const deliveries = await waiting;
        assertEquals(deliveries.map(({ body }) => body), [body]);
        // What is given back wakes others, too.
        const second = idle.receive(5, { waitMs: 3_600_000, signal });
        await sender.nack(deliveries.map(({ receipt }) => receipt));
        const [again] = await second;
        assertEquals(again!.deliveries, 1);
        await idle.ack([again!.receipt]);
      }
      // The connection that listens is lost, and another listens.
      const listeners = async () =>
        (await other.run(
          `SELECT pid FROM pg_stat_activity WHERE query ILIKE 'listen "hosepipe ${table}"%'`,
        )).map(({ pid }) => pid as number);
      const [pid] = await listeners();
      const waiting = idle.receive(5, { waitMs: 3_600_000, signal });
      await other.run(`SELECT pg_terminate_backend(${pid})`);
      await until(async () => (await listeners()).some((one) => one !== pid));
      await sender.send(["c"]);
      assertEquals((await waiting).map(({ body }) => body), ["c"]);
      await idle.close();
      await sender.close();
      // Its connection is back in the pool. npm's postgres forgets what it listens for once it has listened anew.
      if (name === "pg") await until(async () => (await listeners()).length === 0);
    },
  );

  law(
    "a pool of one has no connection that listens, and works",
    async ({ table, clients: [, other] }) => {
      const { client, end } = openPostgres[name](undefined, 1);
      const queue = postgresQueue<string>(client, { table, pollMs: 20 });
      const waiting = queue.receive(5, { waitMs: 60_000, signal });
      await postgresQueue<string>(other.client, { table }).send(["a"]);
      const [message] = await waiting;
      assertEquals(message!.body, "a");
      await queue.ack([message!.receipt]);
      await queue.close();
      await end();
    },
  );

  law(
    "bytes and text come as they were sent, and what others insert",
    async ({ table, clients: [{ client, run }] }) => {
      const queue = postgresQueue<string | Uint8Array>(client, { table });
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      await queue.send([bytes, new Uint8Array(), "text"]);
      await run(`INSERT INTO ${table} (text) VALUES ('from SQL'), (NULL)`);
      const deliveries = await queue.receive(10, { waitMs: 0, maxBytes: 1_000_000, signal });
      assertEquals(deliveries.map(({ body }) => body), [
        bytes,
        new Uint8Array(),
        "text",
        "from SQL",
        null as never,
      ]);
      assertEquals(deliveries.map(({ flaw }) => (flaw?.reason as Error)?.message), [
        ...[undefined, undefined, undefined, undefined],
        "Its body is missing",
      ]);
      // Its size alone says nothing of what is read later.
      await queue.nack(deliveries.map(({ receipt }) => receipt));
      const [large] = await queue.receive(1, { waitMs: 0, maxBytes: 10, signal });
      assertEquals([large!.body, large!.bytes], [null as never, 256]);
      assertEquals([await large!.load!(), large!.body], [true, bytes]);
      await queue.deadLetter(large!, new Error("a NUL \0 and half a pair \ud800"));
      const [letter] = await queue.dead.list();
      assertEquals(letter!.body, bytes);
      assertEquals(letter!.reason, "Error: a NUL \ufffd and half a pair \ufffd");
      assertEquals(await large!.load!(), false);
    },
  );
}

test(
  "postgresQueue: its tables may be in a schema, and a part of them is an error",
  { skip },
  async () => {
    const { client, run, end } = openPostgres.pg();
    const schema = `laws_${crypto.randomUUID().slice(0, 8)}`;
    await run(`CREATE SCHEMA ${schema}`);
    try {
      const queue = postgresQueue<string>(client, { table: `${schema}.jobs` });
      await Promise.all([queue.send(["a"]), queue.send(["b"]), queue.depth()]);
      assertEquals((await queue.depth()).waiting, 2);
      await run(`DROP TABLE ${schema}.jobs`);
      await assertRejects(() => queue.depth(), Error, `Of queue ${schema}.jobs a part was dropped`);
      await run(`DROP TABLE ${schema}.jobs_tag`);
      assertEquals((await queue.depth()).waiting, 0);
    } finally {
      await run(`DROP SCHEMA ${schema} CASCADE`);
      await end();
    }
  },
);
