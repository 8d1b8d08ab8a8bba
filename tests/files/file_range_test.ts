import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { virtualTime } from "@hosepipe/streams/testing";
import { reader } from "../../src/sources/reader.ts";
import { readSettings, serveModes } from "../../src/files/read_settings.ts";
import { readWhole, type SentFile } from "../../src/files/sent_file.ts";
import { webHandler } from "../../src/files/web_handler.ts";
import { FileRange } from "../../src/files/file_range.ts";
import type { ServedFile } from "../../src/files/served_file.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);

/** A file in memory that notes what is asked; one read gives at most `most` bytes, as a system may. */
function countedFile(
  { most = Infinity, failsAt = Infinity, failure = new Error("disk") as unknown } = {},
) {
  const asked: [position: number, length: number][] = [];
  const counts = { closes: 0 };
  const file = {
    facts: { size: bytes.length },
    read(buffer: Uint8Array, position: number) {
      asked.push([position, buffer.length]);
      if (counts.closes > 0) return Promise.reject(new Error("closed"));
      if (position >= failsAt) return Promise.reject(failure);
      const part = bytes.subarray(position, position + Math.min(buffer.length, most));
      buffer.set(part);
      return Promise.resolve(part.length);
    },
    close: () => Promise.resolve(void counts.closes++),
  };
  return { asked, counts, file: file as unknown as ServedFile };
}

const options = { chunkSize: 100, idleTimeoutMs: 60_000 };

test("a range is read chunk by chunk, each when it is asked for", async () => {
  const { asked, counts, file } = countedFile();
  const stream = reader(new FileRange(file, { start: 150, end: 420 }, options), {
    highWaterMark: 0,
  });
  const defaultReader = stream.getReader();
  await turns();
  assertEquals([asked, counts.closes], [[], 0], "nobody has asked");
  const lengths: number[] = [];
  for (;;) {
    const { done, value } = await defaultReader.read();
    if (done) break;
    assertEquals(
      value,
      bytes.slice(150 + 100 * lengths.length, Math.min(250 + 100 * lengths.length, 420)),
    );
    lengths.push(value.length);
    assertEquals([asked.length, counts.closes], [lengths.length, lengths.length === 3 ? 1 : 0]);
  }
  assertEquals(lengths, [100, 100, 70]);
  assertEquals([asked.length, counts.closes], [3, 1]);
});

test("a read that gives less than was asked for is followed up, never past the end, and the file closed", async () => {
  const range = { start: 10, end: 30 };
  const chunked = countedFile({ most: 7 });
  const parts = await Array.fromAsync(new FileRange(chunked.file, range, options));
  const whole = countedFile({ most: 7 });
  const all = await readWhole(whole.file, range);
  for (
    const [found, { asked, counts }] of [[parts.flatMap((part) => [...part]), chunked], [
      [...all],
      whole,
    ]] as const
  ) {
    assertEquals(found, [...bytes.slice(10, 30)]);
    assertEquals(asked, [[10, 20], [17, 13], [24, 6]]);
    assertEquals(counts.closes, 1);
  }
});

test("what is read whole fails with its file, which is closed, and with that", async () => {
  const { asked, counts, file } = countedFile({ most: 7, failsAt: 17 });
  await assertRejects(() => readWhole(file, { start: 10, end: 30 }), Error, "disk");
  assertEquals([asked.length, counts.closes], [2, 1]);
  const other = countedFile();
  other.file.close = () => Promise.reject(new Error("network"));
  await assertRejects(() => readWhole(other.file, { start: 0, end: 5 }), Error, "network");
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

for (const mode of serveModes) {
  test(`a short range of a long file reads ${mode === "stream" ? "that alone" : "all"}: ${mode}`, async () => {
    const { asked, counts, file } = countedFile();
    const body = { file, range: { start: 500, end: 510 } };
    const answer = () => Promise.resolve({ status: 206, headers: {}, body });
    const handler = webHandler(answer, readSettings("send file", { mode }, "function", false), {});
    const response = await handler(new Request("http://localhost/a"));
    assertEquals([response.status, await response.bytes()], [206, bytes.slice(500, 510)]);
    assertEquals([asked, counts.closes], [[mode === "stream" ? [500, 10] : [0, 1000]], 1]);
  });
}

test("cancelling closes the file, and reads no more", async () => {
  const { asked, counts, file } = countedFile();
  const range = new FileRange(file, { start: 0, end: 1000 }, options);
  const defaultReader = reader(range, { highWaterMark: 0 }).getReader();
  await defaultReader.read();
  await defaultReader.cancel("enough");
  assertEquals([asked.length, counts.closes], [1, 1]);
});

test("a file nobody asks of any more is closed, and the next read fails", async () => {
  const { asked, counts, file } = countedFile();
  const range = new FileRange(file, { start: 0, end: 1000 }, { chunkSize: 100, idleTimeoutMs: 20 });
  await range.next();
  // The timer lets the process end, so something else must keep it.
  await until(() => counts.closes > 0);
  assertEquals([asked.length, counts.closes], [1, 1]);
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
  const { file } = countedFile({ failsAt: 100, failure });
  const range = new FileRange(file, { start: 0, end: 300 }, {
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
