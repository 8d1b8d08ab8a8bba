import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  channel,
  concat,
  first,
  flatMap,
  fuse,
  last,
  merge,
  pipeline,
  reader,
  retry,
  take,
  tee,
  timeout,
  toArray,
  toBytes,
  toText,
  zip,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { removeNewerParts } from "./lib/remove_newer_parts.ts";

// This file has a process of its own.
removeNewerParts();

/** A stream of the chunks, that counts its pulls and remembers how it was cancelled. */
function streamOf<T>(chunks: readonly T[]) {
  let pulls = 0;
  const cancelReasons: unknown[] = [];
  const stream = new ReadableStream<T>({
    pull(controller) {
      if (pulls === chunks.length) controller.close();
      else controller.enqueue(chunks[pulls++]!);
    },
    cancel: (reason) => void cancelReasons.push(reason),
  }, { highWaterMark: 0 });
  return {
    stream,
    cancelReasons,
    get pulls() {
      return pulls;
    },
  };
}

async function gather<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  await pipeline(stream, (chunk) => void chunks.push(chunk));
  return chunks;
}

test("streams have neither iteration nor from() in this test, nor promises withResolvers()", () => {
  assertEquals(Symbol.asyncIterator in new ReadableStream(), false);
  assertEquals("from" in ReadableStream, false);
  assertEquals("withResolvers" in Promise, false);
  assertEquals("asyncDispose" in Symbol, false);
});

test("channel() waits for room, and says when there is some", async () => {
  const numbers = channel<number>({ highWaterMark: 1, overflow: "wait" });
  const sent = [numbers.send(1), numbers.send(2)];
  let isReady = false;
  const ready = numbers.ready.then(() => isReady = true);
  assertEquals(isReady, false);
  const reader = numbers.readable.getReader();
  assertEquals((await reader.read()).value, 1);
  assertEquals((await reader.read()).value, 2);
  await Promise.all([...sent, ready]);
});

test("a fused chain, and a run that a signal ends while its source hangs", async () => {
  const { readable, writable } = fuse(flatMap((n: number) => [n, n]));
  const writer = writable.getWriter();
  const written = [writer.write(1), writer.write(2), writer.close()];
  assertEquals(await toArray(readable), [1, 1, 2, 2]);
  await Promise.all(written);

  const controller = new AbortController();
  const run = pipeline(new ReadableStream<number>(), () => {}, { signal: controller.signal });
  controller.abort("why");
  assertEquals(await run.catch((reason: unknown) => reason), "why");
});

test("reader() reads a stream on demand, and cancels it with the reason", async () => {
  assertEquals(await gather(reader(streamOf([1, 2]).stream)), [1, 2]);
  const source = streamOf([1, 2, 3]);
  const defaultReader = reader(source.stream, { highWaterMark: 0 }).getReader();
  assertEquals(source.pulls, 0);
  assertEquals((await defaultReader.read()).value, 1);
  assertEquals(source.pulls, 1);
  await defaultReader.cancel("why");
  assertEquals([source.cancelReasons, source.stream.locked], [["why"], false]);
});

test("a stream's failure goes through reader(), and its lock is released", async () => {
  const failing = new ReadableStream<number>({
    pull() {
      throw undefined;
    },
  });
  let error: unknown = "none";
  await gather(reader(failing)).catch((reason) => error = reason);
  assertEquals([error, failing.locked], [undefined, false]);
});

for (const way of ["native", "fused", "run"] as const) {
  test(`flatMap() takes a stream for a result, ${way}`, async () => {
    const stage = flatMap((n: number): AsyncIterable<number> => streamOf([n, n * 10]).stream);
    const source = streamOf([1, 2]).stream;
    const chunks: number[] = [];
    const sink = (chunk: number) => void chunks.push(chunk);
    if (way === "run") await pipeline(source, stage, sink);
    else {
      const pair = way === "fused" ? fuse(stage) : new TransformStream(stage);
      await pipeline(source.pipeThrough(pair), sink);
    }
    assertEquals(chunks, [1, 10, 2, 20]);
  });
}

test("flatMap() cancels a stream that is not needed to its end", async () => {
  const inner = streamOf([1, 2, 3]);
  const chunks: number[] = [];
  await pipeline(
    [0],
    flatMap((): AsyncIterable<number> => inner.stream),
    take(1),
    (n) => void chunks.push(n),
  );
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  assertEquals([chunks, inner.cancelReasons.length, inner.stream.locked], [[1], 1, false]);
});

test("probe() wraps a stream as a source", async () => {
  const look = probe();
  const chunks: number[] = [];
  await pipeline(look.reader(streamOf([1, 2]).stream), (n: number) => void chunks.push(n));
  assertEquals(chunks, [1, 2]);
  assert(look.events().some(({ event }) => event === "read"));
});

test("all joins read streams, and what has a body", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  assertEquals(await gather(concat(streamOf([1]).stream, () => streamOf([2]).stream)), [1, 2]);
  assertEquals((await gather(merge(streamOf([1]).stream, streamOf([2]).stream))).sort(), [1, 2]);
  assertEquals(await gather(zip(streamOf([1]).stream, streamOf([2]).stream)), [[1, 2]]);
  const branches = tee(streamOf([1, 2]).stream, 2);
  assertEquals(await Promise.all(branches.map(gather)), [[1, 2], [1, 2]]);
  assertEquals(await gather(timeout(streamOf([1]).stream, { idleMs: 10_000 })), [1]);
  assertEquals(await gather(retry(() => streamOf([1]).stream)), [1]);
  const body = concat(new Blob(["a"]), new Response("b"), new Response(null));
  assertEquals(
    (await gather(body)).map((chunk) => [...chunk]),
    ["a", "b"].map((text) => [...bytes(text)]),
  );
});

test("all ends read streams", async () => {
  assertEquals(await toArray(streamOf([1, 2]).stream), [1, 2]);
  assertEquals(await first(streamOf([1, 2]).stream), 1);
  assertEquals(await last(streamOf([1, 2]).stream), 2);
  assertEquals(await toText(streamOf(["a", "b"]).stream), "ab");
  assertEquals(await toText(new Response("a")), "a");
  assertEquals([...await toBytes(new Blob(["a"]))], [97]);
});
