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
});
