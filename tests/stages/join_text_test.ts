import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { joinText, toText } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

test("joinText() makes the text that join() makes, empty chunks included", async () => {
  for (const chunks of [[], [""], ["", "a", ""], ["a", "b", "c"]]) {
    for (const separator of ["", ", ", "\n"]) {
      assertEquals(await toText(chunks, joinText(separator)), chunks.join(separator));
    }
  }
});

test("joinText() holds nothing: each chunk goes on at once", async () => {
  assertEquals(await run(["a", "b"], joinText("-")), ["a", "-b"]);
});

test("joinText() refuses what is no text", async () => {
  assertThrows(() => joinText(5 as never), TypeError, "separator must be a string, got 5");
  const [error] = await errorOf(run([5], joinText(",") as never)) as [Error];
  assertEquals(error.message, "Cannot join text: a chunk must be a string, got 5");
});
