import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { interval } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";

test("interval() ticks on demand: no timer is set while nothing reads", async () => {
  await using time = virtualTime();
  const reader = interval(100).getReader();
  await time.advance(1000);
  assertEquals(time.timers, 0);
  const seen: [n: number, atMs: number][] = [];
  for (let n = 0; n < 3; n++) {
    const read = reader.read().then(({ value }) => seen.push([value!, time.now]));
    await time.advance(100);
    await read;
  }
  assertEquals(seen, [[0, 1100], [1, 1200], [2, 1300]]);
  assertEquals(time.timers, 0);
  await reader.cancel();
});

test("interval() misses the ticks that were not read, and gives the latest at once", async () => {
  await using time = virtualTime();
  const reader = interval(100).getReader();
  const first = reader.read();
  await time.advance(100);
  assertEquals((await first).value, 0);
  await time.advance(450);
  assertEquals((await reader.read()).value, 4);
  const next = reader.read();
  await time.advance(49);
  assertEquals(time.timers, 1);
  await time.advance(1);
  assertEquals((await next).value, 5);
});

test("interval() that is cancelled leaves no timer, and ends the read that waits", async () => {
  await using time = virtualTime();
  const reader = interval(100).getReader();
  const read = reader.read();
  await time.advance(10);
  assertEquals(time.timers, 1);
  await reader.cancel();
  assertEquals([time.timers, await read], [0, { done: true, value: undefined }]);
});
