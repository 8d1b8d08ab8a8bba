import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { answerTable } from "../../../scripts/semantics/answer_table.ts";
import type { Fact } from "../../../scenarios/semantics/probe.ts";

const probe = { name: "push", corner: "mark" };
const answer = (name: "deno" | "bun" | "node", row: Record<string, Fact>) => ({
  name,
  version: "1.0.0",
  facts: { push: { "5": row } },
});

test("answers that agree are given once", () => {
  assertEquals(answerTable(probe, [answer("deno", { web: 1 }), answer("bun", { web: 1 })]), {
    head: ["mark", "web"],
    body: [["5", "1"]],
    differences: [],
  });
});

test("answers that differ are a star and a line that says whose is which", () => {
  const table = answerTable(probe, [
    answer("deno", { web: 1, node: 7 }),
    answer("bun", { web: 2, node: 7 }),
    answer("node", { web: 2 }),
  ]);
  assertEquals(table.body, [["5", "*", "*"]]);
  assertEquals(table.differences, [
    "5, web: deno 1; bun, node 2",
    "5, node: deno, bun 7; node none",
  ]);
});
