import { test } from "node:test";
import { Readable, Writable } from "node:stream";
import { assertEquals, assertThrows } from "@std/assert";
import { checkSignal, isSignal } from "../src/check_signal.ts";
import { checkInteger, describeValue } from "../src/errors.ts";
import { isPromiseLike } from "../src/is_promise_like.ts";

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

test("what has a then that can be called must be awaited, be it a function", () => {
  const withThen = Object.assign(() => {}, { then() {} });
  for (const value of [Promise.resolve(), { then() {} }, withThen]) {
    assertEquals(isPromiseLike(value), true);
  }
  for (const value of [null, undefined, 5, "then", {}, () => {}, { then: 1 }]) {
    assertEquals(isPromiseLike(value), false);
  }
});

test("a value is described by what it is, in a few words", () => {
  const bare = Object.create(null);
  for (
    const [value, text] of [
      ["a\n", '"a\\n"'],
      ["", '""'],
      [5, "5"],
      [NaN, "NaN"],
      [10n, "10n (a BigInt)"],
      [true, "true"],
      [null, "null"],
      [undefined, "undefined"],
      [Symbol("s"), "Symbol(s)"],
      [() => {}, "a function"],
      [class {}, "a function"],
      [[1], "an array"],
      [Promise.resolve(), "a promise"],
      [{ then() {} }, "a promise"],
      [{ then: 5 }, "an object"],
      [{}, "an object"],
      [bare, "an object"],
      [{ [Symbol.toStringTag]: "" }, "an object"],
      [{ [Symbol.toStringTag]: 5 }, "an object"],
      [new Date(0), "an object"],
      [new Map(), "a Map"],
      [new Uint8Array(), "a Uint8Array"],
      [new Int8Array(), "an Int8Array"],
      [new ArrayBuffer(1), "an ArrayBuffer"],
      [new AbortController().signal, "an AbortSignal"],
      [new ReadableStream(), "a ReadableStream"],
      [Readable.from([]), "a Node stream"],
      [new Writable(), "a Node stream"],
      [{ pipe() {}, on() {} }, "a Node stream"],
      [{ cork() {}, on() {} }, "a Node stream"],
      [{ on() {} }, "an object"],
      [{ pipe() {} }, "an object"],
      [{ pipe: 1, cork: 1, on: 1 }, "an object"],
    ] as const
  ) {
    assertEquals(describeValue(value), text);
  }
});

test("an integer is at least what it must be, exact, and infinite only where that is allowed", () => {
  const check = (value: unknown, minimum: 0 | 1, unbounded?: boolean) => () =>
    checkInteger("run", "count", value, minimum, unbounded);
  for (const value of [1, 2, Number.MAX_SAFE_INTEGER]) {
    for (const minimum of [0, 1] as const) check(value, minimum)();
  }
  check(0, 0)();
  check(Infinity, 1, true)();
  check(Infinity, 0, true)();
  for (const value of [0, -1, 1.5, NaN, -Infinity, Infinity, 2 ** 53]) {
    const text = `Cannot run: count must be a positive integer, got ${value}`;
    assertThrows(check(value, 1), RangeError, text);
    if (value !== Infinity) assertThrows(check(value, 1, true), RangeError, text);
  }
  for (const value of [-1, 0.5, NaN, Infinity]) {
    const text = `Cannot run: count must be a non-negative integer, got ${value}`;
    assertThrows(check(value, 0), RangeError, text);
  }
  for (const value of ["1", null, undefined, 1n, {}]) {
    assertThrows(check(value, 1), TypeError, "Cannot run: count must be a positive integer, got ");
    assertThrows(check(value, 0, true), TypeError, "must be a non-negative integer, got ");
  }
});
