import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { findBlocks } from "../../src/engine/blocks.ts";
import type { Stage } from "../../src/engine/stage.ts";
import { FilterKernel } from "../../src/kernels/filter.ts";
import { MapKernel } from "../../src/kernels/map.ts";

/** Stages by letters: `m` is a map, `f` a filter, `-` one of another kind. */
function stagesOf(letters: string): Stage[] {
  const kernels: Record<string, unknown> = {
    m: new MapKernel((chunk) => chunk),
    f: new FilterKernel((chunk) => chunk),
  };
  return [...letters].map((letter, index) => ({ index, one: kernels[letter] }) as unknown as Stage);
}

test("findBlocks finds eight maps in a row, wherever they begin, and no fewer", () => {
  const m8 = "m".repeat(8);
  for (
    const [letters, begins] of [
      ["", []],
      ["m".repeat(7), []],
      [m8, [0]],
      ["m".repeat(15), [0]],
      [m8 + m8, [0, 8]],
      [`f${m8}`, [1]],
      [`mmm-${m8}f`, [4]],
      [`${m8}f${m8}-${m8}`, [0, 9, 18]],
      [`mmmmfmmmm-mmmmmmm`, []],
    ] as const
  ) {
    const stages = stagesOf(letters);
    const blocks = findBlocks(stages);
    assertEquals(blocks.length, stages.length);
    const found = blocks.flatMap((block, index) => block === undefined ? [] : [index]);
    assertEquals(found, [...begins], letters);
    for (const index of found) {
      assertEquals(
        blocks[index]!.stages.map((stage) => stage.index),
        [...Array(8).keys()].map((place) => index + place),
      );
    }
  }
});
