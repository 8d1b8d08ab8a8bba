import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  attempt,
  batch,
  batchBy,
  concat,
  expand,
  filter,
  flatMap,
  fuse,
  groupBy,
  interval,
  limitRate,
  map,
  merge,
  parallel,
  pipeline,
  retry,
  take,
  tee,
  timeout,
  toArray,
  writer,
} from "@hosepipe/streams";
import { range } from "../lib/range.ts";
import { settledWithin } from "../lib/settled_within.ts";

/** What moves the replaced time. */
interface FakeTimers {
  /** Runs what is due, one timer in each task of the event loop, until there is none, as sinon's function does. */
  runAllAsync(): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
  readonly everyMs?: number | undefined;
}

/**
 * Replaces timers, clocks and microtasks while `use` runs, as sinon's fake timers do, which Vitest and Jest have, too;
 * `performance.now` only if it `replacesClock`.
 */
async function withFakeTimers<T>(
  use: (timers: FakeTimers) => Promise<T>,
  replacesClock = true,
): Promise<T> {
  const real = { ...pick(globalThis), now: performance.now };
  const timers = new Map<number, Timer>();
  const tasks: (() => void)[] = [];
  let nowMs = 0;
  let lastId = 0;
  const set = (callback: () => void, ms = 0, everyMs?: number): number => {
    timers.set(++lastId, { atMs: nowMs + ms, callback, everyMs });
    return lastId;
  };
  const clear = (id: number): void => void timers.delete(id);
  class FakeDate extends Date {
    static override now = () => nowMs;
  }
  Object.assign(globalThis, {
    setTimeout: (callback: () => void, ms?: number) => set(callback, ms),
    setInterval: (callback: () => void, ms = 1) => set(callback, ms, ms),
    setImmediate: (callback: () => void) => set(callback),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    queueMicrotask: (task: () => void) => void tasks.push(task),
    Date: FakeDate,
  });
  if (replacesClock) performance.now = () => nowMs;

  const runNext = (): void => {
    const [id, timer] = [...timers].reduce((first, each) =>
      each[1].atMs < first[1].atMs ? each : first
    );
    nowMs = Math.max(nowMs, timer.atMs);
    const { callback, everyMs } = timer;
    if (everyMs === undefined) timers.delete(id);
    else timers.set(id, { ...timer, atMs: nowMs + everyMs });
    callback();
  };
  const runAllAsync = async (): Promise<void> => {
    while (true) {
      await new Promise<void>((resolve) => (real.setImmediate as typeof queueMicrotask)(resolve));
      for (const task of tasks.splice(0)) task();
      if (timers.size === 0) return;
      runNext();
    }
  };
  try {
    return await use({ runAllAsync });
  } finally {
    performance.now = real.now;
    const { now: _, ...rest } = real;
    Object.assign(globalThis, rest);
  }
}

function pick(realm: typeof globalThis) {
  const { setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, Date } = realm;
  const { setImmediate, clearImmediate } = realm as unknown as Record<string, unknown>;
  const all = { setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, Date };
  return { ...all, setImmediate, clearImmediate };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function* slow(length = 5) {
  for (const n of range(length)) {
    await sleep(100);
    yield n;
  }
}

async function after<T>(ms: number, value: T): Promise<T> {
  await sleep(ms);
  return value;
}

let calls = 0;
function failOften(): number[] {
  if (++calls % 4 > 0) throw new Error("often");
  return [1];
}

/** Takes long enough for a turn to be over within the chunks. */
function work(n: number): number {
  for (let count = 0; count < 50_000; count++) Math.sqrt(count);
  return n;
}

/** Runs that wait for timers. */
const runs: Readonly<Record<string, () => Promise<unknown>>> = {
  "a slow source": () => toArray(slow()),
  "a slow native source": () => toArray(ReadableStream.from(slow()), map((n) => n)),
  "a slow function": () => toArray(range(300), map((n) => after(10, n))),
  "slow functions": () => toArray(range(300), map((n) => after(3, n)), filter(() => after(2, 1))),
  "a generator": () =>
    toArray(range(300), async function* (source) {
      for await (const n of source) yield await after(3, n);
    }),
  "much work": () => toArray(range(500), map(work), map((n) => n % 50 === 0 ? after(10, n) : n)),
  "a slow sink": () => pipeline(range(300), () => sleep(10)),
  "a pair": () =>
    toArray(
      slow(),
      new TransformStream<number, number>({
        async transform(n, controller) {
          controller.enqueue(await after(5, n));
        },
      }),
      map((n) => after(5, n)),
    ),
  "fuse": () => toArray(ReadableStream.from(slow()).pipeThrough(fuse(map((n) => after(5, n))))),
  "writer": () => pipeline(range(300), writer(() => sleep(10), { concurrency: 3 })),
  "parallel": () => toArray(range(300), parallel((n) => after(10, n), { concurrency: 4 })),
  "flatMap": () => toArray(range(4), flatMap((n) => slow(n), { concurrency: 2 })),
  "groupBy": () => toArray(slow(6), groupBy((n) => n % 2, () => map((n) => after(5, n)))),
  "interval": () => toArray(interval(1000), take(5)),
  "batch": () => toArray(slow(10), batch(3, { maxWaitMs: 150 })),
  "batchBy": () => toArray(slow(10), batchBy((n) => n % 2, 3, { maxWaitMs: 150 })),
  "limitRate": () => toArray(range(100), limitRate({ perSecond: 10 })),
  "limitRate, by the millisecond": () =>
    toArray(range(20), limitRate({ perSecond: 2000, burst: 1 })),
  "retry": () => toArray(retry(failOften)),
  "attempt": () => toArray([1, 2], attempt(failOften)),
  "timeout": () => toArray(timeout(slow(), { idleMs: 1000 })),
  "merge": () => toArray(merge(slow(), concat(slow(2), slow(3)))),
  "tee": () => Promise.all(tee(slow(), 2).map((branch) => toArray(branch))),
};

for (const [name, run] of Object.entries(runs)) {
  for (const replacesClock of [true, false]) {
    const clock = replacesClock ? "and their clock" : "without a clock";
    test(`${name} under fake timers ${clock} ends with one runAllAsync()`, async () => {
      calls = 0;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      await withFakeTimers(async (timers) => {
        resolve(run());
        await timers.runAllAsync();
      }, replacesClock);
      assertEquals((await settledWithin(promise)).state, "fulfilled");
    });
  }
}

/** Runs that wait for none. */
const quick: Readonly<Record<string, () => Promise<unknown>>> = {
  "much work": () => toArray(range(500), map(work)),
  "a failure": () =>
    toArray(range(9), map((n) => n > 3 ? Promise.reject(n) : Promise.resolve(n)), take(9)),
  "fuse": () => toArray(ReadableStream.from(range(9)).pipeThrough(fuse(map((n) => n), take(3)))),
  "expand": () => toArray([1], expand((n) => n < 500 ? [n + 1] : [])),
};

for (const [name, run] of Object.entries(quick)) {
  test(`${name} under fake timers ends though nothing moves them`, async () => {
    const { state } = await withFakeTimers(() => settledWithin(run(), 1000));
    assertEquals(state === "pending", false);
  });
}
