import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  describeRun,
  drawOperator,
} from "../../../../scripts/documents/operators/draw_operator.ts";
import { operatorPrograms } from "../../../../scripts/documents/operators/operator_programs.ts";
import { runOperator } from "../../../../scripts/documents/operators/run_operator.ts";

/** What gives several streams, is held by hand, or only types what it is given. */
const without = ["channel", "fromEvents", "hub", "peek", "reader", "share", "stage"];

test("each stage and each source has a picture, or is known to have none", async () => {
  const mod = await readFile(new URL("../../../../mod.ts", import.meta.url), "utf8");
  const exported = mod.matchAll(/export \{([^}]*)\} from "\.\/src\/(?:stages|sources)\//g);
  const names = Array.from(exported, ([, list]) => list!.split(",").map((name) => name.trim()))
    .flat().filter((name) => /^[a-z]/.test(name) && !name.startsWith("type "));
  assertEquals([...Object.keys(operatorPrograms), ...without].sort(), names.sort());
});

test("a picture shows what happened, and what was asked for", async () => {
  const program = { code: "flatMap((x) => [x, '<'])", in: ["ab-|"], demand: "1-*" };
  const words = "in: a at 0 ms, b at 1 ms, the end at 3 ms; " +
    "out: a at 0 ms, < at 2 ms, b at 2 ms, < at 2 ms, the end at 3 ms; " +
    "asks: 1 at 0 ms, all at 2 ms";
  assertEquals(describeRun(await runOperator(program)), words);
  const picture = await drawOperator("own", program);
  assertStringIncludes(picture, words.replaceAll("<", "&lt;"));
  assertEquals(picture.match(/class="chunk"/g)!.length, 2 + 4);
  assertEquals(picture, await drawOperator("own", program));
});

test("a failure and a cancel are described as such", async () => {
  const failing = { code: "map(() => { throw 5 })", in: ["-a-|"] };
  assertEquals(
    describeRun(await runOperator(failing)),
    "in: a at 1 ms, a cancel at 1 ms; out: a failure at 1 ms",
  );
});
