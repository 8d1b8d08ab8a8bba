import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { readWhole } from "../../src/files/read_whole.ts";
import type { ServedFile } from "../../src/files/served_file.ts";

/** A file of the bytes 0 to 99, which gives at most 7 at a time, and says what was asked of it. */
function inPieces(failsAt = Infinity): { file: ServedFile; seen: string[] } {
  const seen: string[] = [];
  const file = {
    read(buffer: Uint8Array, position: number): Promise<number> {
      if (position >= failsAt) return Promise.reject(new Error("disk"));
      const count = Math.min(7, buffer.length);
      for (let i = 0; i < count; i++) buffer[i] = position + i;
      seen.push(`${count} at ${position}`);
      return Promise.resolve(count);
    },
    close: () => Promise.resolve(void seen.push("close")),
  };
  return { file: file as unknown as ServedFile, seen };
}

test("a range is read piece by piece, in its place, and the file closed", async () => {
  const { file, seen } = inPieces();
  const bytes = await readWhole(file, { start: 10, end: 30 });
  assertEquals([...bytes], Array.from({ length: 20 }, (_, i) => 10 + i));
  assertEquals(seen, ["7 at 10", "7 at 17", "6 at 24", "close"]);
});

test("a file that fails in the middle is closed, too", async () => {
  const { file, seen } = inPieces(17);
  await assertRejects(() => readWhole(file, { start: 10, end: 30 }), Error, "disk");
  assertEquals(seen, ["7 at 10", "close"]);
});

test("a file that cannot be closed fails the read, which waits for it", async () => {
  const { file } = inPieces();
  file.close = () => Promise.reject(new Error("network"));
  await assertRejects(() => readWhole(file, { start: 0, end: 5 }), Error, "network");
});

test("no read is asked for more than a gibibyte, and what is beyond it is read next", async () => {
  const gibibyte = 1024 ** 3;
  const asked: [length: number, position: number][] = [];
  const file = {
    // It writes nothing, so that the memory is promised and never used.
    read(buffer: Uint8Array, position: number): Promise<number> {
      asked.push([buffer.length, position]);
      return Promise.resolve(buffer.length);
    },
    close: () => Promise.resolve(),
  };
  await readWhole(file as unknown as ServedFile, { start: 3, end: gibibyte + 8 });
  assertEquals(asked, [[gibibyte, 3], [5, 3 + gibibyte]]);
});
