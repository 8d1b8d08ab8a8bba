import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as hosepipe from "@hosepipe/streams";
import * as formats from "@hosepipe/streams/formats";
import { operators } from "../lib/operators.ts";
import { sources } from "../lib/sources.ts";

/** What is neither a stage nor a source made of another: where its own tests are. */
const others: Readonly<Record<string, string>> = {
  channel: "tests/sources/channel_test.ts",
  fromEvents: "tests/sources/channel_test.ts",
  fuse: "a way in which stages run: tests/laws, tests/fuse",
  pipeline: "a way in which stages run: tests/laws, tests/pipeline",
  interval: "tests/sources/reader_test.ts",
  takeLast: "a stage that gives nothing before the end: tests/stages/programs_test.ts",
  count: "an end: tests/laws/ends_test.ts",
  every: "an end: tests/laws/ends_test.ts",
  find: "an end: tests/laws/ends_test.ts",
  reduce: "an end: tests/laws/ends_test.ts",
  some: "an end: tests/laws/ends_test.ts",
  iterate: "an end: tests/ends/iterate_test.ts",
  first: "an end: tests/laws/ends_test.ts",
  last: "an end: tests/laws/ends_test.ts",
  toArray: "an end: tests/laws/ends_test.ts",
  toBytes: "an end: tests/laws/ends_test.ts",
  toJson: "an end: tests/laws/ends_test.ts",
  toText: "an end: tests/laws/ends_test.ts",
  parseMultipart: "tests/formats/parse_multipart_test.ts",
  sseResponse: "tests/formats/parse_sse_test.ts",
  sseSource: "tests/formats/parse_sse_test.ts",
  writer: "tests/sinks/writer_test.ts",
};

const exported = [...new Set([...Object.keys(hosepipe), ...Object.keys(formats)])];
const nameOf = (row: { readonly name: string }) => row.name.split(",")[0]!;
const isStage = (name: string) => operators.some((row) => nameOf(row) === name);
const isSource = (name: string) => sources.some((row) => nameOf(row) === name);

for (const name of exported) {
  test(`the laws cover ${name}, or it is named as no stage and no source`, () => {
    assertEquals(
      [isStage(name), isSource(name), Object.hasOwn(others, name)].filter(Boolean).length,
      1,
      `${name} is exported: give it a row in tests/lib/operators.ts or sources.ts, or name it in this test`,
    );
  });
}

test("each stage is in the laws in a form that remembers, and in random chains", () => {
  const without = (has: (row: (typeof operators)[number]) => unknown) =>
    exported.filter(isStage)
      .filter((name) => !operators.some((row) => nameOf(row) === name && has(row)));
  assertEquals(without(({ makeStateful }) => makeStateful), []);
  // What it is made of is in random chains.
  assertEquals(without(({ makeRandom, makeSized }) => makeRandom ?? makeSized), ["compose"]);
});

test("each row has a name of its own, and stands for an export or for a transformer by hand", () => {
  const byHand = ["a transform by hand", "an async transform by hand", "no transform at all"];
  const rows = [...operators, ...sources];
  assertEquals(new Set(rows.map(({ name }) => name)).size, rows.length);
  const named = [...rows.map(nameOf), ...Object.keys(others)];
  for (const name of named) assert([...exported, ...byHand].includes(name), name);
});
