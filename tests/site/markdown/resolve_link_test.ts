import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { resolveLink } from "../../../scripts/site/markdown/resolve_link.ts";

const library = {
  ...{ source: "docs/library.md", page: "library.html" },
  references: new Map([["src/stages/map.ts", "reference/streams/map.html"]]),
};
const readme = { source: "README.md", page: "index.html" };
const symbol = { source: "src/stages/map.ts", page: "reference/streams/map.html" };

test("links between documents lead to the pages made from them", () => {
  assertEquals(resolveLink("recipes.md#csv", library), "recipes.html#csv");
  assertEquals(resolveLink("../README.md", library), "index.html");
  assertEquals(resolveLink("#types", library), "#types");
  assertEquals(resolveLink("../../docs/library.md", symbol), "../../library.html");
});

test("addresses of the repository are taken as the files that they show", () => {
  const main = "https://github.com/hosepipe/streams/blob/main";
  assertEquals(resolveLink(`${main}/docs/serve.md#a`, readme), "serve.html#a");
  const raw = "https://raw.githubusercontent.com/hosepipe/streams/main";
  assertEquals(resolveLink(`${raw}/docs/images/hose.svg`, readme), "images/hose.svg");
});

test("a file of the library leads to the reference, and what has no page to the repository", () => {
  assertEquals(resolveLink("../src/stages/map.ts", library), "reference/streams/map.html");
  const main = "https://github.com/hosepipe/streams";
  assertEquals(
    resolveLink("../src/engine/README.md#a", library),
    `${main}/blob/main/src/engine/README.md#a`,
  );
  assertEquals(resolveLink("../bench/results", library), `${main}/tree/main/bench/results`);
});

test("the playground is a page, and other places stay where they are", () => {
  assertEquals(resolveLink("../playground", library), "playground.html");
  assertEquals(resolveLink("https://deno.com", library), "https://deno.com");
  assertEquals(resolveLink("mailto:a@b.c", library), "mailto:a@b.c");
});
