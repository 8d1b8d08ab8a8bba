import assert from "node:assert/strict";
import { interval, take, toArray } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";

Deno.test("three hours take no time", async () => {
  await using time = virtualTime();
  const hours = await time.run(toArray(interval(3_600_000), take(3)));
  assert.deepEqual(hours, [0, 1, 2]);
  assert.equal(time.now, 3 * 3_600_000);
});
