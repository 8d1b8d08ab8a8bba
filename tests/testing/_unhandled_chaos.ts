// Runs by itself: the test runners of Deno and Bun fail a test for each rejection that is handled nowhere.
import { chaos } from "@hosepipe/streams/testing";
import fastCheck from "fast-check";
import { unhandledRace } from "./_planted_races.ts";

const { failed } = await chaos(unhandledRace.run, { fastCheck, runs: 1_000, seed: 7 });
console.log(JSON.stringify(failed));
