import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { portableMap } from "../../../scripts/pack/portable_map.ts";

const place = {
  folder: "/tmp/packed/src/queue",
  root: "/home/me/hosepipe/",
  file: "dist/src/queue/mod.js.map",
};
const mapOf = (sources: readonly string[], sourcesContent?: readonly (string | null)[]) =>
  JSON.stringify({ version: 3, sources, sourcesContent, names: [], mappings: "AAAA" });

test("sources are named beside the package's dist, whether by address or by path", () => {
  const text = mapOf(
    ["file:///home/me/hosepipe/src/fifo.ts", "../../../../home/me/hosepipe/src/queue/mod.ts"],
    ["a", "b"],
  );
  assertEquals(JSON.parse(portableMap(text, place)), {
    ...{ version: 3, sources: ["../../../src/fifo.ts", "../../../src/queue/mod.ts"] },
    ...{ sourcesContent: ["a", "b"], names: [], mappings: "AAAA" },
  });
});

test("a source outside of the project, and one that is not in the map, are errors", () => {
  assertThrows(
    () => portableMap(mapOf(["file:///home/me/secret.ts"], ["a"]), place),
    Error,
    "Cannot pack dist/src/queue/mod.js.map: file:///home/me/secret.ts is not in the project",
  );
  for (const contents of [undefined, [null]]) {
    assertThrows(
      () => portableMap(mapOf(["file:///home/me/hosepipe/mod.ts"], contents), place),
      Error,
      "or not in the map",
    );
  }
});
