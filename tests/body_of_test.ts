import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { isWithBody, isWithStream } from "../src/body_of.ts";

test("a Blob, a File, a Response and a Request have a body, of whatever realm", () => {
  const request = new Request("http://localhost/", { method: "POST", body: "text" });
  const stream = new Blob(["text"]).stream();
  const bodies = [new Response("text"), new Response(null), request, {
    body: stream,
    bodyUsed: false,
  }];
  for (const value of bodies) assert(isWithBody(value));
  const streams = [new Blob(["text"]), new File(["text"], "name"), { size: 4, stream() {} }];
  for (const value of streams) assert(isWithStream(value));
});

test("what only looks like it has none", () => {
  const stream = new ReadableStream();
  for (
    const value of [
      ...[() => {}, {}, [], stream, { body: "text" }, { body: "text", bodyUsed: 1 }],
      ...[{ bodyUsed: false }, { size: 4 }, { stream() {} }, { size: "4", stream() {} }],
      { size: 4, stream },
    ]
  ) assertEquals([isWithBody(value), isWithStream(value)], [false, false]);
});
