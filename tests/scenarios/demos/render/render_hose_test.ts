import { assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Hose } from "../../../../scenarios/demos/demo_event.ts";
import { renderHose } from "../../../../scenarios/demos/render/render_hose.ts";

const hose: Hose = {
  reader: [],
  readerOut: ["10", "9"],
  transformerIn: ["8", "7"],
  transformer: ["6"],
  transformerOut: ["5", "4"],
  writerIn: ["3", "2"],
  writer: ["1"],
};
const nothing: Hose = {
  reader: [],
  readerOut: [],
  transformerIn: [],
  transformer: [],
  transformerOut: [],
  writerIn: [],
  writer: [],
};

test("every message at its place, the oldest at the right", () => {
  assertEquals(renderHose(hose), ["| |==10==9==|==8==7==|6|==5==4==|==3==2==|1|"]);
});

test("an empty hose, and stages with messages in hand", () => {
  assertEquals(renderHose(nothing), ["| |====|====| |====|====| |"]);
  assertEquals(renderHose({ ...nothing, reader: ["4"], writer: ["3", "2", "1"] }), [
    "|4|====|====| |====|====|3 2 1|",
  ]);
});

test("a hose wider than the terminal takes several lines and loses nothing", () => {
  for (const columns of [10, 20, 30, 43, 44]) {
    const lines = renderHose(hose, columns);
    assertEquals(lines.join(""), renderHose(hose)[0]);
    assertEquals(lines.every((line) => line.length <= columns), true);
    assertEquals(lines.length === 1, columns === 44);
  }
});
