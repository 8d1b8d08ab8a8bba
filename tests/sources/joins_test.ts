import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { concat, merge, mergeBy, tee, toArray, zip } from "@hosepipe/streams";
import { expectDiagram, testSource } from "@hosepipe/streams/testing";
import { counted, type Kind, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { isThorough } from "../lib/thorough.ts";
import { turns } from "../lib/turns.ts";
import { drain, hanging, reasons } from "./_sources.ts";

// deno-lint-ignore no-explicit-any -- joins of any types
type Any = any;
const joins: Readonly<Record<string, (...sources: Any[]) => ReadableStream<Any>>> = {
  concat,
  merge,
  mergeBy: (...sources) => mergeBy({ key: Number }, ...sources),
  zip,
};

for (const [name, join] of Object.entries(joins)) {
  for (const kind of kinds) {
    test(`${name}: a ${kind} source that fails cancels the others`, async () => {
      for (const reason of reasons) {
        const failing = counted(kind, 2, { failure: { reason } });
        const others = [counted("stream"), counted("async"), counted("sync")];
        const { chunks, error } = await drain(
          join(failing.source, ...others.map(({ source }) => source)),
        );
        assertEquals([chunks.length >= 2, error], [true, [reason]]);
        assertEquals([failing.cancels, ...others.map(({ cancels }) => cancels)], [0, 1, 1, 1]);
      }
    });

    test(`${name}: a source whose next() cancels the stream itself stops it, before a ${kind} one`, async () => {
      let [nexts, returns] = [0, 0];
      let cancelled: Promise<void> | undefined;
      const own = {
        [Symbol.iterator]: () => ({
          next() {
            nexts++;
            cancelled = reader.cancel("re-entrant");
            return { done: false, value: 1 };
          },
          return() {
            returns++;
            return { done: true as const, value: undefined };
          },
        }),
      };
      const later = counted(kind);
      const reader = join(own, later.source).getReader();
      assertEquals((await reader.read()).done, true);
      await cancelled;
      await turns();
      assertEquals([nexts, returns, later.reads, later.cancels], [1, 1, 0, 1]);
    });
  }

  test(`${name}: a cancel reaches all sources with its reason, and fails as one of them does`, async () => {
    for (const isRead of [false, true]) {
      const given: unknown[] = [];
      const failing = new ReadableStream({
        cancel: (reason) => Promise.reject(given.push(reason)),
      });
      const [other, hung] = [counted("stream"), hanging()];
      const joined = join(failing, other.source);
      const reader = joined.getReader();
      const read = isRead ? reader.read() : undefined;
      if (isRead) await turns();
      assertEquals(await errorOf(reader.cancel("why")), [1]);
      await read;
      assertEquals([given, other.cancels, failing.locked], [["why"], 1, false]);
      void join(hung.source).cancel("why");
      assertEquals(hung.returns, 1);
    }
  });

  test(`${name}: nothing is the end of none; many sources and chunks that are promises are given`, async () => {
    await join().getReader().closed;
    const { chunks, error } = await drain(
      join(...Array.from({ length: 3000 }, () => [Promise.resolve(1)])),
    );
    assertEquals([chunks.flat().length, error], [3000, "none"]);
  });

  test(`${name}: what is no source, locked, used or there twice is refused, and none is touched`, async () => {
    const untouched = counted("stream");
    const stream = untouched.source as ReadableStream<number>;
    const locked = new ReadableStream<number>();
    locked.getReader();
    const used = new Response("x");
    await used.text();
    const need =
      "must be a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request";
    const refused: [sources: unknown[], message: string][] = [
      [[stream, 5], `Cannot create ${name}: sources[1] ${need}, got 5`],
      [[null, stream], `sources[0] ${need}, got null`],
      [[stream, [], stream], "sources[2] is the same stream as sources[0]"],
      [[stream, locked], "sources[1] is locked to another reader"],
      [[stream, used], "the body of sources[1] has been read"],
    ];
    for (const [sources, message] of refused) {
      assertThrows(() => join(...sources), TypeError, message);
    }
    const returned: string[] = [];
    const iterable = (name: string) => ({
      [Symbol.iterator]: () => ({
        next: () => ({ done: true, value: undefined }),
        return() {
          returned.push(name);
          return { done: true, value: undefined };
        },
      }),
    });
    const broken = {
      [Symbol.iterator](): never {
        throw undefined;
      },
    };
    const opened = [stream, iterable("one"), iterable("other"), broken, iterable("later")];
    assertEquals(await errorOf((async () => await join(...opened))()), [undefined]);
    await turns(1);
    assertEquals([returned, untouched.reads, stream.locked], [["one", "other"], 0, false]);
  });

  if (name === "concat") continue;
  test(`${name}: a failure counts at once, though another source hangs for ever`, async () => {
    const hung = hanging();
    const failing = counted("sync", 0, { failure: { reason: 1 } });
    assertEquals((await drain(join(hung.source, failing.source))).error, [1]);
    assertEquals(hung.returns, 1);
  });
}

test("concat() opens by a function when its turn comes, which may be a promise", async () => {
  const calls: number[] = [];
  const open = (n: number) => () => {
    calls.push(n);
    return n === 2 ? Promise.resolve([n, n]) : [n];
  };
  const reader = concat(open(1), open(2), open(3)).getReader();
  await turns();
  assertEquals(calls, []);
  assertEquals((await reader.read()).value, 1);
  assertEquals(calls, [1]);
  assertEquals((await reader.read()).value, 2);
  assertEquals((await reader.read()).value, 2);
  assertEquals(calls, [1, 2]);
  await reader.cancel();
  assertEquals(calls, [1, 2]);
});

test("cancelling concat() reaches the open source and those after it, not those before", async () => {
  const sources = [counted("stream", 1), counted("async"), counted("stream"), counted("sync")];
  const reader = concat(...sources.map(({ source }) => source)).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel("why");
  assertEquals(sources.map(({ cancels }) => cancels), [0, 1, 1, 1]);
});

test("a source that opens only after concat() was cancelled is cancelled too", async () => {
  const opening = Promise.withResolvers<ReadableStream<number>>();
  const late = testSource<number>();
  const reader = concat(() => opening.promise).getReader();
  const read = reader.read();
  await turns();
  await reader.cancel("why");
  assertEquals((await read).done, true);
  opening.resolve(late.readable);
  await turns();
  assertEquals([await late.cancelled, late.pulls], ["why", 0]);
});

test("concat() fails with what a function throws, rejects with, or opens that is no source", async () => {
  for (const reason of reasons) {
    const thrower = () => {
      throw reason;
    };
    const after = counted("stream");
    assertEquals((await drain(concat(thrower, after.source))).error, [reason]);
    assertEquals((await drain(concat(() => Promise.reject(reason)))).error, [reason]);
    assertEquals(after.cancels, 1);
  }
  const { error } = await drain(concat([1], () => 5 as never));
  assertEquals(
    String(error[0]),
    "TypeError: Cannot create concat: what sources[1] opens must be a ReadableStream, an iterable, " +
      "an async iterable, a Blob, a Response or a Request, got 5",
  );
  const locked = new ReadableStream<number>();
  locked.getReader();
  assertEquals(String((await drain(concat(() => locked))).error[0]).includes("locked"), true);
});

test("concat() lets go of a stream that has ended, or failed, and takes an iterable with a body", async () => {
  const reason = new Error("why");
  const streams = [false, true].map((fails) =>
    new ReadableStream<number>({
      start(controller) {
        controller.enqueue(1);
        if (!fails) controller.close();
      },
      pull: (controller) => controller.error(reason),
    }, { highWaterMark: 0 })
  );
  const odd = Object.assign([5], { body: streams[0] });
  assertEquals(await drain(concat(odd, ...streams)), {
    ...{ chunks: [5, 1, 1], error: [reason] },
  });
  assertEquals(streams.map(({ locked }) => locked), [false, false]);
});

test("cancelling concat() at any moment cancels what it is just opening, and what comes after", async () => {
  for (let steps = 0; steps < 12; steps++) {
    for (const isOpener of [false, true]) {
      const [current, later] = [counted("stream"), counted("stream")];
      let isOpened = !isOpener;
      const open = () => {
        isOpened = true;
        return current.source;
      };
      const reader = concat([], isOpener ? open : current.source, later.source).getReader();
      const read = reader.read();
      for (let step = 0; step < steps; step++) await undefined;
      await reader.cancel("why");
      await read;
      await turns();
      assertEquals([current.cancels, later.cancels], [isOpened ? 1 : 0, 1], `${steps} steps`);
    }
  }
});

test("merge() gives chunks in the order of their arrival", async () => {
  await expectDiagram((first, second) => merge(first, second), {
    in: ["--(a|)", "-b-c|"],
    out: "-bac|",
  });
});

test("merge() gives what came before a failure, also while another read is pending", async () => {
  await expectDiagram((...sources) => merge(...sources), {
    ...{ in: ["-(a!)", "-(b!)", "-#"], error: undefined },
    ...{ demand: "1--2", out: "-a-(b#)" },
  });
});

test("merge() fails with the first failure, though another comes while a chunk still waits", async () => {
  const [one, other] = [testSource<number>(), testSource<number>()];
  const late = Promise.withResolvers<never>();
  const third = { [Symbol.asyncIterator]: () => ({ next: () => late.promise }) };
  const reader = merge(one.readable, other.readable, third).getReader();
  const first = reader.read();
  await turns();
  one.give(1);
  assertEquals((await first).value, 1);
  const second = reader.read();
  await turns();
  one.give(2);
  await second;
  other.fail("first");
  await turns();
  late.reject("second");
  await turns();
  assertEquals(await errorOf(reader.read()), ["first"]);
  assertEquals(await one.cancelled, "first");
});

test("mergeBy() gives what sorting all gives, equal ones in the order of the sources", async () => {
  const sorted = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 })
    .map((numbers) => numbers.sort((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(
      fc.array(sorted, { maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      async (lists, isKeyed, isAsync) => {
        const sources = lists.map((list, from) => list.map((n) => ({ n, from })));
        type Row = { n: number; from: number };
        const order = isKeyed
          ? { key: ({ n }: Row) => n }
          : { compare: (a: Row, b: Row) => a.n - b.n };
        const opened = sources.map((rows) => isAsync ? ReadableStream.from(rows) : rows);
        // Sorting is stable.
        const expected = sources.flat().sort((a, b) => a.n - b.n);
        assertEquals(await toArray(mergeBy<Row[]>(order, ...opened)), expected);
      },
    ),
    { numRuns: 500 },
  );
});

for (const kind of kinds) {
  test(`zip() of ${kind} sources gives tuples as long as the shortest, and cancels the others`, async () => {
    const sources = [counted(kind, 3), counted(kind, 2, { first: 10 }), counted(kind)];
    const tuples = await Array.fromAsync(zip(...sources.map(({ source }) => source)));
    assertEquals(tuples, [[0, 10, 0], [1, 11, 1]]);
    assertEquals(sources.map(({ reads }) => reads), [3, 3, 3]);
    assertEquals(sources.map(({ cancels }) => cancels), [1, 0, 1]);
  });
}

test("zip() as long as the longest fills up with undefined, and asks none again that has ended", async () => {
  const sources = [counted("sync", 1), counted("async", 3), counted("stream", 0)];
  const zipped = zip(...sources.map(({ source }) => source), { mode: "longest" });
  assertEquals(await Array.fromAsync(zipped), [
    [0, 0, undefined],
    [undefined, 1, undefined],
    [undefined, 2, undefined],
  ]);
  assertEquals(sources.map(({ reads }) => reads), [2, 4, 1]);
});

test("a strict zip() ends only with all, and fails if one goes on", async () => {
  const even = zip(counted("sync", 2).source, counted("async", 2).source, { mode: "strict" });
  assertEquals(await Array.fromAsync(even), [[0, 0], [1, 1]]);
  for (const lengths of [[2, 3], [3, 2], [3, 2, 3], [0, 1]]) {
    const sources = lengths.map((length) => counted("stream", length));
    const { chunks, error } = await drain(
      zip(...sources.map(({ source }) => source), { mode: "strict" }),
    );
    assertEquals(chunks.length, Math.min(...lengths));
    assertEquals(String(error[0]), "TypeError: Cannot zip: the sources are not equally long");
    assertEquals(
      sources.map(({ cancels }) => cancels),
      lengths.map((length) => length === Math.min(...lengths) ? 0 : 1),
    );
  }
});

test("a strict zip() fails without waiting for a source that hangs", async () => {
  const hung = hanging();
  const { error } = await drain(zip([1], [], hung.source, { mode: "strict" }));
  assertEquals(error[0] instanceof TypeError, true);
  assertEquals(hung.returns, 1);
});

test("tee() reads nothing before a branch asks, and no further ahead than its mark", async () => {
  for (const highWaterMark of [0, 1, 2, 16]) {
    const source = counted("stream");
    const [fast, slow] = tee(source.source, 2, { highWaterMark }).map((branch) =>
      branch.getReader()
    );
    await turns();
    assertEquals(source.reads, 0);
    const reads: unknown[] = [];
    for (let n = 0; n < 30; n++) fast!.read().then(({ value }) => reads.push(value));
    await turns();
    assertEquals(source.reads, highWaterMark);
    assertEquals(reads.length, highWaterMark);
    for (let n = 0; n < 5; n++) {
      assertEquals((await slow!.read()).value, n);
      await turns(2);
      assertEquals(source.reads, highWaterMark + n + 1);
    }
    await Promise.all([fast!.cancel(), slow!.cancel()]);
    assertEquals(source.cancels, 1);
  }
});

test("a cancelled branch of tee() holds nothing back, and the others go on", async () => {
  const source = counted("async", 10);
  const [first, second, third] = tee(source.source, 3);
  await second!.cancel("not me");
  const read = drain(first!);
  await turns();
  assertEquals(source.reads, 1);
  await third!.cancel("nor me");
  assertEquals((await read).chunks.length, 10);
  assertEquals(source.cancels, 0);
});

test("cancelling all branches of tee() cancels the source, with the last reason", async () => {
  const source = testSource();
  const [first, second] = tee(source.readable, 2);
  await first!.cancel("first");
  assertEquals(source.state, "open");
  await second!.cancel("second");
  assertEquals(await source.cancelled, "second");
  assertEquals(source.readable.locked, false);
  const failing = new ReadableStream({ cancel: () => Promise.reject(undefined) });
  assertEquals(await errorOf(tee(failing, 1)[0]!.cancel()), [undefined]);
});

// What is promised takes about a minute; the gate does a fiftieth of it.
const load = isThorough ? 1 : 0.02;

/** Numbers below `limit` that a seed decides. */
function seeded(seed: number): (limit: number) => number {
  let state = seed % 2147483646 + 1;
  return (limit) => (state = state * 48271 % 2147483647) % limit;
}

for (const [name, join] of Object.entries({ concat, merge, zip })) {
  const runs = 10_000 * load;
  test(`${name}() reads one chunk ahead of each source at most, over ${runs} random runs`, async () => {
    for (let run = 1; run <= runs; run++) {
      const random = seeded(run * 7919);
      const sources = Array.from({ length: 1 + random(4) }, () => {
        const kind: Kind = kinds[random(3)]!;
        const failure = random(10) === 0 ? { reason: run } : undefined;
        return counted(kind, random(8), { failure });
      });
      const reader = join(...sources.map(({ source }) => source)).getReader();
      const given = name === "zip"
        ? (reads: number) => reads * sources.length
        : (reads: number) => reads;
      const until = random(12);
      let chunks = 0;
      try {
        while (chunks < until && !(await reader.read()).done) {
          chunks++;
          for (let n = random(4); n > 0; n--) await Promise.resolve();
          const ahead = sources.reduce((sum, { reads }) => sum + reads, 0) - given(chunks);
          assert(ahead <= sources.length, `run ${run}: ${ahead} ahead of ${sources.length}`);
        }
        await reader.cancel();
      } catch (reason) {
        assertEquals(reason, run);
      }
      const cancels = sources.map(({ cancels }) => cancels);
      assert(cancels.every((count) => count <= 1), `run ${run}: cancelled ${cancels}`);
    }
  });
}
