import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { redisQueue } from "@hosepipe/streams/queue/redis";
import { testQueueLaws, testSender } from "./_check_queue.ts";
import { openRedis, skipRedis, withRedis, withRedisServers } from "./_redis.ts";
import { workOff } from "./_kill_twice.ts";

const { signal } = new AbortController();
const skip = skipRedis;

for (const name of ["redis", "ioredis"] as const) {
  const law = (title: string, use: Parameters<typeof withRedis>[1]) =>
    test(`redisQueue, ${name}: ${title}`, { skip }, () => withRedis(name, use));
  testQueueLaws(`redisQueue, ${name}`, skip, (_, use) => withRedis(name, use));
  testSender(`redisQueue, ${name}`, skip, (_, use) => withRedis(name, use));

  law(
    "who waits learns of a message long before it would look",
    async ({ key, clients: [one, other] }) => {
      const idle = redisQueue<string>(one.client, { key, pollMs: 3_600_000 });
      const sender = redisQueue<string>(other.client, { key });
      for (const body of ["a", "b"]) {
        const waiting = idle.receive(5, { waitMs: 3_600_000, signal });
        await new Promise((resolve) => setTimeout(resolve, 50));
        await sender.send([body]);
        const deliveries = await waiting;
        assertEquals(deliveries.map(({ body }) => body), [body]);
        await idle.ack(deliveries.map(({ receipt }) => receipt));
      }
      // An abort leaves a wait behind, which takes nothing.
      const stop = new AbortController();
      const abandoned = idle.receive(5, { waitMs: 3_600_000, signal: stop.signal });
      await new Promise((resolve) => setTimeout(resolve, 50));
      stop.abort();
      assertEquals(await abandoned, []);
      const waiting = idle.receive(5, { waitMs: 3_600_000, signal });
      await sender.send(["c"]);
      assertEquals((await waiting).map(({ body }) => body), ["c"]);
      await idle.close();
      await sender.close();
    },
  );

  law(
    "bytes and text come as they were sent, and what others add",
    async ({ key, clients: [{ client, run }] }) => {
      const queue = redisQueue<string | Uint8Array>(client, { key });
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      await run("XADD", `{${key}}:stream`, "*", "text", "first");
      await queue.send([bytes, new Uint8Array(), "text"]);
      await run("XADD", `{${key}}:stream`, "*", "other", "field");
      const deliveries = await queue.receive(10, { waitMs: 0, signal });
      assertEquals(deliveries.map(({ body }) => body), [
        ...["first", bytes, new Uint8Array(), "text"],
        null as never,
      ]);
      assertEquals((deliveries[4]!.flaw!.reason as Error).message, "Its body is missing");
      await queue.deadLetter(deliveries[1]!, new Error("half \ud800"));
      await queue.ack(deliveries.map(({ receipt }) => receipt));
      const [letter] = await queue.dead.list();
      assertEquals([letter!.body, letter!.reason], [bytes, "Error: half \ufffd"]);
      // What is acknowledged leaves nothing behind.
      assertEquals(await run("XLEN", `{${key}}:stream`), 0);
      await queue.dead.purge();
      const left = (await run("KEYS", `{${key}}:*`) as string[]).toSorted();
      assertEquals(left, [`{${key}}:about`, `{${key}}:stream`]);
    },
  );

  law(
    "what cannot be read is a dead letter, and the others arrive",
    async ({ key, clients: [{ client, run }] }) => {
      const part = (name: string) => `{${key}}:${name}`;
      const queue = redisQueue<string>(client, { key });
      await queue.open(120_000);
      // Another program reads with the group, and dies.
      const id = await run("XADD", part("stream"), "*", "text", "l") as string;
      await run("XREADGROUP", "GROUP", "hosepipe", "bob", "STREAMS", part("stream"), ">");
      await run("XCLAIM", part("stream"), "hosepipe", "bob", "0", id, "IDLE", "60000");
      const hostile = [
        ["text", "a", "failures", "x"],
        ["text", "b", "deliveries", "1.5"],
        ["base64", "!!!"],
        ["text", "c", "failures", "-1"],
        ["text", "d", "deliveries", "99999999999999999999"],
        Array.from({ length: 5_000 }, (_, index) => [`${index}`, "x"]).flat().concat("text", "e"),
        ["due", "soon", "entry", ""],
      ];
      for (const fields of hostile) await run("XADD", part("stream"), "*", ...fields);
      // Text that is no UTF-8, which no client sends; and U+FFFD, which is text.
      await run("EVAL", "redis.call('XADD', KEYS[1], '*', 'text', 'f\\255')", "1", part("stream"));
      await queue.send(["healthy \ufffd"]);
      // What waits elsewhere, and what is kept of it.
      await queue.send(["g", "h"], { notBefore: new Date(Date.now() - 1) });
      await run("ZADD", part("later"), "1", "900", "2", "901", "3", "902");
      await run("HSET", part("bodies"), "901", "no pack", "902", "\u0093\u0001\u0002");
      await queue.send(["i", "j", "k"], { keys: ["one", "one", "one"] });
      await run("LSET", part("behind:one"), "0", "no pack");
      await run("HSET", part("about"), "claimAt", "x");
      await queue.oldestAgeMs();
      const { bodies, reasons } = await workOff(queue, 6);
      assertEquals(bodies.toSorted(), ["g", "h", "healthy \ufffd", "i", "k", "l"]);
      assertEquals(reasons.map(String).toSorted(), [
        "It has 5001 fields",
        "Its base64 cannot be read",
        ...Array(5).fill("Its body is missing"),
        'Its deliveries must be a count, got "1.5"',
        "Its deliveries must be a count, got 100000000000000000000",
        'Its failures must be a count, got "-1"',
        'Its failures must be a count, got "x"',
        "Its text is not UTF-8",
      ]);
      const letters = await queue.dead.list();
      assertEquals(letters.length, 12);
      assert(letters.every(({ deliveries, failures }) => deliveries >= 0 && failures >= 0));
      await run("HSET", part("letters"), letters[0]!.id, "no pack");
      assertEquals((await queue.dead.list({ limit: 1 }))[0]!.reason, "It cannot be read");
      assertEquals([await queue.dead.replay(), await queue.dead.purge()], [12, 0]);
      await queue.close();
    },
  );

  law("so many at once as others would spread", async ({ key, clients: [{ client }] }) => {
    const queue = redisQueue<string>(client, { key });
    await queue.open(120_000);
    const count = 45_000;
    await queue.send(Array.from({ length: count }, (_, index) => `${index}`));
    const got = await queue.receive(count, { waitMs: 0, signal });
    assertEquals([got.length, got.at(-1)!.body], [count, `${count - 1}`]);
    const receipts = got.map(({ receipt }) => receipt);
    await queue.extend(receipts);
    await queue.ack(receipts);
    assertEquals(await queue.depth(), { waiting: 0, leased: 0, dead: 0 });
    const ids = receipts.map(({ id }) => id);
    assertEquals([await queue.dead.replay(ids), await queue.dead.purge(ids)], [0, 0]);
    await assertRejects(
      () => queue.send(new Array(250_001).fill("")),
      RangeError,
      "Cannot send: bodies must be at most 250000, got 250001",
    );
    await queue.close();
  });

  law("a message of broken counts can fail", async ({ key, clients: [{ client, run }] }) => {
    const queue = redisQueue<string>(client, { key });
    await queue.open(120_000);
    await run("XADD", `{${key}}:stream`, "*", "text", "a", "deliveries", "x", "failures", "y");
    const [delivery] = await queue.receive(1, { waitMs: 0, signal });
    await queue.isolate(delivery!.receipt, 0);
    await run("HSET", `{${key}}:isolated`, (delivery as never as { entry: string }).entry, "z");
    await queue.orphans!();
    await queue.fail([delivery!.receipt], new Error("no"), 0);
    const [again] = await queue.receive(1, { waitMs: 1_000, signal });
    assertEquals([again!.deliveries, again!.failures, again!.flaw], [2, 1, undefined]);
    await queue.close();
  });
}

