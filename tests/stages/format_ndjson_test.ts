import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { formatNdjson } from "../../src/stages/format_ndjson.ts";
import { parseNdjson } from "../../src/stages/parse_ndjson.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

const values = [null, 0, "", false, "a\nb\r\n\u2028", { a: [1, { b: "€𝄞" }] }, [], 1e300, -0.5];

test("formatNdjson() gives a line for each value, which parseNdjson() reads again", async () => {
  const text = await run(values, formatNdjson());
  assertEquals(text.length, values.length);
  assertEquals(
    text.every((line) => line.endsWith("\n") && line.indexOf("\n") === line.length - 1),
    true,
  );
  assertEquals(await run(text, parseNdjson()), values);
  assertEquals(await run([], formatNdjson()), []);
});

test("formatNdjson() refuses what JSON has nothing for, and says which chunk", async () => {
  for (const value of [undefined, () => {}, Symbol("a")]) {
    assertEquals(
      String((await errorOf(run([1, value], formatNdjson())))[0]),
      `TypeError: Cannot format NDJSON: chunk 2 is ${typeof value}, which JSON has nothing for`,
    );
  }
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const value of [circle, 1n]) {
    const [error] = await errorOf(run([value], formatNdjson())) as [unknown];
    assertEquals(error instanceof TypeError, true);
  }
});
