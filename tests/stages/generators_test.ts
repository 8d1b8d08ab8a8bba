import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { compose, first, fuse, map, pipeline, stage, tap, toArray } from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { from } from "../lib/from.ts";

async function* doubled(source: AsyncIterable<number>) {
  for await (const n of source) yield n * 2;
}

/** Says how it ends. */
function noting(notes: string[]) {
  return async function* (source: AsyncIterable<number>) {
    try {
      for await (const n of source) yield n;
      notes.push("end");
    } catch (reason) {
      notes.push(`caught ${reason}`);
      throw reason;
    } finally {
      await undefined;
      notes.push("finally");
    }
  };
}

test("a generator is resumed only as chunks are wanted", async () => {
  const steps: string[] = [];
  const { readable, writable } = fuse(async function* (source: AsyncIterable<number>) {
    steps.push("begin");
    for await (const n of source) {
      for (let i = 0; i < 2; i++) {
        steps.push(`yield ${n}.${i}`);
        yield n + i / 10;
      }
    }
    steps.push("end");
  });
  const target = writable.getWriter();
  const output = readable.getReader();
  const settled: string[] = [];
  void target.write(1).then(() => settled.push("first"));
  void target.write(2).then(() => settled.push("second"));
  void target.close().then(() => settled.push("close"));
  await turns();
  assertEquals([steps, settled], [[], []]);
  assertEquals(await output.read(), { done: false, value: 1 });
  await turns();
  assertEquals([steps, settled], [["begin", "yield 1.0"], []]);
  assertEquals(await output.read(), { done: false, value: 1.1 });
  await turns();
  assertEquals([steps.at(-1), settled], ["yield 1.1", []]);
  // It asks for another when it is resumed, which ends the first write.
  assertEquals(await output.read(), { done: false, value: 2 });
  await turns();
  assertEquals([steps.at(-1), settled], ["yield 2.0", ["first"]]);
  assertEquals(await output.read(), { done: false, value: 2.1 });
  assertEquals((await output.read()).done, true);
  await turns();
  assertEquals([steps.at(-1), settled], ["end", ["first", "second", "close"]]);
});

test("finally runs on every ending, and what is waited for of the source fails with the reason", async () => {
  const reason = new Error("x");
  const fail = (): never => {
    throw reason;
  };
  const failing = function* () {
    yield 1;
    fail();
  };
  const abort = new AbortController();
  const { signal } = abort;
  const never = new ReadableStream<number>({ start: (controller) => controller.enqueue(1) });
  const abortLater = () => void turns().then(() => abort.abort(reason));
  const cancelled = async (pair: ReadableWritablePair<number, number>) => {
    const reader = from([1, 2]).pipeThrough(pair).getReader();
    await reader.read();
    await reader.cancel(reason);
  };
  const caught = ["caught Error: x", "finally"];
  type Noting = ReturnType<typeof noting>;
  const runs: Record<string, [run: (it: Noting) => Promise<unknown>, notes: string[]]> = {
    "the end": [(it) => toArray([1], it), ["end", "finally"]],
    "an early end after it": [(it) => first([1, 2], it), ["finally"]],
    "a failing sink": [(it) => pipeline([1, 2], it, fail), ["finally"]],
    "a failing stage after it": [(it) => toArray([1, 2], it, map(fail)), ["finally"]],
    "a failing source": [(it) => toArray(failing(), it), caught],
    "a failing stage before it": [
      (it) => toArray([1, 2], tap((n) => n === 2 && fail()), it),
      caught,
    ],
    "an abort": [(it) => pipeline(never, it, abortLater, { signal }), caught],
    "a cancel of fuse": [(it) => cancelled(fuse(it)), ["finally"]],
    "a cancel natively": [(it) => cancelled(new TransformStream(stage(it))), caught],
  };
  for (const [name, [run, expected]] of Object.entries(runs)) {
    const notes: string[] = [];
    const error = await errorOf(run(noting(notes)));
    if (error !== "none") assertEquals(error, [reason], name);
    await turns();
    assertEquals(notes, expected, name);
  }
});

test("a generator may give by a clock of its own while it waits for its source", async () => {
  let push!: (n: number | undefined) => void;
  const source = new ReadableStream<number>({
    start: (controller) => {
      push = (n) => n === undefined ? controller.close() : controller.enqueue(n);
    },
  });
  let beat!: () => void;
  const beating = async function* (chunks: AsyncIterableIterator<number>) {
    let asked = chunks.next();
    while (true) {
      const beats = new Promise<"beat">((resolve) => beat = () => resolve("beat"));
      const winner = await Promise.race([asked, beats]);
      if (winner === "beat") yield "beat";
      else if (winner.done) return;
      else {
        yield winner.value;
        asked = chunks.next();
      }
    }
  };
  const written: unknown[] = [];
  const run = pipeline(source, beating, (chunk) => void written.push(chunk));
  await turns();
  beat();
  await turns();
  beat();
  await turns();
  assertEquals(written, ["beat", "beat"]);
  push(1);
  await turns();
  beat();
  await turns();
  push(undefined);
  await run;
  assertEquals(written, ["beat", "beat", 1, "beat"]);
});

test("a source that is asked several times at once gives in order", async () => {
  const pairs = async function* (source: AsyncIterableIterator<number>) {
    while (true) {
      const both = await Promise.all([source.next(), source.next()]);
      const values = both.filter(({ done }) => !done).map(({ value }) => value);
      if (values.length > 0) yield values;
      if (both[1]!.done) return;
    }
  };
  assertEquals(await toArray([1, 2, 3, 4, 5], pairs), [[1, 2], [3, 4], [5]]);
});

