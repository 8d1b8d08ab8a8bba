import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { channel, concat, merge, pipeline, tee, zip } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { serveProbe } from "@hosepipe/streams/node";
import { Consumer } from "@hosepipe/streams/queue";

test("await using closes a channel, after what was sent", async () => {
  let chunks: Promise<number[]>;
  {
    await using numbers = channel<number>();
    chunks = Array.fromAsync(numbers.readable);
    await numbers.send(1);
    await numbers.send(2);
  }
  assertEquals(await chunks, [1, 2]);
  const closed = channel();
  closed.close();
  await closed[Symbol.asyncDispose]();
});

test("await using ends what follows a probe's events, and the pipeline goes on", async () => {
  let names: Promise<string[]>;
  let run: Promise<unknown>;
  const { promise, resolve } = Promise.withResolvers<void>();
  const written: number[] = [];
  {
    await using look = probe();
    names = Array.fromAsync(look, ({ event }) => event);
    run = pipeline(
      look.reader([1, 2]),
      look.writer(async (n: number) => {
        await promise;
        written.push(n);
      }),
    );
    await undefined;
  }
  assertEquals((await names).includes("read"), true);
  resolve();
  await run;
  assertEquals(written, [1, 2]);
});

test("await using gives up what a join's iterator reads", async () => {
  const joins: Readonly<Record<string, (source: ReadableStream<number>) => ReadableStream>> = {
    merge,
    concat,
    zip,
    tee: (source) => tee(source, 1)[0]!,
  };
  for (const [name, join] of Object.entries(joins)) {
    let cancels = 0;
    const joined = join(
      new ReadableStream({
        pull: (controller) => controller.enqueue(1),
        cancel: () => void cancels++,
      }, { highWaterMark: 0 }),
    );
    {
      await using iterator = joined.values() as AsyncIterableIterator<number> & AsyncDisposable;
      await iterator.next();
    }
    assertEquals([cancels, joined.locked], [1, false], name);
  }
});

test("await using ends a served probe", async () => {
  let url: string;
  {
    await using served = await serveProbe(probe());
    ({ url } = served);
    await (await fetch(url)).text();
  }
  await assertRejects(() => fetch(url));
});

test("await using closes a consumer", async () => {
  let closed = 0;
  const methods = ["open", "receive", "ack", "nack", "fail", "isolate", "extend", "deadLetter"];
  const queue = Object.fromEntries(methods.map((name) => [name, () => Promise.resolve([])]));
  const consumer = new Consumer(queue as never);
  const close = consumer.close.bind(consumer);
  consumer.close = () => (closed++, close());
  {
    await using _ = consumer;
  }
  assertEquals(closed, 1);
});
