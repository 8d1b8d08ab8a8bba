import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { rechunk } from "../../src/stages/rechunk.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

test("rechunk() gives chunks of exactly that length, the last shorter, however they come", async () => {
  const all = Uint8Array.from({ length: 23 }, (_, n) => n);
  for (let length = 1; length <= 24; length++) {
    for (let step = 1; step <= 23; step++) {
      const chunks = [];
      for (let at = 0; at < 23; at += step) chunks.push(all.slice(at, at + step), bytes());
      const out = await run(chunks, rechunk(length));
      assertEquals(out.flatMap((chunk) => [...chunk]), [...all]);
      assertEquals(out.slice(0, -1).every((chunk) => chunk.length === length), true);
      assertEquals(out.length, Math.ceil(23 / length));
    }
  }
});

test("rechunk() gives nothing for nothing, and a chunk that fits as it is", async () => {
  assertEquals(await run([], rechunk(3)), []);
  assertEquals(await run([bytes()], rechunk(3)), []);
  const chunk = bytes(1, 2);
  assertEquals((await run([chunk], rechunk(2)))[0] === chunk, true);
});

test("rechunk() shares no memory that the source uses again, nor between chunks", async () => {
  const buffer = new Uint8Array(3);
  const source = function* () {
    for (let n = 1; n <= 3; n++) yield buffer.fill(n);
  };
  const out = await run(source(), rechunk(2));
  assertEquals(out.map((chunk) => [...chunk]), [[1, 1], [1, 2], [2, 2], [3, 3], [3]]);
  assertEquals(new Set(out.map(({ buffer }) => buffer)).size, out.length);
});

test("rechunk() takes Node's buffers, and refuses what are no bytes", async () => {
  const { Buffer } = await import("node:buffer");
  assertEquals((await run([Buffer.from("abc")], rechunk(2))).map((chunk) => chunk.length), [2, 1]);
  for (const chunk of ["text", null, new Uint16Array(1), [1]]) {
    const error = await errorOf(run([chunk as never], rechunk(2)));
    assertEquals(
      String((error as [unknown])[0]).startsWith("TypeError: Cannot rechunk: a chunk"),
      true,
    );
  }
});
