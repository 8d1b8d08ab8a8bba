import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { attempt, pipeline, take, toArray } from "@hosepipe/streams";
import { parallel, type ParallelOptions } from "../../src/stages/parallel.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { held } from "../lib/held.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

/** A running stream of `parallel` over numbers, its calls settled by hand. */
function open(options: ParallelOptions, length?: number) {
  const { fn, calls } = held<string, [chunk: number, index: number]>();
  const source = countedSource({ length });
  const readable = source.readable.pipeThrough(new TransformStream(parallel(fn, options)));
  const output: string[] = [];
  const ended = errorOf((async () => {
    for await (const chunk of readable) output.push(chunk);
  })());
  return { calls, ended, output, source };
}

test("parallel() ordered holds results back until their turn, and reads no further meanwhile", async () => {
  const { calls, ended, output } = open({ concurrency: 3, window: 3 }, 5);
  await turns();
  assertEquals(calls.length, 3);
  calls[1]!.resolve("b");
  calls[2]!.resolve("c");
  await turns();
  assertEquals([calls.length, output], [3, []]);
  calls[0]!.resolve("a");
  await turns();
  assertEquals([calls.length, output], [5, ["a", "b", "c"]]);
  calls[4]!.resolve("e");
  calls[3]!.resolve("d");
  assertEquals([await ended, output], ["none", ["a", "b", "c", "d", "e"]]);
});

test("parallel() ordered begins others while results wait, up to its window", async () => {
  const { calls, ended, output, source } = open({ concurrency: 2, window: 4 }, 6);
  await turns();
  assertEquals(calls.length, 2);
  calls[1]!.resolve("b");
  await turns();
  assertEquals([calls.length, output], [3, []]);
  calls[2]!.resolve("c");
  await turns();
  assertEquals(calls.length, 4);
  calls[3]!.resolve("d");
  await turns();
  // One in flight, and three that wait for it.
  assertEquals([calls.length, output], [4, []]);
  assert(source.readCount <= 4 + 2, `read ${source.readCount}`);
  calls[0]!.resolve("a");
  await turns();
  assertEquals([calls.length, output], [6, ["a", "b", "c", "d"]]);
  calls[5]!.resolve("f");
  calls[4]!.resolve("e");
  assertEquals([await ended, output], ["none", ["a", "b", "c", "d", "e", "f"]]);
});

test("parallel() ordered has a window of four times its concurrency, and of at most 1,024 if that is enough", async () => {
  for (const [concurrency, window] of [[1, 4], [3, 12], [300, 1024], [1100, 1100]] as const) {
    let begun = 0;
    const stage = parallel((chunk: number) => {
      begun++;
      return chunk === 0 ? new Promise<number>(() => {}) : Promise.resolve(chunk);
    }, { concurrency });
    const { readable, writable } = new TransformStream(stage);
    const defaultWriter = writable.getWriter();
    const read = readable.getReader();
    read.read().catch(() => {});
    for (let chunk = 0; chunk < window + 5; chunk++) defaultWriter.write(chunk).catch(() => {});
    await turns();
    // With a concurrency of 1 the call that hangs is the only one.
    assertEquals(begun, concurrency === 1 ? 1 : window);
    await read.cancel("enough");
  }
});

test("parallel() ordered fails in its turn, also with what has failed while it waited", async () => {
  const { calls, ended, output, source } = open({ concurrency: 3, window: 6 }, 9);
  await turns();
  calls[2]!.resolve("c");
  await turns();
  assertEquals(calls.length, 4);
  calls[1]!.reject("why");
  await turns();
  // No call begins after one that has failed, though there is room.
  assertEquals([calls.length, output], [4, []]);
  calls[0]!.resolve("a");
  assertEquals([await ended, output], [["why"], ["a"]]);
  await turns();
  assertEquals(source.cancelReasons, ["why"]);
});

test("parallel() unordered hands results on as they come, and begins the next at once", async () => {
  const { calls, ended, output } = open({ concurrency: 2, ordered: false }, 4);
  await turns();
  assertEquals(calls.length, 2);
  calls[1]!.resolve("b");
  await turns();
  assertEquals([calls.length, output], [3, ["b"]]);
  calls[2]!.resolve("c");
  await turns();
  assertEquals([calls.length, output], [4, ["b", "c"]]);
  calls[3]!.resolve("d");
  await turns();
  calls[0]!.resolve("a");
  assertEquals([await ended, output], ["none", ["b", "c", "d", "a"]]);
});

