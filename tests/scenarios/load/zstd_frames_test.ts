import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { assertEquals } from "@std/assert";
import { ZstdFrames } from "../../../scenarios/load/command.ts";

function isWhole(bytes: Uint8Array, step: number): boolean {
  const frames = new ZstdFrames();
  for (let at = 0; at < bytes.length;) at += frames.take(bytes.subarray(at, at + step));
  return frames.isWhole;
}

/** Bytes that repeat little. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = state * 48271 % 2147483647) & 0xff);
}

test("ZstdFrames knows where frames end, however the bytes are cut", () => {
  const skippable = Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
  const empty = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0);
  for (const content of [noise(0), noise(1), noise(700), noise(300_000), new Uint8Array(300_000)]) {
    const frame = new Uint8Array(zstdCompressSync(content));
    for (const parts of [[frame], [frame, frame], [skippable, frame], [frame, empty, skippable]]) {
      const bytes = new Uint8Array(parts.flatMap((part) => [...part]));
      const ends = new Set([0]);
      let end = 0;
      for (const part of parts) ends.add(end += part.length);
      for (const step of [1, 7, 65_536]) assertEquals(isWhole(bytes, step), true);
      const stride = Math.max(1, Math.floor(bytes.length / 300));
      for (let length = 0; length < bytes.length; length += stride) {
        assertEquals(isWhole(bytes.subarray(0, length), 65_536), ends.has(length), `${length}`);
      }
    }
  }
});
