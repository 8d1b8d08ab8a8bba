import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ByteGatherer } from "../src/byte_gatherer.ts";
import { joinBytes } from "../src/is_bytes.ts";

test("what is gathered is what came, in memory of its own, however long each was", () => {
  for (const most of [1, 64, 70_000, Infinity]) {
    const bytes = new ByteGatherer(most);
    for (
      const lengths of [[], [0], [1], [64], [63, 1], [1, 64, 1], [4095, 4096, 5], [5, 65_536, 5]]
    ) {
      const parts = lengths.map((length, n) => new Uint8Array(length).fill(n + 1));
      const length = lengths.reduce((sum, one) => sum + one, 0);
      for (const part of parts) bytes.add(part);
      const expected = joinBytes(parts, length);
      assertEquals(bytes.length, length);
      for (const part of parts) part.fill(99);
      const whole = bytes.take();
      assertEquals([whole, whole.buffer.byteLength, bytes.length], [expected, length, 0]);
    }
    const reused = new Uint8Array(3);
    for (let n = 0; n < 50_000; n++) bytes.add(reused.fill(n));
    const whole = bytes.take();
    assertEquals(whole.length, 150_000);
    assertEquals(whole.every((byte, at) => byte === (Math.floor(at / 3) & 255)), true);
  }
});
