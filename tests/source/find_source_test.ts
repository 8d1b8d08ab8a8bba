import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { findSource } from "../../src/source/find_source.ts";

const find = (source: unknown) => findSource("test", source, "source");

/** All that a source gives, asked as a pipeline asks it. */
async function read(source: unknown): Promise<unknown[]> {
  const opened = find(source)!.open();
  const chunks: unknown[] = [];
  while (true) {
    const { done, value } = "iterator" in opened ? opened.iterator.next() : await opened.next();
    if (done) return chunks;
    chunks.push(value);
  }
}

test("each kind of source is found, and gives its chunks", async () => {
  const text = (chunks: unknown[]) => new TextDecoder().decode(chunks[0] as Uint8Array);
  assertEquals(await read([1, 2]), [1, 2]);
  assertEquals(await read(new Set([1, 2])), [1, 2]);
  assertEquals(
    await read(async function* () {
      yield 1;
    }()),
    [1],
  );
  assertEquals(await read(ReadableStream.from([1, 2])), [1, 2]);
  assertEquals(text(await read(new Blob(["ab"]))), "ab");
  assertEquals(text(await read(new Response("ab"))), "ab");
  assertEquals(await read(new Response(null)), []);
  for (const none of [5, null, undefined, {}, () => {}, Promise.resolve([])]) {
    assertEquals(find(none), undefined);
  }
});

test("chunks that are there at once can be had at once, and others cannot", () => {
  const promised = Object.assign([1], {
    async *[Symbol.asyncIterator]() {},
  });
  for (const source of [[1], new Set([1]), new Map()]) {
    assertEquals(find(source)!.isAsync, false);
  }
  for (const source of [promised, new ReadableStream(), new Response("a"), new Blob()]) {
    assertEquals(find(source)!.isAsync, true);
  }
});

test("a source is asked once how it is iterated, and no more when it is opened", async () => {
  let asked = 0;
  const source = {
    get [Symbol.asyncIterator]() {
      asked++;
      return async function* () {
        yield 1;
      };
    },
  };
  const found = find(source)!;
  assertEquals(asked, 1);
  found.open();
  assertEquals(asked, 1);
  assertEquals(await read(source), [1]);
});

test("what is locked or was read is refused, and nothing is locked before it is opened", async () => {
  const stream = new ReadableStream();
  const found = find(stream)!;
  assertEquals([found.stream === stream, stream.locked], [true, false]);
  found.open();
  assertEquals(stream.locked, true);
  assertThrows(() => find(stream), TypeError, "Cannot test: source is locked to another reader");
  const response = new Response("a");
  await response.text();
  assertThrows(
    () => find(response),
    TypeError,
    "Cannot test: the body of source has been read already",
  );
});
