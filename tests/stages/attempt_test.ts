import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  attempt,
  compose,
  filter,
  fuse,
  map,
  parallel,
  pipeline,
  tap,
  toArray,
} from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { run } from "../lib/run.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

const at1 = { attempts: 1 };

/** Fails so often with each chunk before it answers. */
function failing(times: number, isAsync: boolean) {
  const calls: [n: number, index: number][] = [];
  const left = new Map<number, number>();
  const fn = (n: number, index: number): number | Promise<number> => {
    calls.push([n, index]);
    const leftOfIt = left.get(n) ?? times;
    left.set(n, leftOfIt - 1);
    const error = new Error(`${n} fails`);
    if (leftOfIt === 0) return isAsync ? Promise.resolve(n * 10) : n * 10;
    if (isAsync) return Promise.reject(error);
    throw error;
  };
  return { fn, calls };
}

for (const isAsync of [false, true]) {
  const how = isAsync ? "rejects" : "throws";

  test(`attempt() calls a function that ${how} again, with the same chunk and index`, async () => {
    const { fn, calls } = failing(2, isAsync);
    {
      await using time = virtualTime();
      const done = toArray([1, 2], attempt(fn));
      await time.advance(100_000);
      assertEquals(await done, [10, 20]);
      assertEquals(time.timers, 0);
    }
    assertEquals(calls, [[1, 0], [1, 0], [1, 0], [2, 1], [2, 1], [2, 1]]);
  });

  test(`onError of attempt() skips, replaces and fails chunks whose function ${how}`, async () => {
    const { fn } = failing(Infinity, isAsync);
    const seen: unknown[] = [];
    const asked: unknown[] = [];
    const { chunksRead, chunksWritten, chunksSkipped, chunksRetried } = await pipeline(
      [1, 2, 3],
      attempt(fn, {
        ...at1,
        onError: (reason, chunk, index) => {
          asked.push([`${reason}`, chunk, index]);
          return chunk === 2 ? { chunk: "two" } : "skip";
        },
      }),
      (chunk) => void seen.push(chunk),
    );
    assertEquals(seen, ["two"]);
    assertEquals([chunksRead, chunksWritten, chunksSkipped, chunksRetried], [3, 1, 2, 0]);
    assertEquals(asked[1], ["Error: 2 fails", 2, 1]);
    for (const answer of ["fail", undefined] as const) {
      const reason = new Error("as it is");
      const throwing = () => isAsync ? Promise.reject(reason) : thrown(reason);
      const stage = attempt(throwing, { ...at1, onError: () => answer as "fail" });
      assertEquals(await errorOf(toArray([1], stage)), [reason]);
    }
  });
}

function thrown(reason: unknown): never {
  throw reason;
}

test("attempt() waits as retry() does: twice as long each time, up to a limit, by chance half of it", async () => {
  const { random } = Math;
  const draws = [1, 0, 1, 1];
  Math.random = () => draws.shift()!;
  const delays = await withNotedTimers(async () => {
    const stage = attempt(failing(4, false).fn, { delayMs: 4, maxDelayMs: 10 });
    await toArray([1], stage);
  }).finally(() => Math.random = random);
  assertEquals(delays, [4, 4, 10, 10]);
});

test("shouldRetry of attempt() may be a promise, and what it or onError throws is the failure", async () => {
  const reason = new Error("no");
  let calls = 0;
  const stage = attempt(() => {
    calls++;
    throw reason;
  }, { shouldRetry: (given) => Promise.resolve(given !== reason) });
  assertEquals(await errorOf(toArray([1], stage)), [reason]);
  assertEquals(calls, 1);
  for (const { reason } of reasons) {
    const fail = () => thrown(reason);
    const reject = () => Promise.reject(reason);
    for (
      const options of [
        ...[{ shouldRetry: fail }, { shouldRetry: reject }],
        ...[{ ...at1, onError: fail }, { ...at1, onError: reject }, { ...at1 }],
      ]
    ) {
      const stage = attempt(
        () => "shouldRetry" in options || "onError" in options ? thrown("another") : thrown(reason),
        options,
      );
      assertEquals(await errorOf(toArray([1], stage)), [reason]);
    }
  }
});

test("onError of attempt() is waited for before the next chunk: it can write a dead letter", async () => {
  const events: unknown[] = [];
  let store!: () => void;
  const stored = new Promise<void>((resolve) => store = resolve);
  const stage = attempt((n: number) => {
    events.push(n);
    return n === 1 ? thrown("bad") : n;
  }, {
    ...at1,
    onError: async () => {
      await stored;
      events.push("stored");
      return "skip";
    },
  });
  const done = toArray([1, 2], stage);
  assertEquals((await settledWithin(done)).state, "pending");
  assertEquals(events, [1]);
  store();
  assertEquals(await done, [2]);
  assertEquals(events, [1, "stored", 2]);
});

test("attempt() of stages begins again with the chunk as it came, indexes included", async () => {
  const seen: unknown[] = [];
  let fails = 2;
  const stage = attempt(
    compose(
      map((n: number, index) => ({ n, first: index })),
      filter(({ n }) => Promise.resolve(n % 2 === 1)),
      tap(({ n }, index) => {
        seen.push([n, index]);
        if (n === 3 && fails-- > 0) throw new Error("again");
      }),
      map(({ n, first }, index) => [n, first, index]),
    ),
    { delayMs: 0 },
  );
  assertEquals(await toArray([1, 2, 3, 4, 5], stage), [[1, 0, 0], [3, 2, 1], [5, 4, 2]]);
  assertEquals(seen, [[1, 0], [3, 1], [3, 1], [3, 1], [5, 2]]);
});

