import { expect, test } from "@jest/globals";
import { interval, take, toArray } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";

test("three hours take no time", async () => {
  await using time = virtualTime();
  const hours = await time.run(toArray(interval(3_600_000), take(3)));
  expect(hours).toEqual([0, 1, 2]);
  expect(time.now).toBe(3 * 3_600_000);
});
