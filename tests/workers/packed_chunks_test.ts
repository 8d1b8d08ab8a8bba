import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { test } from "node:test";
import { carryError, reviveError } from "../../src/workers/carry_error.ts";
import { Buffer } from "node:buffer";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { packChunks, unpackChunks } from "../../src/workers/packed_chunks.ts";

/** As on its way to a thread. */
const sent = (chunks: readonly unknown[]) => unpackChunks(structuredClone(packChunks(chunks)));

test("texts and numbers come as they were, packed or not", () => {
  const random = seededRandom(7);
  const texts = ["", "a", "ü漢🚿", "\ud83d", "\ude00", "long ".repeat(50), "\u0000"];
  const numbers = [0, -0, NaN, Infinity, -Infinity, 1.5, 2 ** 53, Number.MIN_VALUE];
  const others = [null, undefined, 1n, true, { a: 1 }, new Uint8Array(3)];
  for (const kinds of [[texts], [numbers], [texts, numbers], [texts, others], [numbers, others]]) {
    for (let round = 0; round < 50; round++) {
      const all = kinds.flat();
      const chunks = Array.from(
        { length: Math.floor(random() * 30) },
        () => all[Math.floor(random() * all.length)],
      );
      const got = sent(chunks);
      assertEquals(got, chunks);
      assert(
        got.every((chunk, index) => Object.is(chunk, chunks[index]) || typeof chunk === "object"),
      );
    }
  }
});

test("many of a kind are sent as one", () => {
  assert(packChunks(Array(100).fill(1)) instanceof Float64Array);
  assertEquals(Object.keys(packChunks(Array(100).fill("a"))), ["text", "ends"]);
  assert(Array.isArray(packChunks(["a", "b"])));
  assert(Array.isArray(packChunks([...Array(100).fill("a"), 1])));
});

test("of a large buffer only what its views show is sent, each of its kind", () => {
  const buffer = new ArrayBuffer(5_000_000);
  new Uint8Array(buffer).set([1, 2, 3, 4, 5, 6, 7, 8]);
  const kinds = [
    Uint8Array,
    Int16Array,
    Uint8ClampedArray,
    Float64Array,
    BigInt64Array,
    DataView,
  ] as unknown as Uint8ArrayConstructor[];
  for (const count of [1, 3, 20]) {
    for (const kind of kinds) {
      const views = Array.from({ length: count }, () => new kind(buffer, 0, 1));
      // The same object twice, a view without a byte, and what is no view.
      const got = sent([...views, views[0], new Uint8Array(buffer, 9, 0), "text", null]);
      assertEquals(got.slice(-2), ["text", null]);
      for (const [index, view] of [...views, views[0]!].entries()) {
        const copy = got[index] as typeof view;
        assertEquals([copy.constructor, copy.buffer.byteLength], [kind, view.byteLength]);
        assertEquals(copy, new kind(buffer.slice(0, view.byteLength) as ArrayBuffer));
      }
      assert(got[0] === got[count]);
    }
  }
  class Own extends Uint8Array {
    override get [Symbol.toStringTag](): never {
      return "Own" as never;
    }
  }
  for (const view of [Buffer.from(buffer, 0, 8), new Own(buffer, 0, 8)]) {
    const [copy] = sent([view]) as [Uint8Array];
    assertEquals([copy.constructor, copy.buffer.byteLength], [Uint8Array, 8]);
  }
});

test("a buffer that is mostly seen, small or shared is sent as it is", () => {
  const whole = new Uint8Array(1_000_000);
  const rows = Array.from(
    { length: 100 },
    (_, index) => whole.subarray(index * 1e4, (index + 1) * 1e4),
  );
  const small = new Uint8Array(64).subarray(0, 8);
  for (const chunks of [[whole], rows, rows.slice(0, 60), [small], [whole, whole.subarray(0, 9)]]) {
    assertEquals(packChunks(chunks), chunks);
    assert((packChunks(chunks) as unknown[]).every((chunk, index) => chunk === chunks[index]));
  }
  const shared = new Uint8Array(new SharedArrayBuffer(1_000_000), 0, 8);
  assert((packChunks([shared]) as unknown[])[0] === shared);
});

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
