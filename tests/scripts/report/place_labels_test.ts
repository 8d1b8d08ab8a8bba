import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { labelsHeight, placeLabels } from "../../../scripts/report/place_labels.ts";
import { seededRandom } from "../../../bench/results/seeded_random.ts";

test("labels that are far enough apart stay where they are", () => {
  assertEquals(placeLabels([20, 100, 60], 200), [20, 100, 60]);
  assertEquals(placeLabels([], 200), []);
});

test("labels never cover each other, keep their order and stay inside", () => {
  const random = seededRandom(11);
  for (let round = 0; round < 200; round++) {
    const count = 1 + Math.floor(random() * 26);
    const height = Math.max(210, labelsHeight(count));
    const wanted = Array.from({ length: count }, () => random() * height);
    const placed = placeLabels(wanted, height);
    const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]!);
    const sorted = order.map((index) => placed[index]!);
    for (const [index, at] of sorted.entries()) {
      assert(at >= 0 && at <= height, `${at} of ${height}`);
      if (index > 0) assert(at - sorted[index - 1]! > 13.9, `${sorted}`);
    }
  }
});

test("where there is too little room, they share what there is", () => {
  const placed = placeLabels([50, 50, 50, 50], 20);
  assertEquals(placed.map((at) => Math.round(at * 10)), [25, 75, 125, 175]);
});
