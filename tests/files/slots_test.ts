import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { fileHandler } from "../../src/files/file_handler.ts";
import { Slots } from "../../src/files/slots.ts";
import { until } from "../lib/until.ts";
import { withFixture } from "./fixture.ts";

const longMs = 600_000;

test("places are given to the first in line, and only as many as there are", async () => {
  const slots = new Slots(1);
  assertEquals(slots.take(longMs), true);
  assertEquals(slots.take(0), false);
  const order: number[] = [];
  const waiting = [1, 2].map(async (number) => {
    assertEquals(await slots.take(longMs), true);
    order.push(number);
    slots.release();
  });
  slots.release();
  await Promise.all(waiting);
  assertEquals(order, [1, 2]);
  assertEquals([slots.take(0), slots.take(0)], [true, false]);
});

test("a place that comes too late goes to the next in line", async () => {
  const slots = new Slots(1);
  slots.take(0);
  const next = slots.take(longMs);
  assertEquals(await slots.take(1), false);
  slots.release();
  assertEquals(await next, true);
  slots.release();
  assertEquals(slots.take(0), true);
});

test("beyond maxOpenFiles an answer waits, then is a 503; each end of a body makes room", () =>
  withFixture(async (root) => {
    const ask = (files: (request: Request) => Promise<Response>, name = "big.bin") =>
      files(new Request(`http://localhost/${name}`));
    const refusing = fileHandler(root, { maxOpenFiles: 1, queueMs: 0, chunkSize: 1024 });
    for (let round = 0; round < 3; round++) {
      const open = await ask(refusing);
      const refused = await ask(refusing, "hello.txt");
      assertEquals([open.status, refused.status], [200, 503]);
      assertEquals(refused.headers.get("retry-after"), "1");
      if (round === 0) await open.body!.cancel();
      else await open.arrayBuffer();
    }
    const waiting = fileHandler(root, { maxOpenFiles: 1, queueMs: longMs, chunkSize: 1024 });
    const open = await ask(waiting);
    const next = ask(waiting, "hello.txt");
    await open.body!.cancel();
    assertEquals(await (await next).text(), "hello world\n");
    for (const name of ["missing", "empty.bin", "", "sub"]) {
      for (let count = 0; count < 3; count++) await (await ask(waiting, name)).body?.cancel();
    }
    assertEquals((await ask(waiting, "hello.txt")).status, 200);
  }));

test("a place is taken back from what stands still, least moved first, never from what is read", () =>
  withFixture(async (root) => {
    const files = fileHandler(root, { maxOpenFiles: 3, queueMs: longMs, chunkSize: 1024 });
    const ask = () => files(new Request("http://localhost/big.bin"));
    const [moved, still, read] = (await Promise.all([ask(), ask(), ask()])).map(({ body }) =>
      body!.getReader()
    );
    await moved!.read();
    let isOver = false;
    const reading = (async () => {
      while (!isOver && !(await read!.read()).done) {
        await new Promise((next) => setTimeout(next, 5));
      }
    })();
    const startedAt = performance.now();
    const next = await ask();
    assert(performance.now() - startedAt < 1000);
    isOver = true;
    await reading;
    await assertRejects(() => still!.read(), Error, "others waited");
    for (const one of [moved!, read!]) {
      assertEquals((await one.read()).value!.length, 1024);
      await one.cancel();
    }
    await next.body!.cancel();
    const last = await ask();
    assertEquals(last.status, 200);
    await last.body!.cancel();
  }));

test("a place that is refused at once is free for who asks again", () =>
  withFixture(async (root) => {
    const files = fileHandler(root, { maxOpenFiles: 1, queueMs: 0, chunkSize: 1024 });
    const ask = () => files(new Request("http://localhost/big.bin"));
    const { body } = await ask();
    let response = await ask();
    assertEquals(response.status, 503);
    await until(async () => (response = await ask()).status === 200);
    await Promise.all([body, response.body].map((one) => one!.cancel().catch(() => {})));
  }));
