// Measures in this process, which must be able to collect garbage, what a leak would grow, and prints it as JSON:
//   node --expose-gc --import ./node_compat/register.mjs tests/leaks/measure.ts CASE COUNT
//   deno run -A --v8-flags=--expose-gc tests/leaks/measure.ts CASE COUNT
//   bun run tests/leaks/measure.ts CASE COUNT
import process from "node:process";
import type * as Library from "../../mod.ts";
import { pathToFileURL } from "node:url";
import { type LeakCase, leakCases, type LeakResult } from "./cases.ts";

const [name, count, library] = process.argv.slice(2);
const leakCase: LeakCase | undefined = leakCases[name!];
if (leakCase === undefined || !/^\d+$/.test(count ?? "")) {
  console.error(`CASE must be one of ${Object.keys(leakCases).join(", ")}, COUNT a number`);
  process.exit(2);
}
const { gc, Bun } = globalThis as {
  gc?: () => void;
  Bun?: { gc(isSynchronous: boolean): void };
};
if (gc === undefined && Bun === undefined) {
  console.error("Cannot collect garbage: start with --expose-gc");
  process.exit(2);
}

async function heapBytes(): Promise<number> {
  // What has just settled is let go of a turn later, and some of it only by the next collection.
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (Bun) Bun.gc(true);
    else gc!();
  }
  return process.memoryUsage().heapUsed;
}

const windows = 4;
const hosepipe: typeof Library = await import(
  library === undefined ? "../../mod.ts" : pathToFileURL(library).href
);
const each = Math.ceil(Number(count) / windows);
const run = leakCase(hosepipe);
// Compiled code and the like settle before the first look.
await run.repeat(Math.min(each, 2000));
const heap = [await heapBytes()];
for (let window = 0; window < windows; window++) {
  await run.repeat(each);
  heap.push(await heapBytes());
}
const result: LeakResult = { count: each * windows, heap, listeners: run.listeners() };
console.log(JSON.stringify(result));
process.exit(0);
