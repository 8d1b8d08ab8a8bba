// Runs by itself: the test runners of Deno and Bun fail a test for each rejection that is handled nowhere.
import process from "node:process";
import { chaos, checkStage } from "@hosepipe/streams/testing";
import fastCheck from "fast-check";

const checks: Readonly<Record<string, () => Promise<{ readonly failed?: unknown }>>> = {
  stage: () => checkStage(() => ({ flush: () => void Promise.reject(new Error("nowhere")) })),
  race: () =>
    chaos(async ({ wrap }) => {
      const call = wrap((n: number) => n);
      const [one, other] = [call(1), call(2)];
      await one;
      await other;
    }, { fastCheck, runs: 1_000, seed: 7 }),
};
const { failed } = await checks[process.argv[2]!]!();
console.log(JSON.stringify(failed));
