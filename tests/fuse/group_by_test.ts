import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batch, fuse, groupBy, map, pipeline, stage, take, toArray } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { range } from "../lib/range.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";
import { programWays, runProgram } from "../lib/programs.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

const parity = (n: number) => n % 2;

/** A chain that notes when it is made and how it ends. */
function noting(notes: string[], key: unknown) {
  notes.push(`+${key}`);
  return stage<number, string>({
    transform: (n, controller) => controller.enqueue(`${key}:${n}`),
    flush: () => void notes.push(`-${key}`),
    cancel: (reason) => void notes.push(`x${key} ${reason}`),
  });
}

test("groupBy() passes on what its chains hold at the end", async () => {
  const out = await toArray(range(5), groupBy(parity, () => batch<number>(10)));
  assertEquals(out.sort(), [[0, 2, 4], [1, 3]]);
});

test("groupBy() lets a key go on while another waits", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: number[] = [];
  const slow = map(async (n: number) => {
    if (n === 0) await promise;
    return n;
  });
  const run = pipeline(
    range(4),
    groupBy((n) => n % 2 === 0 ? 0 : n, () => slow),
    (n) => void seen.push(n),
  );
  await turns(3);
  // The next chunk of the key that waits holds back those after it.
  assertEquals(seen, [1]);
  resolve();
  await run;
  assertEquals(seen.filter((n) => n % 2 === 0), [0, 2]);
  assertEquals(seen.length, 4);
});

test("groupBy() at maxKeys ends the key that was used least recently, before another begins", async () => {
  // No turn is given up for time, so that each key is idle when the next chunk comes.
  await using _ = virtualTime();
  const notes: string[] = [];
  const chunks = [1, 2, 1, 3, 1, 2];
  const make = (key: number) => noting(notes, key);
  const out = await toArray(chunks, groupBy((n) => n, make, { maxKeys: 2 }));
  assertEquals(out, ["1:1", "2:2", "1:1", "3:3", "1:1", "2:2"]);
  assertEquals(notes, ["+1", "+2", "-2", "+3", "-3", "+2", "-1", "-2"]);
});

test("groupBy() waits where no key is idle, and reads no further", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const source = countedSource({ length: 10 });
  const hanging = () =>
    map(async (n: number) => {
      await promise;
      return n;
    });
  const run = toArray(source.readable, groupBy((n) => n, hanging, { maxKeys: 3 }));
  await turns(3);
  // Three under way and one that waits.
  assertEquals(source.readCount, 4);
  resolve();
  assertEquals((await run).sort(), range(10));
});

test("a key that returns to groupBy() waits until its old chain has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const notes: string[] = [];
  const make = (key: number) =>
    stage<number, number>({
      start: () => void notes.push(`+${key}`),
      transform: (n, controller) => controller.enqueue(n),
      flush: async () => {
        if (key === 1) await promise;
        notes.push(`-${key}`);
      },
    });
  const run = toArray([1, 2, 1], groupBy((n) => n, make, { maxKeys: 1 }));
  await turns(3);
  assertEquals(notes, ["+1"]);
  resolve();
  assertEquals([await run, notes], [[1, 2, 1], ["+1", "-1", "+2", "-2", "+1", "-1"]]);
});

test("groupBy() ends a key that was idle for idleMs, and leaves no timer", async () => {
  await using time = virtualTime();
  const notes: string[] = [];
  const idle = groupBy((n: number) => n, (key) => noting(notes, key), { idleMs: 100 });
  const { readable, writable } = fuse(idle);
  const writer = writable.getWriter();
  const seen: string[] = [];
  const done = pipeline(readable, (text) => void seen.push(text));
  await writer.write(1);
  await time.advance(60);
  await writer.write(2);
  await writer.write(1);
  await time.advance(99);
  assertEquals(notes, ["+1", "+2"]);
  await time.advance(1);
  assertEquals(notes, ["+1", "+2", "-2", "-1"]);
  await writer.write(1);
  await time.advance(10);
  assertEquals(time.timers, 1);
  await writer.close();
  await done;
  assertEquals([time.timers, seen], [0, ["1:1", "2:2", "1:1", "1:1"]]);
});

test("a chain of groupBy() that ends early drops the rest of its key", async () => {
  assertEquals(await toArray(range(10), groupBy(parity, () => take<number>(2))), [0, 1, 2, 3]);
});

for (const { name, reason } of reasons) {
  test(`groupBy() fails with the first failure of a chain, ${name}, and cancels the others`, async () => {
    const heard: unknown[] = [];
    const make = (key: number) =>
      key === 0
        ? stage<number, number>({
          transform: (n, controller) => controller.enqueue(n),
          cancel: (reason) => void heard.push(reason),
        })
        : map((n: number) => {
          if (n === 3) throw reason;
          return n;
        });
    for (const way of programWays) {
      const source = countedSource();
      const seen: number[] = [];
      heard.length = 0;
      const unhandled = await unhandledDuring(async () => {
        const write = (n: number) => void seen.push(n);
        const run = runProgram(way, source.readable, groupBy(parity, make), null, write);
        assertEquals(await errorOf(run), [reason], way);
      });
      assertEquals([source.cancelReasons, heard, unhandled], [[reason], [reason], []], way);
      if (way !== "native") assertEquals(seen.slice(0, 3), [0, 1, 2], way);
    }
  });

  test(`groupBy() fails with what key or makeStage throws, ${name}, and cancels its chains`, async () => {
    const fail = () => {
      throw reason;
    };
    for (
      const key of [
        (n: number) => n < 2 ? n : fail(),
        (n: number) => n < 2 ? n : Promise.reject(reason),
      ]
    ) {
      const notes: string[] = [];
      const source = countedSource();
      const grouped = groupBy(key, (key) => noting(notes, key));
      assertEquals(await errorOf(toArray(source.readable, grouped)), [reason]);
      await turns(2);
      assertEquals(notes, ["+0", "+1", `x0 ${reason}`, `x1 ${reason}`]);
      assertEquals(source.cancelReasons, [reason]);
    }
    assertEquals(await errorOf(toArray([1], groupBy((n) => n, fail))), [reason]);
  });
}

test("groupBy() in a native stream that is cancelled as it flushes ends with a chain that fails meanwhile", async () => {
  const chain = stage<number, number>({
    flush(controller) {
      controller.enqueue(1);
      controller.enqueue(2);
      throw new Error("of the chain");
    },
  });
  const pair = new TransformStream(groupBy(() => 1, () => chain), {}, { highWaterMark: 0 });
  const writer = pair.writable.getWriter();
  const closed = errorOf(Promise.all([writer.write(0), writer.close()]));
  const reader = pair.readable.getReader();
  await reader.read();
  await turns();
  await reader.cancel("no more").catch(() => {});
  await closed;
  await writer.closed.catch(() => {});
});
