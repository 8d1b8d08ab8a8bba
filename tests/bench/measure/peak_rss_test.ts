import process from "node:process";
import { test } from "node:test";
import { assert } from "@std/assert";
import { peakRssMiB } from "../../../bench/measure/peak_rss.ts";

test("the peak is in MiB: it grows by what is held, and stays when that is let go", () => {
  const before = peakRssMiB();
  const heldMiB = 256;
  const held = new Uint8Array(heldMiB * 2 ** 20).fill(1);
  const during = peakRssMiB();
  assert(held.at(-1) === 1);
  // What was free before may be used again, so growth is less than what was filled.
  assert(during > heldMiB, `${during} MiB is less than what is held`);
  assert(during < before + heldMiB + 64, `from ${before} to ${during} MiB`);
  assert(peakRssMiB() >= during);
});

test("the peak agrees with what the runtime reports of itself", () => {
  const reported = process.resourceUsage().maxRSS / 1024;
  // The runtime's figure may include what the spawning process held, never less than our own.
  assert(reported > 0.9 * peakRssMiB(), `${reported} and ${peakRssMiB()} MiB`);
});
