import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isoTime } from "../../../scenarios/extract/iso_time.ts";

test("a time is what toISOString makes of it, whichever came before", () => {
  const time = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: -200_000, max: 200_000 }),
    fc.integer({ min: 0, max: 59_999 }).map((ms) => Date.UTC(2026, 0, 31, 23, 59) + ms),
  );
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 20 }), (times) => {
      assertEquals(times.map(isoTime), times.map((ms) => new Date(ms).toISOString()));
    }),
    { numRuns: 500 },
  );
});
