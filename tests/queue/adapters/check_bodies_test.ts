import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { checkBodies, checkSend } from "../../../src/queue/adapters/check_send.ts";
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

test("text and bytes are taken where no format is named, and else what it names", () => {
  const bytes = new Uint8Array(2);
  checkBodies([]);
  checkBodies(["", "\ud83d\ude00", bytes]);
  checkBodies(["a"], "text");
  checkBodies([bytes], "bytes");
  const refusals: [unknown, "text" | "bytes" | undefined, string][] = [
    [["a", 1], undefined, "bodies[1] must be text or a Uint8Array, got 1"],
    [[bytes], "text", "bodies[0] must be text, got a Uint8Array"],
    [["a"], "bytes", 'bodies[0] must be a Uint8Array, got "a"'],
    [[new Uint16Array(1)], "bytes", "bodies[0] must be a Uint8Array"],
    [undefined, undefined, "bodies must be an array, got undefined"],
    [[null], "text", "bodies[0] must be text, got null"],
    [[7n], "text", "bodies[0] must be text, got 7n (a BigInt)"],
    [["\ud800"], undefined, "bodies[0] must be text without lone surrogates"],
  ];
  for (const [bodies, format, message] of refusals) {
    assertThrows(() => checkBodies(bodies, format), TypeError, message);
  }
});

test("options of a send that are wrong are refused by name", () => {
  const refusals: [options: unknown, type: typeof TypeError | typeof RangeError, why: string][] = [
    [{ ids: "x" }, TypeError, "ids must be an array"],
    [{ ids: ["x"] }, RangeError, "Cannot send: ids must be as many as bodies, 2, got 1"],
    [{ ids: ["x", ""] }, TypeError, "ids[1] must be text that is not empty"],
    [{ ids: ["x", "\ud800"] }, TypeError, "ids[1] must be text that is not empty"],
    [{ keys: ["x"] }, RangeError, "keys must be as many as bodies, 2, got 1"],
    [{ keys: [undefined, 5] }, TypeError, "keys[1] must be text that is not empty"],
    [{ rememberMs: 5 }, TypeError, "Cannot send: rememberMs needs ids"],
    [{ ids: ["x", "y"], rememberMs: 0 }, RangeError, "rememberMs must be a positive"],
    [{ notBefore: 5 }, TypeError, "notBefore must be a Date, got 5"],
    [{ notBefore: new Date(NaN) }, RangeError, "notBefore must be a valid Date"],
    [{ key: "x" }, TypeError, 'unknown option "key"'],
  ];
  for (const [options, type, why] of refusals) {
    assertThrows(() => checkSend(["a", "b"], options as never), type, why);
  }
});
