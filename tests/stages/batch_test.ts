import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batch } from "../../src/stages/batch.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const longMs = 1_000_000;

/** A native stream of the stage, with a default writer and reader at its ends. */
function open<T>(stage: Transformer<T, T[]>) {
  const { readable, writable } = new TransformStream(stage);
  return { defaultReader: readable.getReader(), defaultWriter: writable.getWriter() };
}

test("batch() gathers by count, and the rest at the end", async () => {
  assertEquals(await run([1, 2, 3, 4, 5], batch<number>(2)), [[1, 2], [3, 4], [5]]);
  assertEquals(await run([1, 2], batch<number>(2)), [[1, 2]]);
  assertEquals(await run([1, 2], batch<number>(1)), [[1], [2]]);
  assertEquals(await run([], batch<number>(2)), []);
});

test("batch() hands on what it has when maxWaitMs has passed since the first chunk", async () => {
  const { defaultReader, defaultWriter } = open(batch<number>(100, { maxWaitMs: 5 }));
  const first = defaultReader.read();
  await defaultWriter.write(1);
  await defaultWriter.write(2);
  assertEquals(await first, { done: false, value: [1, 2] });
  const second = defaultReader.read();
  await defaultWriter.write(3);
  assertEquals(await second, { done: false, value: [3] });
  await defaultWriter.close();
  assertEquals(await defaultReader.read(), { done: true, value: undefined });
});

test("batch() leaves no timer when it refuses a chunk", async () => {
  await withTimerCount(async (pending) => {
    const stage = batch<unknown>(100, { maxBytes: 10, maxWaitMs: longMs });
    const { defaultReader, defaultWriter } = open(stage);
    const read = errorOf(defaultReader.read());
    await defaultWriter.write("a");
    assertEquals(pending(), 1);
    assertEquals((await errorOf(defaultWriter.write({})))[0] instanceof TypeError, true);
    await Promise.all([read, ...[defaultWriter.closed, defaultReader.closed].map(errorOf)]);
    assertEquals(pending(), 0);
  });
});

test("batch() hands on before maxBytes are exceeded, and a chunk alone that exceeds them", async () => {
  const stage = () => batch<string>(100, { maxBytes: 4 });
  assertEquals(await run(["a", "b", "cd", "e"], stage()), [["a", "b", "cd"], ["e"]]);
  assertEquals(await run(["abc", "de", "f", "g"], stage()), [["abc"], ["de", "f", "g"]]);
  assertEquals(await run(["a", "bcdefg", "h"], stage()), [["a"], ["bcdefg"], ["h"]]);
  assertEquals(await run(["€", "é"], stage()), [["€"], ["é"]]);
  assertEquals(await run(["", "", "abcd", ""], stage()), [["", "", "abcd"], [""]]);
  assertEquals(await run(["a", "b", "c"], batch<string>(2, { maxBytes: 4 })), [["a", "b"], ["c"]]);
  const bytes = [3, 1, 2].map((length) => new Uint8Array(length));
  const out = await run(bytes, batch<Uint8Array>(100, { maxBytes: 4 }));
  assertEquals(out.map((chunks) => chunks.map(({ length }) => length)), [[3, 1], [2]]);
});

test("batch() with maxBytes refuses chunks that have no bytes", async () => {
  assertEquals(
    String((await errorOf(run([{}], batch<object>(2, { maxBytes: 4 }))))[0]),
    "TypeError: Cannot batch: with maxBytes, a chunk must be a Uint8Array or a string, got an object",
  );
});
