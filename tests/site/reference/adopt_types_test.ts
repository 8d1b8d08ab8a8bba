import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { adoptTypes } from "../../../scripts/site/reference/adopt_types.ts";

function page(...symbols: readonly [name: string, code: string][]) {
  return {
    symbols: symbols.map(([name, code]) => ({
      ...{ name, isType: /^[A-Z]/.test(name), signatures: [{ code }] },
    })),
  };
}

function names(pages: readonly ReturnType<typeof page>[]): string[][] {
  return adoptTypes(pages).map(({ symbols }) => symbols.map(({ name }) => name));
}

test("a type that one function needs moves to it, and so do the types of that type", () => {
  const pages = [
    page(["writer", "function writer(options: WriterOptions)"]),
    page(["WriterOptions", "interface WriterOptions { overflow: Overflow }"]),
    page(["Overflow", 'type Overflow = "fail"']),
  ];
  assertEquals(names(pages), [["writer", "WriterOptions", "Overflow"]]);
});

test("a type of two functions, and one of none, stay where they are", () => {
  const pages = [
    page(["map", "function map(): Transformer"]),
    page(["tap", "function tap(): Transformer"]),
    page(["Transformer", "interface Transformer {}"], ["Alone", "type Alone = 1"]),
  ];
  assertEquals(names(pages), [["map"], ["tap"], ["Transformer", "Alone"]]);
});

test("options named for a function belong to it, though others take them too", () => {
  const pages = [
    page(["toArray", "function toArray(options: PipelineOptions)"]),
    page(["PipelineOptions", "interface PipelineOptions {}"]),
    page(["pipeline", "const pipeline: Pipeline"]),
  ];
  assertEquals(names(pages), [["toArray"], ["pipeline", "PipelineOptions"]]);
});

test("a type whose name only begins alike is another", () => {
  const pages = [
    page(["map", "function map(options: MapOptions)"]),
    page(["Map", "type Map = 1"]),
  ];
  assertEquals(names(pages), [["map"], ["Map"]]);
});
