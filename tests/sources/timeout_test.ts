import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { timeout } from "../../src/sources/timeout.ts";
import { drain, driven, hanging, reasons } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const longMs = 1_000_000;

for (const kind of kinds) {
  test(`timeout() gives what a ${kind} source gives, on demand, and leaves no timer`, async () => {
    await withTimerCount(async (pending) => {
      const source = counted(kind, 3);
      const reader = timeout(source.source, { idleMs: longMs, totalMs: longMs }).getReader();
      await Promise.resolve();
      assertEquals([source.reads, pending()], [0, 0]);
      for (let n = 0; n < 3; n++) {
        assertEquals((await reader.read()).value, n);
        // The idle clock rests while the consumer is busy; the total runs.
        assertEquals([source.reads, pending()], [n + 1, 1]);
      }
      assertEquals((await reader.read()).done, true);
      assertEquals([pending(), source.cancels], [0, 0]);
    });
  });

  for (const reason of reasons) {
    test(`timeout(): a ${kind} source's failure ${reason} is the stream's, and leaves no timer`, async () => {
      await withTimerCount(async (pending) => {
        const { source } = counted(kind, 1, { failure: { reason } });
        const { chunks, error } = await drain(timeout(source, { idleMs: longMs, totalMs: longMs }));
        assertEquals([chunks, error, pending()], [[0], [reason], 0]);
      });
    });
  }
}

for (
  const [name, options, message] of [
    ["idleMs", { idleMs: 5 }, "the source has given no chunk within 5 ms"],
    ["totalMs", { totalMs: 5 }, "the source has not ended within 5 ms"],
  ] as const
) {
  test(`timeout() fails with a TimeoutError after ${name}, and cancels the source with it`, async () => {
    const source = driven<number>();
    const drained = drain(timeout(source.source, options));
    await turns(1);
    source.give(1);
    const { chunks, error } = await drained;
    assertEquals(chunks, [1]);
    const [reason] = error as [DOMException];
    assertEquals([reason instanceof DOMException, reason.name], [true, "TimeoutError"]);
    assertEquals(reason.message, message);
    assertEquals(source.cancelReasons, [reason]);
  });

  test(`timeout() fails after ${name} though the source hangs when it is cancelled`, async () => {
    const hung = hanging();
    const { error } = await drain(timeout(hung.source, options));
    assertEquals((error as [DOMException])[0].name, "TimeoutError");
    assertEquals(hung.returns, 1);
  });
}

test("the idle clock of timeout() does not run while the consumer is slow", async () => {
  const source = counted("async", 3);
  const reader = timeout(source.source, { idleMs: 20 }).getReader();
  for (let n = 0; n < 3; n++) {
    assertEquals((await reader.read()).value, n);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  assertEquals((await reader.read()).done, true);
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
  const source = driven<number>();
  const reader = timeout(source.source, { totalMs: 5 }).getReader();
  const read = reader.read();
  await turns(1);
  source.give(1);
  assertEquals((await read).value, 1);
  const [error] = await errorOf(reader.closed) as [DOMException];
  assertEquals(error.name, "TimeoutError");
  assertEquals(source.cancelReasons, [error]);
});

test("cancelling timeout() clears the timers and cancels the source, also during a read", async () => {
  await withTimerCount(async (pending) => {
    const source = driven<number>();
    const reader = timeout(source.source, { idleMs: longMs, totalMs: longMs }).getReader();
    const read = reader.read();
    while (source.reads === 0) await Promise.resolve();
    assertEquals(pending(), 2);
    await reader.cancel("why");
    assertEquals((await read).done, true);
    assertEquals([pending(), source.cancelReasons], [0, ["why"]]);
    const untouched = driven<number>();
    await timeout(untouched.source, { totalMs: longMs }).cancel("early");
    assertEquals([pending(), untouched.cancelReasons], [0, ["early"]]);
  });
});

test("timeout() refuses bad sources, times and options", () => {
  const need = "must be a number from 0 to 2147483647, got";
  assertThrows(() => timeout(5 as never, { idleMs: 1 }), TypeError, "source must be a Readable");
  assertThrows(
    () => timeout([], {}),
    TypeError,
    "Cannot create timeout: idleMs or totalMs must be",
  );
  assertThrows(() => timeout([], undefined as never), TypeError, "idleMs or totalMs must be given");
  assertThrows(() => timeout([], null as never), TypeError, "options must be an object, got null");
  assertThrows(() => timeout([], { idleMs: -1 }), RangeError, `idleMs ${need} -1`);
  assertThrows(() => timeout([], { totalMs: 2 ** 31 }), RangeError, `totalMs ${need} 2147483648`);
  assertThrows(() => timeout([], { totalMs: "1" as never }), TypeError, `totalMs ${need} "1"`);
  assertThrows(() => timeout([], { ms: 1 } as never), TypeError, 'unknown option "ms"');
});
