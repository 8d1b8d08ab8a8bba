import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { describeReason } from "../../../src/queue/adapters/describe_reason.ts";

test("a dead letter's reason is an error's name and message, or whatever was thrown as text", () => {
  assertEquals(describeReason(new TypeError("no such row")), "TypeError: no such row");
  assertEquals(describeReason(new Error("a: b")), "Error: a: b");
  assertEquals(describeReason(new RangeError()), "RangeError");
  assertEquals(describeReason("no"), "no");
  assertEquals(describeReason(undefined), "undefined");
  assertEquals(describeReason(null), "null");
  assertEquals(describeReason(0), "0");
  assertEquals(describeReason({ message: "no error" }), "[object Object]");
  assertEquals(describeReason(Symbol("no")), "Symbol(no)");
});

test("a reason that has no text, too much of it, or what brokers cannot keep is still one", () => {
  const none = "a value that has no text";
  const thrower = () => {
    throw new Error("no text");
  };
  for (
    const reason of [
      Object.create(null),
      { toString: thrower },
      { toString: () => ({}) },
      Object.assign(new Error(), { message: Symbol("no") }),
      Object.defineProperty(new Error(), "message", { get: thrower }),
      new Proxy({}, { get: thrower, getPrototypeOf: thrower }),
      Object.assign(new Error(), { name: Object.create(null) }),
    ]
  ) assertEquals(describeReason(reason), none);
  assertEquals(describeReason("a\0b\ud800c\u{1f600}"), "a\ufffdb\ufffdc\u{1f600}");
  assertEquals(describeReason("x".repeat(8_192)), "x".repeat(8_192));
  assertEquals(describeReason("x".repeat(8_193)), `${"x".repeat(8_189)}...`);
  assertEquals(describeReason("\u{1f600}".repeat(5_000)).slice(-4), "\ufffd...");
});
