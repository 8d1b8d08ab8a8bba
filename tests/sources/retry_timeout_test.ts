import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { retry, type RetryAttempt, timeout } from "@hosepipe/streams";
import { expectDiagram, testSink, testSource, virtualTime } from "@hosepipe/streams/testing";
import { counted, kinds } from "../lib/counted.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { drain, hanging, reasons } from "./_sources.ts";

const fast = { delayMs: 0 };

for (const kind of kinds) {
  for (const reason of reasons) {
    test(`retry() goes on after a ${kind} source's failure ${reason}, and gives up in the end`, async () => {
      const attempts: Partial<RetryAttempt<number>>[] = [];
      const { chunks, error } = await drain(
        retry<number>(({ signal: _, ...attempt }) => {
          attempts.push(attempt);
          const length = attempts.length > 2 ? 0 : 2;
          return counted(kind, length, { first: attempt.delivered, failure: { reason } }).source;
        }, { ...fast, attempts: 3 }),
      );
      assertEquals([chunks, error], [[0, 1, 2, 3], [reason]]);
      assertEquals(attempts, [
        { attempt: 1, delivered: 0, last: undefined },
        { attempt: 2, delivered: 2, last: 1 },
        { attempt: 2, delivered: 4, last: 3 },
        { attempt: 3, delivered: 4, last: 3 },
      ]);
    });
  }
}

test("retry() counts what open() throws or is rejected with as failures", async () => {
  let opened = 0;
  const { chunks, error } = await drain(retry<number>(() => {
    opened++;
    if (opened === 1) throw undefined;
    if (opened === 2) return Promise.reject(null);
    return [7];
  }, fast));
  assertEquals([chunks, error, opened], [[7], "none", 3]);
});

test("retry() asks shouldRetry, which may be a promise, and may fail itself", async () => {
  const seen: unknown[] = [];
  const open = ({ attempt }: { attempt: number }) => {
    throw attempt;
  };
  const shouldRetry = (reason: unknown) => {
    seen.push(reason);
    return Promise.resolve(reason !== 3);
  };
  assertEquals((await drain(retry(open, { ...fast, shouldRetry }))).error, [3]);
  assertEquals(seen, [1, 2, 3]);
  const failing = () => {
    throw undefined;
  };
  assertEquals((await drain(retry(open, { shouldRetry: failing }))).error, [undefined]);
});

test("retry() opens a source that gives a chunk and fails totalAttempts times", async () => {
  let opened = 0;
  async function* open() {
    yield ++opened;
    throw "each time";
  }
  const { chunks, error } = await drain(retry(open, { ...fast, totalAttempts: 4 }));
  assertEquals([chunks, error, opened], [[1, 2, 3, 4], ["each time"], 4]);
  const failures: number[] = [];
  const fail = () => Promise.reject(failures.push(1));
  assertEquals((await drain(retry(fail, { ...fast, totalAttempts: 7 }))).error, [7]);
});

