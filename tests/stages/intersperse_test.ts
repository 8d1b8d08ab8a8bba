import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { intersperse, toText } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

test("intersperse() makes the text that join() makes, empty chunks included", async () => {
  for (const chunks of [[], [""], ["", "a", ""], ["a", "b", "c"]]) {
    for (const separator of ["", ", ", "\n"]) {
      assertEquals(await toText(chunks, intersperse(separator)), chunks.join(separator));
    }
  }
});

test("intersperse() holds nothing: each chunk goes on at once", async () => {
  assertEquals(await run(["a", "b"], intersperse("-")), ["a", "-b"]);
});

test("intersperse() refuses what is no text", async () => {
  assertThrows(() => intersperse(5 as never), TypeError, "separator must be a string, got 5");
  const [error] = await errorOf(run([5], intersperse(",") as never)) as [Error];
  assertEquals(error.message, "Cannot intersperse: a chunk must be a string, got 5");
});
