// Runs by itself: the test runners of Deno and Bun fail a test for each rejection that is handled nowhere.
import { checkStage } from "@hosepipe/streams/testing";
import { unhandledStage } from "./_planted_stages.ts";

const { failed } = await checkStage(unhandledStage.make, unhandledStage.options);
console.log(JSON.stringify(failed));