test("retry() waits between half of the delay and all of it, doubled each time, up to the longest; five times by default", async () => {
  const { random } = Math;
  const always = Array(9).fill(1);
  for (
    const [draws, options, expected] of [
      [[0, 0.999, 0.5, 0.5, 0], { attempts: 6, delayMs: 100, maxDelayMs: 500 }, [
        50,
        200,
        300,
        375,
        250,
      ]],
      [always, undefined, [1000, 2000, 4000, 8000]],
      [always, { attempts: 8 }, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
    ] as const
  ) {
    const left = [...draws];
    Math.random = () => left.shift()!;
    const waits = await withQuickTimers(() => drain(retry(() => Promise.reject(1), options)))
      .finally(() => Math.random = random);
    assertEquals(waits.map(Math.round), [...expected]);
  }
});

test("retry() gives up at once where open() gives no source", async () => {
  let opened = 0;
  const { error } = await drain(retry(() => {
    opened++;
    return 5 as never;
  }));
  assertEquals(opened, 1);
  assertEquals(
    String(error[0]),
    "TypeError: Cannot retry: what open gives must be a ReadableStream, an iterable, an async " +
      "iterable, a Blob, a Response or a Request, got 5",
  );
});

test("cancelling retry() at any moment cancels the source that it has opened", async () => {
  for (let steps = 0; steps < 12; steps++) {
    const source = counted("stream");
    let isOpened = false;
    const reader = retry(() => {
      isOpened = true;
      return source.source;
    }).getReader();
    const read = reader.read();
    for (let step = 0; step < steps; step++) await undefined;
    await reader.cancel("why");
    await read;
    await turns();
    assertEquals(source.cancels, isOpened ? 1 : 0, `${steps} steps`);
  }
});

test("cancelling retry() while it opens cancels what opens then; while it waits leaves no timer", async () => {
  await withTimerCount(async (pending) => {
    const opening = Promise.withResolvers<ReadableStream<number>>();
    const late = testSource<number>();
    const reader = retry(() => opening.promise).getReader();
    const read = reader.read();
    await Promise.resolve();
    await Promise.resolve();
    await reader.cancel("why");
    assertEquals((await read).done, true);
    opening.resolve(late.readable);
    for (let n = 0; n < 20; n++) await Promise.resolve();
    assertEquals(late.state, "cancelled");

    const isWorth = Promise.withResolvers<boolean>();
    let opened = 0;
    const asking = retry(() => Promise.reject(++opened), {
      delayMs: 1_000_000,
      shouldRetry: () => isWorth.promise,
    }).getReader();
    const asked = asking.read();
    while (opened === 0) await Promise.resolve();
    for (let n = 0; n < 20; n++) await Promise.resolve();
    await asking.cancel();
    isWorth.resolve(true);
    for (let n = 0; n < 20; n++) await Promise.resolve();
    assertEquals([(await asked).done, pending(), opened], [true, 0, 1]);

    const waiting = retry(() => Promise.reject(1), { delayMs: 1_000_000 }).getReader();
    const pendingRead = waiting.read();
    while (pending() === 0) await Promise.resolve();
    await waiting.cancel();
    assertEquals([(await pendingRead).done, pending()], [true, 0]);
  });
});

for (const moment of ["before", "opening", "reading", "waiting"] as const) {
  test(`a signal that aborts ${moment} ends retry() with its reason, and no listener stays`, async () => {
    await withTimerCount(async (pending) => {
      const listened = countedSignal();
      const { signal, abort } = listened;
      const source = testSource<number>();
      let attemptSignal: AbortSignal | undefined;
      const reader = retry<number>((attempt) => {
        attemptSignal = attempt.signal;
        if (moment === "opening") return new Promise<never>(() => {});
        if (moment === "waiting") throw new Error("broken");
        return source.readable;
      }, { signal, delayMs: 1_000_000 }).getReader();
      if (moment === "before") abort(undefined);
      const read = errorOf(reader.read());
      for (let n = 0; n < 20; n++) await Promise.resolve();
      assertEquals(pending(), moment === "waiting" ? 1 : 0);
      if (moment !== "before") abort(null);
      assertEquals((await read)[0], signal.reason);
      assertEquals([pending(), listened.listeners()], [0, 0]);
      assertEquals(attemptSignal?.reason, moment === "before" ? undefined : signal.reason);
      if (moment === "reading") assertEquals(await source.cancelled, signal.reason);
    });
  });
}

test("a thousand random cuts under retry(): nothing lost, nothing repeated", async () => {
  let seed = 7;
  const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
  for (let round = 0; round < 20; round++) {
    const length = 200;
    let cuts = 0;
    const open = async function* ({ delivered }: RetryAttempt<number>) {
      if (random() < 0.2) throw ++cuts;
      for (let n = delivered; n < length; n++) {
        if (random() < 0.3) throw ++cuts;
        if (random() < 0.5) await Promise.resolve();
        yield n;
      }
    };
    const chunks = await Array.fromAsync(retry(open, { attempts: Infinity, delayMs: 0 }));
    assertEquals(chunks, Array.from({ length }, (_, n) => n));
    assertEquals(cuts >= 50, true);
  }
});

test("cancelling retry() rejects with what the open source's own cancel fails with", async () => {
  const source = () =>
    new ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
      cancel: () => Promise.reject(new Error("cannot")),
    }, { highWaterMark: 0 });
  const reader = retry(source).getReader();
  await reader.read();
  const [error] = await errorOf(reader.cancel("why")) as [Error];
  assertEquals(error.message, "cannot");
});

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
