import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { test } from "node:test";
import { carryError, reviveError } from "../../src/workers/carry_error.ts";

const carried = (thrown: unknown) => reviveError(structuredClone(carryError(thrown))) as Error;

test("an error of any name and any fields arrives as one", () => {
  for (const name of ["toString", "__proto__", "constructor", "hasOwnProperty", "", "TypeError"]) {
    const error = carried(Object.assign(new Error("no"), { name }));
    assertInstanceOf(error, Error);
    assertEquals([error.name, error.message], [name, "no"]);
  }
  const fields = JSON.parse('{ "__proto__": { "name": "other" }, "row": 5 }');
  const source = Object.defineProperties(new Error("no"), Object.getOwnPropertyDescriptors(fields));
  const error = carried(source);
  assert(Object.getPrototypeOf(error) === Error.prototype);
  assertEquals([error.name, (error as Error & { row: number }).row], ["Error", 5]);
});

test("what cannot be read or sent arrives as an error that says so", () => {
  const thrower = () => {
    throw new Error("no text");
  };
  for (
    const thrown of [
      Object.defineProperty(new Error(), "message", { get: thrower }),
      Object.assign(new Error(), { message: Object.create(null) }),
      Object.defineProperty(new Error(), "row", { get: thrower, enumerable: true }),
      new Proxy(new Error(), { get: thrower, getPrototypeOf: thrower }),
      new Error("outer", { cause: Object.defineProperty(new Error(), "name", { get: thrower }) }),
    ]
  ) {
    const error = carried(thrown);
    const { message } = error.message === "outer" ? error.cause as Error : error;
    assert(/^What was thrown cannot be (read|sent)/.test(message), message);
  }
  assertEquals(carried(Symbol("no")).message, "What was thrown cannot be sent: symbol");
  assertEquals(
    carried(Object.assign(new Error("no"), { constructor: { name: {} } })).message,
    "no",
  );
});