test("an iterator that uses one result again and again gives each chunk to a generator behind it", async () => {
  const reusing = stage((source: AsyncIterableIterator<number>) => {
    const shared = { done: false, value: 0 };
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const { done, value } = await source.next();
          shared.done = done === true;
          if (!done) shared.value = value * 2;
          return shared as IteratorResult<number>;
        },
      }),
    };
  });
  const expected = [2, 4, 6, 8, 10].map((n) => n * 2);
  assertEquals(await toArray([1, 2, 3, 4, 5], reusing, doubled), expected);
  assertEquals(await toArray([1, 2, 3, 4, 5], doubled, reusing), expected);
});

test("neighbouring generators work at once, each on a chunk of its own, and one chunk ahead at most", async () => {
  const steps: string[] = [];
  const waits: Record<string, (() => void)[]> = { a: [], b: [], c: [] };
  const slow = (name: string) =>
    async function* (source: AsyncIterable<number>) {
      for await (const n of source) {
        steps.push(`${name}${n}`);
        await new Promise<void>((resolve) => waits[name]!.push(resolve));
        yield n;
      }
    };
  const source = countedSource({ chunk: (n) => n, length: 9 });
  const written: number[] = [];
  const run = pipeline(
    source.readable as ReadableStream<number>,
    slow("a"),
    slow("b"),
    slow("c"),
    (n) => void written.push(n),
  );
  const goOn = async (...names: string[]) => {
    for (const name of names) waits[name]!.shift()!();
    await turns();
  };
  await turns();
  await goOn("a");
  await goOn("a", "b");
  // All three wait, each in a chunk of its own.
  assertEquals(steps, ["a0", "b0", "a1", "c0", "b1", "a2"]);
  await goOn("a");
  await goOn("b");
  // What was given waits, and nobody reads ahead of that.
  assertEquals([steps.length, written, source.readCount], [6, [], 3]);
  await goOn("c");
  assertEquals(steps.slice(6), ["c1", "b2", "a3"]);
  while (written.length < 9) {
    for (const name of "abc") if (waits[name]!.length > 0) await goOn(name);
  }
  await run;
  assertEquals(written, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

for (
  const [name, before] of [["the first stage", []], ["behind another", [stage(doubled)]]] as const
) {
  test(`a source that fails while a generator works, ${name}, waits until that asks again`, async () => {
    const reason = new Error("gone");
    let controller!: ReadableStreamDefaultController<number>;
    const source = new ReadableStream<number>({ start: (made) => void (controller = made) });
    const waits: (() => void)[] = [];
    const twice = stage(async function* (chunks: AsyncIterable<number>) {
      for await (const n of chunks) {
        yield n;
        await new Promise<void>((resolve) => waits.push(resolve));
        yield n * 10;
      }
    });
    const written: number[] = [];
    const run = errorOf(
      pipeline(source, compose([...before, twice]), (n) => void written.push(n)),
    );
    controller.enqueue(1);
    await turns();
    waits.shift()!();
    await turns();
    controller.enqueue(2);
    await turns();
    controller.error(reason);
    await turns();
    const times = before.length + 1;
    assertEquals(written, [1, 10, 2].map((n) => n * times));
    waits.shift()!();
    assertEquals(await run, [reason]);
    assertEquals(written, [1, 10, 2, 20].map((n) => n * times));
  });
}

type Make = (transformer: Transformer) => ReadableWritablePair<unknown, unknown>;

const noRoom = { highWaterMark: 0 };
const ways: Record<string, Make> = {
  native: (transformer) => new TransformStream(transformer, {}, noRoom),
  fused: (transformer) => fuse(transformer, { readableStrategy: noRoom }),
};

/** Gives no chunk, or what is thrown. */
function ending(failure?: string) {
  return stage(async function* (source: AsyncIterable<unknown>) {
    for await (const _ of source);
    if (failure !== undefined) throw failure;
    yield* [];
  });
}

for (const [way, make] of Object.entries(ways)) {
  test(`${way}: a generator that ends ends its stream, though nothing is read`, async () => {
    const { readable, writable } = make(ending());
    const reader = readable.getReader();
    await writable.close();
    assertEquals(await errorOf(reader.closed), "none");
    assertEquals(await reader.read(), { done: true, value: undefined });
  });

  test(`${way}: a generator that throws at its end fails its stream, though nothing is read`, async () => {
    const { readable, writable } = make(ending("failed"));
    const closed = errorOf(readable.getReader().closed);
    assertEquals(await errorOf(writable.close()), ["failed"]);
    assertEquals(await closed, ["failed"]);
  });

  test(`${way}: an empty source is piped through a generator into a sink without room`, async () => {
    const source = new ReadableStream({ start: (controller) => controller.close() });
    await source.pipeThrough(make(ending())).pipeTo(new WritableStream({}, noRoom));
  });

  test(`${way}: a generator that gives behind its source is one chunk ahead of who reads`, async () => {
    let count = 0;
    const { readable, writable } = make(stage(async function* (source: AsyncIterable<unknown>) {
      for await (const _ of source);
      for (;;) yield ++count;
    }));
    writable.close().catch(() => {});
    const reader = readable.getReader();
    for (let read = 1; read <= 3; read++) {
      assertEquals((await reader.read()).value, read);
      assertEquals(count <= read + 1, true);
    }
    await reader.cancel();
  });
}
