import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { expand, flatMap, parallel, pipeline, writer } from "@hosepipe/streams";
import { InFlight } from "../src/in_flight.ts";
import { held } from "./lib/held.ts";
import { range } from "./lib/range.ts";
import { settledWithin } from "./lib/settled_within.ts";
import { turns } from "./lib/turns.ts";

test("it is full at its limit, and says how much is in flight", () => {
  const calls = new InFlight(2);
  const seen: unknown[] = [];
  const look = () => seen.push([calls.count, calls.isFull, calls.describe("calls")]);
  look();
  calls.begin();
  look();
  calls.begin();
  look();
  calls.end();
  look();
  assertEquals(seen, [
    [0, false, undefined],
    [1, false, "1 of 2 calls in flight"],
    [2, true, "2 of 2 calls in flight"],
    [1, false, "1 of 2 calls in flight"],
  ]);
});

test("without a limit it is never full", () => {
  const calls = new InFlight(Infinity);
  calls.begin();
  assertEquals([calls.isFull, calls.describe("calls")], [false, "1 calls in flight"]);
});

const concurrency = Infinity;
type Call = (chunk: number) => Promise<number[]>;
const withoutLimit: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  "parallel": (call) => pipeline(range(200), parallel(call, { concurrency }), () => {}),
  "parallel, unordered": (call) =>
    pipeline(range(200), parallel(call, { concurrency, ordered: false }), () => {}),
  "parallel, keys": (call) =>
    pipeline(range(200), parallel(call, { concurrency, key: (chunk) => chunk }), () => {}),
  "flatMap": (call) => pipeline(range(200), flatMap(call, { concurrency }), () => {}),
  "expand": (call) => pipeline(range(200), expand(call, { concurrency }), () => {}),
  "writer": (call) => pipeline(range(200), writer(call, { concurrency })),
};

for (const [name, run] of Object.entries(withoutLimit)) {
  test(`${name} with a concurrency of Infinity calls with all chunks there are`, async () => {
    const { fn, calls } = held<number[], [chunk: number]>();
    const ended = run(fn);
    await turns(20);
    assertEquals(calls.map(({ args }) => args[0]), range(200));
    for (const call of calls) call.resolve([]);
    await ended;
  });
}

test("what waits goes on once what it waits for is so, and others go on waiting", async () => {
  const calls = new InFlight(2);
  calls.begin();
  calls.begin();
  const room = calls.until(() => !calls.isFull);
  const none = calls.until(() => calls.count === 0);
  assertEquals((await settledWithin(room, 5)).state, "pending");
  calls.end();
  await room;
  assertEquals((await settledWithin(none, 5)).state, "pending");
  calls.end();
  await none;
  await calls.until(() => true);
});
