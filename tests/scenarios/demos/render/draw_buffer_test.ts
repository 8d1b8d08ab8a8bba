import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { drawBuffer, paintBuffers } from "../../../../scenarios/demo/render/draw_buffer.ts";

test("slots up to the mark, one for a message; beyond it, a count", () => {
  const cases: [count: number, held: number, mark: number, drawn: string][] = [
    [0, 0, 0, "[]"],
    [2, 0, 0, "[]+2"],
    [0, 0, 1, "[□]"],
    [0, 1, 1, "[▣]"],
    [1, 1, 4, "[■▣□□]"],
    [4, 0, 4, "[■■■■]"],
    [4, 1, 4, "[■■■■]"],
    [7, 0, 4, "[■■■■]+3"],
    [8, 0, 8, "[■■■■■■■■]"],
  ];
  for (const [count, held, mark, drawn] of cases) {
    assertEquals(drawBuffer(count, held, mark), drawn);
  }
});

test("above eight a slot stands for a part, and none is empty that holds anything", () => {
  assertEquals(drawBuffer(0, 0, 16), "[□□□□□□□□]0/16");
  assertEquals(drawBuffer(1, 0, 1000), "[■□□□□□□□]1/1000");
  assertEquals(drawBuffer(16, 1, 16), "[■■■■■■■■]16/16");
  assertEquals(drawBuffer(20, 0, 16), "[■■■■■■■■]20/16");
});

test("what is full and what is beyond the mark is coloured, and nothing is added or lost", () => {
  const line = "read 4.01 [■■▣□] [■■■■]+12 desired:0";
  assertEquals(paintBuffers(line, (_paint, text) => text), line);
  assertEquals(
    paintBuffers(line, (paint, text) => `<${paint} ${text}>`),
    "read 4.01 [<full ■■>▣□] [<full ■■■■>]<over +12> desired:0",
  );
});
