import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { checkDelay } from "../src/check_delay.ts";
import { checkSignal, isSignal } from "../src/check_signal.ts";
import { isBytes, joinBytes } from "../src/is_bytes.ts";
import { isPromiseLike } from "../src/is_promise_like.ts";

test("a delay is what a timer knows: from 0 to 2147483647 ms", () => {
  for (const value of [0, 0.5, 1, 2 ** 31 - 1]) checkDelay("wait", "ms", value);
  for (const value of [-0.001, -1, 2 ** 31, Infinity, NaN]) {
    const need = `Cannot wait: ms must be a number from 0 to 2147483647, got ${value}`;
    assertThrows(() => checkDelay("wait", "ms", value), RangeError, need);
  }
  for (const value of ["1", null, undefined, 1n]) {
    assertThrows(() => checkDelay("wait", "ms", value), TypeError, "ms must be a number from 0 to");
  }
});

test("a signal is what has a state and takes listeners, of whatever realm", () => {
  const other = { aborted: false, addEventListener() {} };
  for (const value of [AbortSignal.abort(), new AbortController().signal, other]) {
    assertEquals(isSignal(value), true);
    checkSignal("wait", "signal", value);
  }
  const pretending = Object.create(AbortSignal.prototype);
  for (
    const value of [
      ...[null, undefined, 5, {}, pretending, { aborted: false }, { addEventListener() {} }],
      ...[{ aborted: 0, addEventListener() {} }, { aborted: true, addEventListener: 1 }],
    ]
  ) {
    assertEquals(isSignal(value), false);
    assertThrows(
      () => checkSignal("wait", "signal", value),
      TypeError,
      "Cannot wait: signal must be an AbortSignal, got ",
    );
  }
});

test("bytes are a Uint8Array, and are joined in order", () => {
  assertEquals(isBytes(new Uint8Array(1)), true);
  const forged = { [Symbol.toStringTag]: "Uint8Array", length: 1 };
  for (
    const value of [
      ...[null, undefined, 5, "a", [1], forged, new ArrayBuffer(1)],
      ...[new DataView(new ArrayBuffer(1)), new Uint8ClampedArray(1), new Uint16Array(1)],
    ]
  ) {
    assertEquals(isBytes(value), false);
  }
  const parts = [[1, 2], [], [3], [4, 5, 6]].map((part) => new Uint8Array(part));
  assertEquals(joinBytes(parts, 6), new Uint8Array([1, 2, 3, 4, 5, 6]));
  assertEquals(joinBytes([], 0), new Uint8Array());
});

test("what has a then that can be called must be awaited, be it a function", () => {
  const withThen = Object.assign(() => {}, { then() {} });
  for (const value of [Promise.resolve(), { then() {} }, withThen]) {
    assertEquals(isPromiseLike(value), true);
  }
  for (const value of [null, undefined, 5, "then", {}, () => {}, { then: 1 }]) {
    assertEquals(isPromiseLike(value), false);
  }
});
