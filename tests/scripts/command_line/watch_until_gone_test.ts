import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { watchUntilGone } from "../../../scenarios/command_line/watch_until_gone.ts";

/** How many looks it takes until it is known to be gone; `undefined` if it is not by the last. */
async function looksUntilGone(
  answers: readonly (boolean | undefined | "failure")[],
): Promise<number | undefined> {
  let looks = 0;
  let found: number | undefined;
  await new Promise<void>((resolve) => {
    const isGone = () => {
      const answer = answers[looks++];
      if (answer === "failure") throw new Error("no descriptor left");
      return answer;
    };
    const onGone = () => {
      found = looks;
      resolve();
    };
    const wait = () =>
      looks < answers.length ? Promise.resolve() : new Promise<void>(() => resolve());
    void watchUntilGone(isGone, 500, onGone, wait);
  });
  return found;
}

test("a process is gone when two looks in a row say so", async () => {
  assertEquals(await looksUntilGone([true, true]), 2);
  assertEquals(await looksUntilGone([false, true, false, true, true, true]), 5);
  assertEquals(await looksUntilGone([true, false, true, false]), undefined);
});

test("what cannot be looked at says nothing, for or against", async () => {
  assertEquals(await looksUntilGone([undefined, undefined, "failure", "failure"]), undefined);
  assertEquals(await looksUntilGone([true, undefined, "failure", true]), 4);
});
