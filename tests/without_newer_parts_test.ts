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

const gather = toArray as <T>(stream: ReadableStream<T>) => Promise<T[]>;
const twice = (n: number): AsyncIterable<number> => streamOf([n, n * 10]).stream;
const bodies = () => concat(new Blob(["a"]), new Response("b"), new Response(null));
const branches = () => tee(streamOf([1, 2]).stream, 2).map((branch) => toArray(branch));
const sorted = async (numbers: Promise<number[]>) => (await numbers).sort();

const runs: Readonly<Record<string, [run: () => unknown, expected: unknown]>> = {
  "flatMap, native": [
    () => gather(streamOf([1, 2]).stream.pipeThrough(new TransformStream(flatMap(twice)))),
    [1, 10, 2, 20],
  ],
  "flatMap, fused": [() => gather(streamOf([1, 2]).stream.pipeThrough(fuse(flatMap(twice)))), [
    1,
    10,
    2,
    20,
  ]],
  "flatMap, run": [() => toArray(streamOf([1, 2]).stream, flatMap(twice)), [1, 10, 2, 20]],
  "fuse": [() => gather(streamOf([1]).stream.pipeThrough(fuse(flatMap((n: number) => [n, n])))), [
    1,
    1,
  ]],
  "reader": [() => gather(reader(streamOf([1, 2]).stream)), [1, 2]],
  "concat": [() => gather(concat(streamOf([1]).stream, () => streamOf([2]).stream)), [1, 2]],
  "concat of bodies": [() => toText(bodies()), "ab"],
  "merge": [() => sorted(gather(merge(streamOf([1]).stream, streamOf([2]).stream))), [1, 2]],
  "zip": [() => gather(zip(streamOf([1]).stream, streamOf([2]).stream)), [[1, 2]]],
  "tee": [() => Promise.all(branches()), [[1, 2], [1, 2]]],
  "timeout": [() => gather(timeout(streamOf([1]).stream, { idleMs: 10_000 })), [1]],
  "retry": [() => gather(retry(() => streamOf([1]).stream)), [1]],
  "first": [() => first(streamOf([1, 2]).stream), 1],
  "last": [() => last(streamOf([1, 2]).stream), 2],
  "toText": [() => toText(streamOf(["a", "b"]).stream), "ab"],
  "toText of a body": [() => toText(new Response("a")), "a"],
  "toBytes of a body": [() => toBytes(new Blob(["a"])), Uint8Array.of(97)],
};

for (const [name, [run, expected]] of Object.entries(runs)) {
  test(`${name} reads streams that have no newer parts`, async () => {
    assertEquals(await run(), expected);
  });
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

test("a signal ends a run while its source hangs", async () => {
  const controller = new AbortController();
  const run = pipeline(new ReadableStream<number>(), () => {}, { signal: controller.signal });
  controller.abort("why");
  assertEquals(await run.catch((reason: unknown) => reason), "why");
});

test("reader() reads a stream on demand, cancels it with the reason, and fails as it does", async () => {
  const source = streamOf([1, 2, 3]);
  const defaultReader = reader(source.stream, { highWaterMark: 0 }).getReader();
  assertEquals(source.pulls, 0);
  assertEquals((await defaultReader.read()).value, 1);
  assertEquals(source.pulls, 1);
  await defaultReader.cancel("why");
  assertEquals([source.cancelReasons, source.stream.locked], [["why"], false]);
  const failing = new ReadableStream<number>({
    start: (controller) => controller.error(undefined),
  });
  assertEquals(await gather(reader(failing)).catch((reason) => [reason]), [undefined]);
  assertEquals(failing.locked, false);
});

test("flatMap() cancels a stream that is not needed to its end", async () => {
  const inner = streamOf([1, 2, 3]);
  assertEquals(await toArray([0], flatMap((): AsyncIterable<number> => inner.stream), take(1)), [
    1,
  ]);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  assertEquals([inner.cancelReasons.length, inner.stream.locked], [1, false]);
});

test("probe() wraps a stream as a source", async () => {
  const look = probe();
  assertEquals(await toArray(look.reader(streamOf([1, 2]).stream)), [1, 2]);
  assert(look.events().some(({ event }) => event === "read"));
});
