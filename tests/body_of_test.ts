import { test } from "node:test";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { bodyOf, hasBody, isWithBody, isWithStream } from "../src/body_of.ts";

const text = async (stream: unknown) => await new Response(stream as ReadableStream).text();

test("a Blob, a File, a Response and a Request have a body, of whatever realm", async () => {
  const request = new Request("http://localhost/", { method: "POST", body: "text" });
  const stream = new Blob(["text"]).stream();
  for (
    const value of [
      new Blob(["text"]),
      new File(["text"], "name"),
      new Response("text"),
      request,
      { size: 4, stream: () => new Blob(["text"]).stream() },
      { body: stream, bodyUsed: false },
    ]
  ) {
    assert(hasBody(value));
    assertEquals(await text(bodyOf(value)), "text");
  }
});

test("a body that is empty gives nothing, and one that was read is still one", async () => {
  const empty = new Response(null);
  assertEquals([hasBody(empty), bodyOf(empty)], [true, []]);
  const used = new Response("text");
  await used.text();
  assertEquals([hasBody(used), isWithBody(used) && used.bodyUsed], [true, true]);
});

test("what only looks like it has none, and is given as it is", () => {
  const stream = new ReadableStream();
  for (
    const value of [
      ...[null, undefined, 5, "text", () => {}, {}, [], stream],
      ...[{ body: "text" }, { body: "text", bodyUsed: 1 }, { bodyUsed: false }],
      ...[{ size: 4 }, { stream() {} }, { size: "4", stream() {} }, { size: 4, stream: stream }],
    ]
  ) {
    assertEquals(hasBody(value), false);
    assertStrictEquals(bodyOf(value), value);
  }
  // A stream that also has a body, as some libraries' have, is that stream.
  const both = Object.assign(new ReadableStream(), { body: stream, bodyUsed: false });
  assertStrictEquals(bodyOf(both), both);
  assertEquals([isWithBody({ body: 1, bodyUsed: true }), isWithBody({})], [true, false]);
  assertEquals([isWithStream({ size: 1, stream() {} }), isWithStream({})], [true, false]);
});
