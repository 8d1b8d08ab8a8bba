import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { seededRandom } from "../../bench/results/seeded_random.ts";
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
