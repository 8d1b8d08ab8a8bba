import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { logTicks } from "../../../scripts/report/log_ticks.ts";

test("many powers of ten are enough; fewer get round numbers between", () => {
  assertEquals(logTicks(0.001, 5), [0.001, 0.01, 0.1, 1]);
  assertEquals(logTicks(0.05, 40), [0.1, 0.3, 1, 3, 10, 30]);
  assertEquals(logTicks(7, 110), [10, 20, 50, 100]);
  assertEquals(logTicks(1, 4), [1, 1.5, 2, 3, 4]);
});

test("ticks are exact numbers within the range, in order, whatever the range", () => {
  for (let power = -9; power < 9; power++) {
    for (const span of [1.5, 3, 20, 900, 1e6]) {
      const low = 1.1 * 10 ** power;
      const ticks = logTicks(low, low * span);
      assert(ticks.every((tick) => tick >= low && tick <= low * span));
      assertEquals(ticks, [...ticks].sort((one, other) => one - other));
      assert(ticks.every((tick) => String(tick).replace(/[0.e-]/g, "").length <= 4), `${ticks}`);
      assert(ticks.length <= 12, `${ticks.length} ticks`);
    }
  }
});