test("attempt() passes on a chunk that is a promise, and one of nothing", async () => {
  const promise = Promise.resolve("inside");
  const out: unknown[] = [];
  let fails = 1;
  const stage = attempt((chunk: unknown) => fails-- > 0 ? thrown("again") : chunk, { delayMs: 0 });
  const source = new TransformStream(stage);
  const writer = source.writable.getWriter();
  void writer.write({ chunk: promise });
  void writer.write(undefined);
  void writer.close();
  for await (const chunk of source.readable) out.push(chunk);
  assertEquals(out, [{ chunk: promise }, undefined]);
  const kept = attempt((chunk: unknown) => chunk, at1);
  const given: unknown[] = [];
  kept.transform!(promise, {
    enqueue: (chunk: unknown) => void given.push(chunk),
  } as TransformStreamDefaultController<unknown>);
  assert(given[0] === promise);
});

test("attempt() of parallel() tries each call by itself; the others go on", async () => {
  await using time = virtualTime();
  const started: number[] = [];
  let fails = 1;
  const seen: number[] = [];
  const done = pipeline(
    [1, 2, 3, 4],
    attempt(
      parallel(async (n: number, index) => {
        started.push(n);
        assertEquals(index, n - 1);
        await undefined;
        if (n === 1 && fails-- > 0) throw new Error("once");
        if (n === 3) throw new Error("always");
        return n * 10;
      }, { concurrency: 2 }),
      { attempts: 2, delayMs: 100, onError: () => "skip" },
    ),
    (n) => void seen.push(n),
  );
  await time.advance(10);
  // The first holds its place: one other at a time goes on.
  assertEquals([started, seen], [[1, 2, 3], []]);
  await time.advance(1000);
  const { chunksSkipped, chunksRetried } = await done;
  assertEquals([seen, chunksSkipped, chunksRetried], [[10, 20, 40], 1, 2]);
  assertEquals(time.timers, 0);
});

test("a wait of attempt() is ended at once by a cancel and a signal, without a timer left", async () => {
  const reason = new Error("enough");
  const slow = [
    () => attempt(() => thrown("again"), { delayMs: 1e6, maxDelayMs: 1e6 }),
    () =>
      attempt(parallel(() => Promise.reject("again"), { concurrency: 2 }), {
        ...{ delayMs: 1e6, maxDelayMs: 1e6 },
      }),
  ];
  for (const make of slow) {
    await using time = virtualTime();
    for (
      const through of [
        (stage: object) => fuse(stage as Transformer<unknown, unknown>),
        (stage: object) => new TransformStream(stage),
      ]
    ) {
      const source = countedSource();
      const reader = source.readable.pipeThrough(through(make())).getReader();
      const read = reader.read();
      await time.advance(10);
      assert(time.timers > 0);
      await reader.cancel(reason);
      assertEquals(await read, { done: true, value: undefined });
      await time.advance(0);
      assertEquals([time.timers, source.cancelReasons], [0, [reason]]);
    }
    const controller = new AbortController();
    const { signal } = controller;
    const done = errorOf(
      pipeline([1, 2], make() as Transformer<number, unknown>, () => {}, { signal }),
    );
    await time.advance(10);
    controller.abort(reason);
    assertEquals(await settledWithin(done), { state: "fulfilled", value: [reason] });
    assertEquals(time.timers, 0);
  }
});

test("the signal that attempt() gives aborts while it waits, and no attempt follows", async () => {
  await using time = virtualTime();
  const signals: AbortSignal[] = [];
  const stage = attempt((_: number, __, { signal }) => {
    signals.push(signal);
    throw new Error("again");
  });
  const reader = countedSource().readable.pipeThrough(fuse(stage as never)).getReader();
  const read = reader.read();
  await time.advance(10);
  await reader.cancel("enough");
  await read;
  await time.advance(100_000);
  assertEquals(signals.map(({ aborted, reason }) => [aborted, reason]), [[true, "enough"]]);
});

test("the counts of attempt() add up over stages, pairs of streams and an attempt within", async () => {
  const odd = (n: number) => n % 2 === 1 ? thrown("odd") : n;
  const skip = { attempts: 2, delayMs: 0, onError: () => "skip" as const };
  const { chunksRead, chunksSkipped, chunksRetried } = await pipeline(
    [1, 2, 3, 4],
    attempt(attempt(odd, skip), at1),
    new TransformStream<number, number>(),
    attempt((n: number) => n === 4 ? thrown("four") : n, skip),
    () => {},
  );
  assertEquals([chunksRead, chunksSkipped, chunksRetried], [4, 3, 3]);
  const plain = await pipeline([1], map((n) => n), () => {});
  assertEquals([plain.chunksSkipped, plain.chunksRetried], [0, 0]);
});

test("attempt() reads nothing ahead while it waits, and passes the chunk on before its source's failure", async () => {
  await using time = virtualTime();
  const reason = new Error("gone");
  const source = countedSource({ length: 1, atEnd: { reason } });
  const seen: unknown[] = [];
  const { fn } = failing(1, true);
  const done = errorOf(pipeline(
    source.readable as ReadableStream<number>,
    attempt(fn, { delayMs: 100 }),
    (n) => void seen.push(n),
  ));
  await time.advance(10);
  assertEquals([source.readCount, seen], [1, []]);
  await time.advance(200);
  assertEquals([await done, seen], [[reason], [0]]);
});

test("attempt() fails where onError answers anything else", async () => {
  for (const answer of ["ignore", 5, {}, null]) {
    const stage = attempt(() => thrown("bad"), { ...at1, onError: () => answer as "skip" });
    const [error] = await errorOf(run([1], stage));
    if (answer === null) assertEquals(error, "bad");
    else {
      assert(
        `${error}`.startsWith("TypeError: Cannot run attempt: what onError answers must be"),
        `${error}`,
      );
    }
  }
});
