import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { toJson } from "@hosepipe/streams";

test("toJson() takes one byte order mark at the start, of text as of bytes", async () => {
  const encoder = new TextEncoder();
  for (const text of ['{"a":1}', '\uFEFF{"a":1}']) {
    assertEquals(await toJson([text]), { a: 1 });
    assertEquals(await toJson([...text]), { a: 1 });
    assertEquals(await toJson([encoder.encode(text)]), { a: 1 });
  }
  await assertRejects(() => toJson(['{"a":\uFEFF1}']), SyntaxError);
});