test(
  "redisQueue: a server at its limit of memory takes no more, and its workers go on",
  { skip },
  () =>
    withRedisServers(1, async ([server]) => {
      for (const name of ["redis", "ioredis"] as const) {
        const { client, run, end } = await openRedis[name](server!.address);
        await run("FLUSHALL");
        const queue = redisQueue<string>(client, { key: "jobs" });
        await queue.open(120_000);
        await queue.send(["early"], { notBefore: new Date(Date.now() + 1) });
        await run("CONFIG", "SET", "maxmemory", "20mb");
        const body = "x".repeat(1_000_000);
        let sent = 0;
        const fill = async () => {
          while (sent < 40) {
            await queue.send([body], { ids: [`${sent}`], rememberMs: 1 });
            sent++;
          }
        };
        await assertRejects(fill, Error, "OOM");
        assert(sent < 20, `${sent}`);
        await run("CONFIG", "SET", "maxmemory", "2mb");
        await assertRejects(() => queue.send(["small"]), Error, "OOM");
        assertEquals((await queue.depth()).waiting, sent + 1);
        const [failing, dying, back, ...rest] = await queue.receive(100, { waitMs: 0, signal });
        assertEquals(rest.length, sent - 2);
        await queue.isolate(dying!.receipt, 0);
        await queue.extend([dying!.receipt]);
        await queue.fail([failing!.receipt], new Error("no"), 0);
        await queue.deadLetter(dying!, new Error("no"));
        await queue.nack([back!.receipt]);
        await queue.ack(rest.map(({ receipt }) => receipt));
        assertEquals(await queue.depth(), { waiting: 2, leased: 0, dead: 1 });
        await queue.dead.purge();
        const last = await queue.receive(100, { waitMs: 0, signal });
        await queue.ack(last.map(({ receipt }) => receipt));
        await run("CONFIG", "SET", "maxmemory", "0");
        await queue.send(["small"]);
        await queue.close();
        end();
      }
    }),
);

