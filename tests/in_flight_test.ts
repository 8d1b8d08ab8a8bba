import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { InFlight } from "../src/in_flight.ts";
import { settledWithin } from "./lib/settled_within.ts";

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
