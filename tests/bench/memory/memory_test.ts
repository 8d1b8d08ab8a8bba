import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import type { Workload } from "../../../bench/measure/workload.ts";
import type { Params } from "../../../bench/results/params.ts";
import { memoryToNothing } from "../../../bench/memory/memory_to_nothing.ts";
import { memoryToNull } from "../../../bench/memory/memory_to_null.ts";
import { passthrough } from "../../../bench/memory/passthrough.ts";
import { entriesHere } from "../_entries_here.ts";
import { runCase } from "../_run_case.ts";

/** A chunk of whole KiB ends as an alphabet of 26 letters, cut there, does. */
function expected(count: number, size: number) {
  const last = "a".charCodeAt(0) + (size - 1) % 26;
  const digest = `${count} chunks, ${count * size} bytes, check ${
    count * ("a".charCodeAt(0) + last)
  }`;
  return { chunks: count, bytes: count * size, digest };
}

const defaults = { highWaterMark: "default", kind: "bytes", mode: "byte", amount: "3chunks" };

const cases: [Workload, Params, number, number][] = [
  [memoryToNull, { ...defaults, chunkKiB: 2 }, 3, 2048],
  [memoryToNull, { ...defaults, chunkKiB: 3, amount: "1MiB" }, 342, 3072],
  [memoryToNull, { ...defaults, chunkKiB: 2, highWaterMark: "low" }, 3, 2048],
  [memoryToNull, { ...defaults, chunkKiB: 2, highWaterMark: "high", kind: "strings" }, 3, 2048],
  [memoryToNull, { ...defaults, chunkKiB: 2, highWaterMark: "low", mode: "object" }, 3, 2048],
  [memoryToNull, { ...defaults, chunkKiB: 128, mode: "object" }, 3, 131_072],
  [memoryToNothing, { count: 1000 }, 1000, 2048],
  [passthrough, { stages: 0, chunkKiB: 2, amount: "10chunks" }, 10, 2048],
  [passthrough, { stages: 32, chunkKiB: 2, amount: "10chunks" }, 10, 2048],
];

for (const [workload, params, count, size] of cases) {
  const title = `${workload.name} ${Object.values(params).join(" ")}`;
  for (const { name } of entriesHere(workload.contestants, params)) {
    test(`${title}: ${name} hands over the whole`, async () => {
      assertEquals(await runCase(workload, name, params), expected(count, size));
    });
  }
}

test("an amount is a number of chunks or of bytes", () => {
  const { parse } = passthrough.params.amount!;
  for (const text of ["200chunks", "64MiB", "1GiB"]) assertEquals(parse(text), text);
  for (const text of ["0chunks", "-1MiB", "1.5GiB", "64", "64 MiB", "MiB", ""]) {
    assertThrows(
      () => parse(text),
      RangeError,
      "Cannot read amount: must be a number of chunks, MiB or GiB, such as 200chunks or 64MiB, " +
        `got ${JSON.stringify(text)}`,
    );
  }
});

test("integers and choices name what is valid", () => {
  const { stages } = passthrough.params;
  assertEquals(stages!.parse("0"), 0);
  for (const text of ["-1", "1001", "1.5", "", "many"]) {
    assertThrows(
      () => stages!.parse(text),
      RangeError,
      `Cannot read stages: must be an integer from 0 to 1000, got ${JSON.stringify(text)}`,
    );
  }
  assertThrows(
    () => memoryToNull.params.mode!.parse("bits"),
    RangeError,
    'Cannot read mode: must be one of byte, object, got "bits"',
  );
});

test("an unknown contestant is refused by name", async () => {
  await assertRejects(
    () => memoryToNothing.prepare({ contestant: "nobody", params: { count: 1 } }),
    Error,
    "Cannot prepare memory_to_nothing: no contestant nobody; the contestants are hand, pipeline, fuse",
  );
});
