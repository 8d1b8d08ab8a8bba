import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { stage } from "../../src/stages/stage.ts";
import { run } from "../lib/run.ts";

test("stage() answers the very transformer that it is given", async () => {
  const transformer: Transformer<number, string> = {
    transform: (chunk, controller) => controller.enqueue(`${chunk}!`),
  };
  assertStrictEquals(stage(transformer), transformer);
  assertEquals(await run([1, 2], stage(transformer)), ["1!", "2!"]);
});

test("stage() refuses what is neither a function nor an object", () => {
  for (const value of [undefined, null, 5, "map"]) {
    assertThrows(
      () => stage(value as never),
      TypeError,
      "Cannot create stage: stage must be a function or an object, got",
    );
  }
});
