import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { formatDuration } from "../../../bench/tables/format_duration.ts";

test("durations keep three digits in the unit that suits them", () => {
  const cases: [number, string][] = [
    [0, "0.00 ns"],
    [0.000_382_5, "383 ns"],
    [0.012_34, "12.3 µs"],
    [0.999_9, "1.00 ms"],
    [1, "1.00 ms"],
    [9.999, "10.0 ms"],
    [99.96, "100 ms"],
    [123.4, "123 ms"],
    [999.4, "999 ms"],
    [999.6, "1.00 s"],
    [23_456, "23.5 s"],
    [1_234_000, "1234 s"],
  ];
  for (const [milliseconds, text] of cases) assertEquals(formatDuration(milliseconds), text);
});
