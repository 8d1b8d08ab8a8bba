import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { compareFacts, describeDifferences } from "../../../scripts/semantics/compare_facts.ts";

const facts = { "no-writer": { "5 node": { read: 14, transformed: 5 } } };
const place = "no-writer / 5 node / read";

test("equal facts do not differ, whatever is explained", () => {
  const explanations = { [place]: { measured: 15, because: "once it was so" } };
  assertEquals(compareFacts({ facts, explanations }, facts), []);
});

test("another fact is a difference, and so is one that is new or gone", () => {
  const measured = { "no-writer": { "5 node": { read: 15 }, "5 web": { read: 15 } } };
  assertEquals(compareFacts({ facts, explanations: {} }, measured), [
    { place, expected: 14, measured: 15 },
    { place: "no-writer / 5 node / transformed", expected: 5, measured: null },
    { place: "no-writer / 5 web / read", expected: null, measured: 15 },
  ]);
});

test("a number and its digits are different facts", () => {
  const measured = { "no-writer": { "5 node": { read: "14", transformed: 5 } } };
  assertEquals(compareFacts({ facts, explanations: {} }, measured).length, 1);
});

test("an explanation counts for the fact that it names alone, and needs words", () => {
  const measured = { "no-writer": { "5 node": { read: 15, transformed: 5 } } };
  const explain = (fact: number, because: string) =>
    compareFacts({ facts, explanations: { [place]: { measured: fact, because } } }, measured);
  assertEquals(explain(15, "it is fixed"), [
    { place, expected: 14, measured: 15, because: "it is fixed" },
  ]);
  assertEquals(explain(16, "it is fixed"), [{ place, expected: 14, measured: 15 }]);
  assertEquals(explain(15, " "), [{ place, expected: 14, measured: 15 }]);
});

test("differences are written as a diff, each with its explanation or the lack of one", () => {
  assertEquals(
    describeDifferences([
      { place: "a / b / c", expected: 1, measured: 2, because: "they fixed it" },
      { place: "a / b / d", expected: null, measured: "yes" },
    ]),
    "a / b / c\n- 1\n+ 2\n  they fixed it\na / b / d\n+ yes\n  not explained",
  );
});