for (const ordered of [true, false]) {
  test(`parallel() ignores what comes after cancel, ordered: ${ordered}`, async () => {
    const { fn, calls } = held<string>();
    const { readable, writable } = new TransformStream(parallel(fn, { concurrency: 2, ordered }));
    const defaultWriter = writable.getWriter();
    const defaultReader = readable.getReader();
    const read = defaultReader.read();
    await defaultWriter.write(0);
    const write = errorOf(defaultWriter.write(1));
    await turns();
    assertEquals(calls.length, 2);
    await defaultReader.cancel("enough");
    assertEquals(await read, { done: true, value: undefined });
    // The write waited for room that no one needs any more.
    await write;
    assertEquals(await errorOf(defaultWriter.closed), ["enough"]);
    calls[0]!.resolve("late");
    calls[1]!.reject("late");
    await turns();
  });

  test(`parallel() cancelled while it flushes ends without an error, ordered: ${ordered}`, async () => {
    const { fn, calls } = held<string>();
    const { readable, writable } = new TransformStream(parallel(fn, { concurrency: 2, ordered }));
    const defaultWriter = writable.getWriter();
    const defaultReader = readable.getReader();
    const read = defaultReader.read();
    await defaultWriter.write(0);
    const closed = errorOf(defaultWriter.close());
    await turns();
    const cancelled = errorOf(defaultReader.cancel("enough"));
    calls[0]!.resolve("late");
    assertEquals(await cancelled, "none");
    await closed;
    assertEquals(await read, { done: true, value: undefined });
  });
}

test("parallel() unordered fails with the first error at once", async () => {
  const { calls, ended, source } = open({ concurrency: 3, ordered: false });
  await turns();
  calls[2]!.reject("third");
  assertEquals(await ended, ["third"]);
  calls[1]!.reject("second");
  await turns();
  assertEquals([calls.length, source.cancelReasons], [3, ["third"]]);
});

test("parallel() ordered keeps a throw in its place", async () => {
  const { fn, calls } = held<string>();
  const stage = parallel((chunk: number) => {
    if (chunk === 1) throw "thrown";
    return fn();
  }, { concurrency: 5 });
  const defaultReader = from([0, 1, 2]).pipeThrough(new TransformStream(stage)).getReader();
  const first = defaultReader.read();
  await turns();
  calls[0]!.resolve("first");
  assertEquals(await first, { done: false, value: "first" });
  assertEquals([await errorOf(defaultReader.read()), calls.length], [["thrown"], 1]);
});

test("parallel() ordered begins nothing after a call that has failed, while those before it go on", async () => {
  const { fn, calls } = held<number, [chunk: number]>();
  const { readable, writable } = new TransformStream(parallel(fn, { concurrency: 4 }));
  const defaultWriter = writable.getWriter();
  const reader = readable.getReader();
  const read = reader.read();
  for (const chunk of [0, 1]) defaultWriter.write(chunk).catch(() => {});
  await turns();
  calls[1]!.reject("why");
  await turns();
  const late = [2, 3].map((chunk) => errorOf(defaultWriter.write(chunk)));
  await turns();
  assertEquals(calls.map(({ args: [chunk] }) => chunk), [0, 1]);
  calls[0]!.resolve(10);
  assertEquals([(await read).value, await errorOf(reader.read())], [10, ["why"]]);
  // What is not begun has not been written.
  assertEquals(await Promise.all(late), [["why"], ["why"]]);
  assertEquals(await errorOf(defaultWriter.closed), ["why"]);
});

for (const ordered of [true, false]) {
  test(`parallel() tells its calls when the queue's size() throws, ordered: ${ordered}`, async () => {
    const reason = new Error("size");
    const signals: AbortSignal[] = [];
    const size = () => {
      throw reason;
    };
    const { readable, writable } = new TransformStream(
      parallel((n: number, _index, { signal }) => {
        signals.push(signal);
        return Promise.resolve(n);
      }, { concurrency: 2, ordered }),
      { highWaterMark: 4 },
      { highWaterMark: 4, size },
    );
    const defaultWriter = writable.getWriter();
    defaultWriter.closed.catch(() => {});
    defaultWriter.write(1).catch(() => {});
    // A read that waits would be given the chunk without its being measured.
    await turns();
    assertEquals(await errorOf(readable.getReader().read()), [reason]);
    assertEquals(signals.map(({ aborted, reason }) => [aborted, reason]), [[true, reason]]);
  });
}

test("parallel() aborts the other calls after a promise whose then() throws", async () => {
  const broken = Object.defineProperty({}, "then", {
    value() {
      throw "broken";
    },
  });
  for (const ordered of [true, false]) {
    const signals: AbortSignal[] = [];
    const stage = parallel((n: number, _index, { signal }) => {
      signals.push(signal);
      return n === (ordered ? 1 : 2)
        ? broken as PromiseLike<number>
        : new Promise<number>(() => {});
    }, { concurrency: 3, ordered });
    assertEquals(await errorOf(run([1, 2, 3], stage)), ["broken"]);
    assertEquals(signals.map(({ reason }) => reason), signals.map(() => "broken"));
  }
});

