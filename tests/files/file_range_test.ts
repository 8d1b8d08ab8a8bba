import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { virtualTime } from "@hosepipe/streams/testing";
import { reader } from "../../src/sources/reader.ts";
import type { SentFile } from "../../src/files/sent_file.ts";
import { FileRange } from "../../src/files/file_range.ts";
import type { ServedFile } from "../../src/files/served_file.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);

/** A file in memory that counts; one read gives at most `most` bytes, as a system may. */
function countedFile(most = Infinity) {
  const counts = { reads: 0, closes: 0 };
  const file = {
    read(buffer: Uint8Array, position: number) {
      counts.reads++;
      if (counts.closes > 0) return Promise.reject(new Error("closed"));
      const part = bytes.subarray(position, position + Math.min(buffer.length, most));
      buffer.set(part);
      return Promise.resolve(part.length);
    },
    close() {
      counts.closes = 1;
      return Promise.resolve();
    },
  };
  return { counts, file: file as unknown as ServedFile };
}

const options = { chunkSize: 100, idleTimeoutMs: 60_000 };

test("a range is read chunk by chunk, each when it is asked for", async () => {
  const { counts, file } = countedFile();
  const stream = reader(new FileRange(file, { start: 150, end: 420 }, options), {
    highWaterMark: 0,
  });
  const defaultReader = stream.getReader();
  await turns();
  assertEquals(counts, { reads: 0, closes: 0 }, "nobody has asked");
  const lengths: number[] = [];
  for (;;) {
    const { done, value } = await defaultReader.read();
    if (done) break;
    assertEquals(
      value,
      bytes.slice(150 + 100 * lengths.length, Math.min(250 + 100 * lengths.length, 420)),
    );
    lengths.push(value.length);
    assertEquals(counts, { reads: lengths.length, closes: lengths.length === 3 ? 1 : 0 });
  }
  assertEquals(lengths, [100, 100, 70]);
  assertEquals(counts, { reads: 3, closes: 1 });
});

test("a read that gives less than was asked for is followed up, never past the end", async () => {
  const { counts, file } = countedFile(7);
  const parts = await Array.fromAsync(new FileRange(file, { start: 10, end: 60 }, options));
  assertEquals(parts.flatMap((part) => [...part]), [...bytes.slice(10, 60)]);
  assertEquals(counts, { reads: 8, closes: 1 });
});

test("cancelling closes the file, and reads no more", async () => {
  const { counts, file } = countedFile();
  const stream = reader(new FileRange(file, { start: 0, end: 1000 }, options), {
    highWaterMark: 0,
  });
  const defaultReader = stream.getReader();
  await defaultReader.read();
  await defaultReader.cancel("enough");
  assertEquals(counts, { reads: 1, closes: 1 });
});

test("a file nobody asks of any more is closed, and the next read fails", async () => {
  const { counts, file } = countedFile();
  const range = new FileRange(file, { start: 0, end: 1000 }, { chunkSize: 100, idleTimeoutMs: 20 });
  await range.next();
  // The timer lets the process end, so something else must keep it.
  await until(() => counts.closes > 0);
  assertEquals(counts, { reads: 1, closes: 1 });
  await assertRejects(() => range.next(), Error, "no chunk was asked for in 20 ms");
});

test("memory is filled again only when it is free", async () => {
  const buffersOf = async (isFree?: () => boolean) => {
    const { file } = countedFile();
    const seen = new Set<ArrayBuffer>();
    for await (
      const chunk of new FileRange(file, { start: 0, end: 1000 }, { ...options, isFree })
    ) {
      seen.add(chunk.buffer);
    }
    return seen.size;
  };
  assertEquals(await buffersOf(), 10);
  assertEquals(await buffersOf(() => false), 10);
  assertEquals(await buffersOf(() => true), 1);

  const { file } = countedFile();
  const range = new FileRange(file, { start: 0, end: 300 }, options);
  const first = (await range.next()).value!;
  const second = (await range.next()).value!;
  assert(first.buffer !== second.buffer);
  range.release(first);
  assert((await range.next()).value!.buffer === first.buffer);
});

test("a reader that asks now and then is not idle, nor is one whose disk is slow", async () => {
  await using time = virtualTime();
  const { counts, file } = countedFile();
  const slow = {
    read: async (buffer: Uint8Array, position: number) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return file.read(buffer, position);
    },
    close: () => file.close(),
  } as unknown as ServedFile;
  let idles = 0;
  const range = new FileRange(slow, { start: 0, end: 300 }, {
    ...{ chunkSize: 100, idleTimeoutMs: 200, onIdle: () => idles++ },
  });
  for (let count = 0; count < 3; count++) {
    assertEquals((await time.run(range.next())).value?.length, 100);
    if (count < 2) await time.run(new Promise((resolve) => setTimeout(resolve, 150)));
  }
  assertEquals([counts.closes, idles], [1, 0]);
});

test("who asks is told of a read that failed, once, and of the bytes that were handed on", async () => {
  const failure = { code: "EIO" };
  const told: unknown[] = [];
  const { file } = countedFile();
  let reads = 0;
  const failing = {
    read: (buffer: Uint8Array, position: number) =>
      reads++ === 1 ? Promise.reject(failure) : file.read(buffer, position),
    close: () => file.close(),
  } as unknown as ServedFile;
  const range = new FileRange(failing, { start: 0, end: 300 }, {
    ...options,
    onError: (error) => told.push(error),
    onEnd: (sent) => told.push(sent),
  });
  await range.next();
  assertEquals(await range.next().catch((error) => error === failure), true);
  await range.return();
  assertEquals(told, [failure, 100]);
});

test("with 256 ranges under way those that begin are read in smaller chunks", async () => {
  const largest = { buffer: 0 };
  const file = {
    read(buffer: Uint8Array) {
      largest.buffer = buffer.length;
      return Promise.resolve(buffer.length);
    },
    close: () => Promise.resolve(),
  } as unknown as SentFile;
  const begin = () =>
    new FileRange(file, { start: 0, end: 2 ** 20 }, { chunkSize: 2 ** 18, idleTimeoutMs: 1e6 });
  const chunkOf = async (range: FileRange) => {
    await range.next();
    return largest.buffer;
  };
  const open = Array.from({ length: 256 }, begin);
  assertEquals(await chunkOf(open.at(-1)!), 2 ** 18);
  const more = begin();
  assertEquals(await chunkOf(more), 2 ** 16);
  await Promise.all([...open, more].map((range) => range.return()));
  const later = begin();
  assertEquals(await chunkOf(later), 2 ** 18);
  await later.return();
});