test(
  "redisQueue: what send has answered is on a replica, and without one send fails",
  { skip },
  () =>
    withRedisServers(2, async ([primary, replica]) => {
      await replica!.start("--replica-of", `${primary!.port}`);
      const { client, run, end } = await openRedis.ioredis(primary!.address);
      const queue = redisQueue<string>(client, { key: "jobs", replicas: 1, replicaWaitMs: 20_000 });
      await queue.send(["a"], { ids: ["a"] });
      await replica!.kill();
      const hasty = redisQueue<string>(client, { key: "jobs", replicas: 1, replicaWaitMs: 100 });
      await assertRejects(
        () => hasty.send(["b"], { ids: ["b"] }),
        Error,
        "Cannot send: 0 of 1 replicas have it within 100 ms",
      );
      // It is in the queue all the same: sent again with its id, it is not added twice.
      assertEquals((await queue.depth()).waiting, 2);
      await replica!.start("--replica-of", `${primary!.port}`);
      await queue.send(["b", "c"], { ids: ["b", "c"] });
      const [lost] = await queue.receive(1, { waitMs: 0, signal });
      assertEquals(lost!.body, "a");
      await run("WAIT", "1", "20000");
      await primary!.kill();
      end();
      await queue.close();
      await hasty.close();

      // The replica takes over, with every message that was answered for.
      const other = await openRedis.redis(replica!.address);
      await other.run("REPLICAOF", "NO", "ONE");
      const next = redisQueue<string>(other.client, { key: "jobs" });
      await next.open(120_000);
      assertEquals(await next.depth(), { waiting: 2, leased: 1, dead: 0 });
      const rest = await next.receive(10, { waitMs: 0, signal });
      assertEquals(rest.map(({ body }) => body), ["b", "c"]);
      await next.ack([...rest, lost!].map(({ receipt }) => receipt));
      assertEquals(await next.depth(), { waiting: 0, leased: 0, dead: 0 });
      await next.close();
      other.end();
    }),
);
