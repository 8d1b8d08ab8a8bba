import { test } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { messageDelays } from "../../../scenarios/concurrency/message_delays.ts";

test("delays are 100 to 1,000 ms, one in ten of them 1,000 longer", () => {
  const delays = messageDelays(10_000, seededRandom(1));
  assertEquals(delays.length, 10_000);
  assert(delays.every((delay) => Number.isInteger(delay) && delay >= 100 && delay <= 2000));
  const slow = delays.filter((delay) => delay > 1000).length;
  // A thousand expected, thirty the standard deviation.
  assert(slow > 850 && slow < 1150, `${slow} slow messages`);
  const mean = delays.reduce((sum, delay) => sum + delay) / delays.length;
  assert(mean > 630 && mean < 670, `${mean} ms on average`);
});

test("the seed decides them", () => {
  assertEquals(messageDelays(50, seededRandom(7)), messageDelays(50, seededRandom(7)));
  assertNotEquals(messageDelays(50, seededRandom(7)), messageDelays(50, seededRandom(8)));
});

test("the speedup divides the very same delays, down to one millisecond", () => {
  const delays = messageDelays(100, seededRandom(3));
  assertEquals(
    messageDelays(100, seededRandom(3), 10),
    delays.map((delay) => Math.round(delay / 10)),
  );
  assertEquals(new Set(messageDelays(100, seededRandom(3), 10_000)), new Set([1]));
});