test("parallel() with keys calls with chunks of one key in their order, while other keys go on", async () => {
  for (const ordered of [true, false]) {
    const { fn, calls } = held<string, [chunk: string, index: number]>();
    const stage = parallel(fn, { concurrency: 2, ordered, key: (chunk) => chunk[0] });
    const out: string[] = [];
    const source = ReadableStream.from(["a1", "a2", "a3", "b1", "b2"]);
    const ended = errorOf((async () => {
      for await (const chunk of source.pipeThrough(new TransformStream(stage))) out.push(chunk);
    })());
    const begun = () => calls.map(({ args }) => args[0]);
    await turns();
    // Two of the same key wait, and take no place.
    assertEquals(begun(), ["a1", "b1"]);
    calls[1]!.resolve("b1");
    await turns();
    assertEquals(begun(), ["a1", "b1", "b2"]);
    calls[0]!.resolve("a1");
    await turns();
    assertEquals(begun(), ["a1", "b1", "b2", "a2"]);
    calls[3]!.resolve("a2");
    await turns();
    calls[2]!.resolve("b2");
    calls[4]!.resolve("a3");
    assertEquals(await ended, "none");
    assertEquals(out, ordered ? ["a1", "a2", "a3", "b1", "b2"] : ["b1", "a1", "a2", "b2", "a3"]);
  }
});

test("parallel() with keys fails with the first failure, though a call before it has not begun", async () => {
  for (const ordered of [true, false]) {
    for (const isThrown of [true, false]) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const began: string[] = [];
      const stage = parallel((chunk: string) => {
        began.push(chunk);
        if (chunk === "b1" && isThrown) throw "b1 failed";
        return chunk === "b1" ? Promise.reject("b1 failed") : promise;
      }, { concurrency: 4, ordered, key: (chunk: string) => chunk[0] });
      const out: string[] = [];
      const source = ReadableStream.from(["a1", "a2", "b1", "c1"]);
      const ended = errorOf((async () => {
        for await (const chunk of source.pipeThrough(new TransformStream(stage))) out.push(chunk);
      })());
      await turns();
      resolve("a1");
      assertEquals([await ended, out], [["b1 failed"], ordered ? ["a1"] : []]);
      assertEquals(began.includes("a2"), false);
    }
  }
});

for (const how of ["thrown", "rejected", "late"] as const) {
  test(`parallel() with stopOnError: false goes on, and fails with all errors at the end, ${how}`, async () => {
    for (
      const options of [{ ordered: true }, { ordered: false }, { key: (n: number) => n % 2 }]
    ) {
      for (const concurrency of [1, 3, Infinity]) {
        const stage = parallel((n: number, _index, { signal }) => {
          signal.throwIfAborted();
          if (n % 3 !== 0) return n;
          if (how === "thrown") throw `no ${n}`;
          return how === "rejected" ? Promise.reject(`no ${n}`) : turns(9 - n).then(() => {
            throw `no ${n}`;
          });
        }, { concurrency, stopOnError: false, ...options });
        const written: number[] = [];
        const job = pipeline([1, 2, 3, 4, 5, 6, 7, 9], stage, (n) => void written.push(n));
        const error = await assertRejects(() => job, AggregateError);
        assertEquals(error.message, "Cannot run parallel: 3 of 8 calls have failed");
        assertEquals(error.errors, ["no 3", "no 6", "no 9"]);
        assertEquals(written.toSorted(), [1, 2, 4, 5, 7]);
        assertEquals(await toArray([1, 2], stage), [1, 2]);
        assertEquals(await toArray([3, 1, 2], stage, take(1)), [1]);
      }
    }
  });
}

test("parallel() with stopOnError: false fails with its source's failure, after what was begun", async () => {
  async function* source() {
    yield* [3, 1];
    await turns();
    throw "the source";
  }
  const stage = parallel(
    (n: number) => n === 3 ? Promise.reject("no 3") : turns(20).then(() => n),
    {
      concurrency: 3,
      stopOnError: false,
    },
  );
  const written: number[] = [];
  const job = pipeline(source(), stage, (n) => void written.push(n));
  assertEquals([await errorOf(job), written], [["the source"], [1]]);
});

test("attempt() within parallel() with stopOnError: false tries each again", async () => {
  let calls = 0;
  const load = parallel((n: number) => ++calls % 2 === 1 ? Promise.reject(n) : Promise.resolve(n), {
    concurrency: 1,
    stopOnError: false,
  });
  assertEquals(await toArray([1, 2, 3], attempt(load, { delayMs: 0 })), [1, 2, 3]);
  const { errors } = await assertRejects(
    () => toArray([1, 2, 3], attempt(load, { attempts: 1 })),
    AggregateError,
  );
  assertEquals(errors, [1, 3]);
});

test("parallel() refuses keys that it cannot compare, and passes on what key throws", async () => {
  assertThrows(
    () => parallel((n: number) => n, { concurrency: 1, key: 5 as never }),
    TypeError,
    "Cannot create parallel: key must be a function, got 5",
  );
  const later = parallel((n: number) => n, { concurrency: 1, key: () => Promise.resolve(1) });
  await assertRejects(
    () => run([1], later),
    TypeError,
    "Cannot find the key of a chunk: it must be no promise, got a promise",
  );
  const throwing = parallel((n: number) => n, {
    concurrency: 1,
    key: () => {
      throw "no key";
    },
  });
  assertEquals(await errorOf(run([1], throwing)), ["no key"]);
});
