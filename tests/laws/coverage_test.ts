import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as hosepipe from "@hosepipe/streams";
import { operators } from "../lib/operators.ts";

/** What is no stage: where its own tests are. */
const others: Readonly<Record<string, string>> = {
  fuse: "a way in which stages run: tests/laws, tests/fuse",
  pipeline: "a way in which stages run: tests/laws, tests/fuse/pipeline_test.ts",
  probe: "tests/probe",
  reader: "a source: tests/stages/reader_test.ts",
  writer: "a sink: tests/stages/writer_test.ts",
};

const rowsOf = (name: string) => operators.filter((row) => row.name.split(",")[0] === name);

for (const name of Object.keys(hosepipe)) {
  test(`the laws cover ${name}, or it is named as no stage`, () => {
    assert(
      rowsOf(name).length > 0 !== Object.hasOwn(others, name),
      `${name} is exported by mod.ts: give it a row in tests/lib/operators.ts, or name it in this test`,
    );
  });
}

test("each operator is in the laws in a form that remembers, and in random chains", () => {
  const names = Object.keys(hosepipe).filter((name) => !Object.hasOwn(others, name));
  const without = (has: (row: (typeof operators)[number]) => unknown) =>
    names.filter((name) => !rowsOf(name).some(has));
  assertEquals(without(({ makeStateful }) => makeStateful), []);
  assertEquals(without(({ makeRandom, makeSized }) => makeRandom ?? makeSized), []);
});

test("names of rows and of what is no stage are those of exports", () => {
  const byHand = ["a transform by hand", "an async transform by hand", "no transform at all"];
  const rows = operators.map(({ name }) => name.split(",")[0]!);
  assertEquals(
    [...new Set([...rows, ...Object.keys(others)])].toSorted(),
    [...new Set([...Object.keys(hosepipe), ...byHand])].toSorted(),
  );
  assertEquals(new Set(operators.map(({ name }) => name)).size, operators.length);
});
