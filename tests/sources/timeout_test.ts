import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { expectDiagram, testSink, testSource, virtualTime } from "@hosepipe/streams/testing";
import { timeout } from "../../src/sources/timeout.ts";
import { drain, hanging } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";

const longMs = 1_000_000;

for (const kind of kinds) {
  test(`timeout() gives what a ${kind} source gives, on demand, and leaves no timer`, async () => {
    await using time = virtualTime();
    const source = counted(kind, 3);
    const reader = timeout(source.source, { idleMs: longMs, totalMs: longMs }).getReader();
    await Promise.resolve();
    assertEquals([source.reads, time.timers], [0, 0]);
    for (let n = 0; n < 3; n++) {
      assertEquals((await reader.read()).value, n);
      await time.advance(1);
      // The idle clock rests while the consumer is busy; the total runs.
      assertEquals([source.reads, time.timers], [n + 1, 1]);
    }
    assertEquals((await reader.read()).done, true);
    assertEquals([time.timers, source.cancels], [0, 0]);
  });
}

for (
  const [name, options, lateMs, message] of [
    ["idleMs", { idleMs: 5 }, 10, "the source has given no chunk within 5 ms"],
    ["totalMs", { totalMs: 7 }, 7, "the source has not ended within 7 ms"],
  ] as const
) {
  test(`timeout() fails with a TimeoutError after ${name}, and cancels the source with it`, async () => {
    await using time = virtualTime();
    const source = testSource<number>();
    const drained = drain(timeout(source.readable, options));
    await time.advance(4);
    source.give(1);
    const { chunks, error } = await time.run(drained);
    const [reason] = error as [DOMException];
    assertEquals([chunks, time.now], [[1], lateMs]);
    assertEquals([reason instanceof DOMException, reason.name], [true, "TimeoutError"]);
    assertEquals([reason.message, await source.cancelled], [message, reason]);
  });

  test(`timeout() fails after ${name} though the source hangs when it is cancelled`, async () => {
    await using time = virtualTime();
    const hung = hanging();
    const { error } = await time.run(drain(timeout(hung.source, options)));
    assertEquals((error as [DOMException])[0].name, "TimeoutError");
    assertEquals(hung.returns, 1);
  });
}

test("the idle clock of timeout() does not run while the consumer is slow", async () => {
  await expectDiagram((source) => timeout(source, { idleMs: 3 }), {
    ...{ in: "(abcde)--", demand: "1---1----11 90ms 1" },
    ...{ out: "a---b----cd 90ms e" },
  });
});

test("a chunk that arrived while the event loop was kept busy is not late for timeout()", async () => {
  const { port1, port2 } = new MessageChannel();
  const arrival = new Promise<number>((resolve) => port1.onmessage = ({ data }) => resolve(data));
  const source = (async function* () {
    yield await arrival;
  })();
  const reader = timeout(source, { idleMs: 300 }).getReader();
  const read = reader.read();
  await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  port2.postMessage(7);
  const until = performance.now() + 400;
  while (performance.now() < until);
  assertEquals((await read).value, 7);
  await reader.cancel();
  port1.close();
  port2.close();
});

test("the total of timeout() runs while the consumer is busy, and fails the stream at once", async () => {
  await using time = virtualTime();
  const source = testSource<number>();
  const reader = timeout(source.readable, { totalMs: 5 }).getReader();
  source.give(1);
  assertEquals((await reader.read()).value, 1);
  const [error] = await time.run(errorOf(reader.closed)) as [DOMException];
  assertEquals([error.name, time.now], ["TimeoutError", 5]);
  assertEquals(await source.cancelled, error);
});

test("cancelling timeout() clears the timers and cancels the source, also during a read", async () => {
  await using time = virtualTime();
  for (const isRead of [true, false]) {
    const source = testSource<number>();
    const stream = timeout(source.readable, { idleMs: longMs, totalMs: longMs });
    const sink = testSink<number>();
    if (isRead) {
      sink.readFrom(stream);
      sink.request(1);
      await source.pulled(1);
      assertEquals(time.timers, 2);
      sink.fail("why");
    } else await stream.cancel("why");
    assertEquals([await source.cancelled, time.timers], ["why", 0]);
  }
});

test("timeout() sets few timers for many chunks of one turn", async () => {
  await using time = virtualTime();
  const { setTimeout: set } = globalThis;
  let timers = 0;
  globalThis.setTimeout = ((...args: Parameters<typeof set>) => {
    timers++;
    return set(...args);
  }) as typeof setTimeout;
  try {
    const source = Array.from({ length: 1000 }, (_, n) => n);
    const { chunks } = await time.run(drain(timeout(source, { idleMs: longMs })));
    assertEquals([chunks.length, timers], [1000, 1]);
  } finally {
    globalThis.setTimeout = set;
  }
});
