import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { interval, pipeline, take, toArray } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { countedSignal } from "../lib/counted_signal.ts";
import { errorOf } from "../lib/error_of.ts";

const names = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"];
const look = () => [
  ...[...names, "clearImmediate", "Date"].map((name) =>
    Object.getOwnPropertyDescriptor(globalThis, name)
  ),
  Object.getOwnPropertyDescriptor(performance, "now"),
  Object.getOwnPropertyDescriptor(AbortSignal, "timeout"),
  Reflect.ownKeys(globalThis).length,
];
const before = look();
const real = { setTimeout: globalThis.setTimeout, setImmediate: globalThis.setImmediate };

test("virtualTime() fires timers at their times, in the order in which they were set", async () => {
  await using time = virtualTime();
  const seen: [name: string, atMs: number][] = [];
  const note = (name: string) => seen.push([name, performance.now()]);
  setTimeout(note, 20, "late");
  setTimeout(note, 10, "first");
  setTimeout(note, 10, "second");
  setTimeout(note, 0, "soon");
  setTimeout(note, 2 ** 31, "too long");
  assertEquals(time.timers, 5);
  await time.advance(19);
  assertEquals(seen, [["soon", 1], ["too long", 1], ["first", 10], ["second", 10]]);
  assertEquals([time.now, time.timers], [19, 1]);
  await time.advance(1);
  assertEquals(seen.at(-1), ["late", 20]);
  assertEquals(time.timers, 0);
});

test("virtualTime() lets a timer set by a timer fire in the same advance, if it is due", async () => {
  await using time = virtualTime();
  const seen: number[] = [];
  const again = () => {
    seen.push(time.now);
    setTimeout(again, 40);
  };
  setTimeout(again, 10);
  await time.advance(100);
  assertEquals(seen, [10, 50, 90]);
});

test("virtualTime() gives promises their turns between timers, and repeats intervals", async () => {
  await using time = virtualTime();
  const seen: string[] = [];
  const ticks = setInterval(async () => {
    seen.push(`tick ${time.now}`);
    for (let hop = 0; hop < 100; hop++) await undefined;
    seen.push(`after ${time.now}`);
    if (time.now === 20) clearInterval(ticks);
  }, 10);
  await time.advance(100);
  assertEquals(seen, ["tick 10", "after 10", "tick 20", "after 20"]);
  assertEquals(time.timers, 0);
});

test("virtualTime() clears timers by what set them and by their id, and leaves real ones alone", async () => {
  const fired = Promise.withResolvers<string>();
  const cleared = setTimeout(() => fired.resolve("cleared"), 1);
  const outside = setTimeout(() => fired.resolve("real"), 20);
  {
    await using time = virtualTime();
    clearTimeout(cleared);
    const timers = [setTimeout(() => {}, 5), setInterval(() => {}, 5), setTimeout(() => {}, 5)];
    clearTimeout(timers[0]);
    clearTimeout(timers[1]);
    clearTimeout(Number(timers[2]));
    clearTimeout(undefined);
    assertEquals(time.timers, 0);
  }
  assertEquals(await fired.promise, "real");
  clearTimeout(outside);
});

test("virtualTime() gives timers what the runtime's have", async () => {
  const probe = real.setTimeout(() => {}) as unknown as { refresh?: unknown };
  clearTimeout(probe as never);
  await using time = virtualTime();
  let fired = 0;
  const timer = setTimeout(() => fired++, 10) as unknown as {
    unref(): { hasRef(): boolean };
    refresh(): void;
    close(): void;
  };
  assertEquals(typeof timer, typeof probe);
  if (typeof timer === "number") return;
  assertEquals(timer.unref().hasRef(), false);
  await time.advance(9);
  timer.refresh();
  await time.advance(9);
  assertEquals(fired, 0);
  await time.advance(1);
  assertEquals(fired, 1);
  timer.refresh();
  timer.close();
  assertEquals(time.timers, 0);
});

test("virtualTime() runs immediates within an advance of nothing, each in its turn", async () => {
  await using time = virtualTime();
  const seen: string[] = [];
  setImmediate((name: string) => {
    seen.push(name);
    Promise.resolve().then(() => seen.push("between"));
    setImmediate(() => seen.push("third"));
  }, "first");
  setImmediate(() => seen.push("second"));
  const never = setImmediate(() => seen.push("cleared"));
  clearImmediate(never);
  assertEquals([time.timers, seen], [2, []]);
  await time.advance(0);
  assertEquals(seen, ["first", "between", "second", "third"]);
  assertEquals([time.now, time.timers], [0, 0]);
});

test("virtualTime() moves Date, which stays the same class", async () => {
  const early = new Date(5);
  const realDate = Date;
  {
    await using time = virtualTime({ startsAt: new realDate("2026-02-03T04:05:06Z") });
    assertEquals(new Date().toISOString(), "2026-02-03T04:05:06.000Z");
    await time.advance(1500.7);
    assertEquals(new Date().toISOString(), "2026-02-03T04:05:07.500Z");
    assertEquals(Date.now(), Date.UTC(2026, 1, 3, 4, 5, 7, 500));
    assert(early instanceof Date && new Date() instanceof realDate);
    assertEquals(new Date(7).getTime(), 7);
    assertEquals(Date(), new Date().toString());
    class Day extends Date {}
    assert(new Day() instanceof Day);
    assertEquals(new Day().getTime(), Date.now());
  }
  assertStrictEquals(Date, realDate);
  await using _ = virtualTime();
  assertEquals(Date.now(), Date.UTC(2000, 0));
});

test("virtualTime() gives AbortSignal.timeout() a genuine signal with a TimeoutError", async () => {
  await using time = virtualTime();
  const signal = AbortSignal.timeout(1000);
  assert(signal instanceof AbortSignal);
  const run = errorOf(pipeline([1], () => new Promise(() => {}), { signal }));
  await time.advance(999);
  assertEquals(signal.aborted, false);
  await time.advance(1);
  const { name } = signal.reason as DOMException;
  assertEquals([signal.reason instanceof DOMException, name], [true, "TimeoutError"]);
  assertStrictEquals((await run)[0], signal.reason);
  const far = AbortSignal.timeout(2 ** 31 + 5);
  await time.advance(2 ** 31);
  assertEquals(far.aborted, false);
  await time.advance(5);
  assertEquals(far.aborted, true);
  assertThrows(() => AbortSignal.timeout(-1), RangeError, "ms must be an integer of at least 0");
  assertThrows(() => AbortSignal.timeout("1" as never), TypeError, "ms must be an integer");
});

test("virtualTime() replaces the scheduler where there is one", async () => {
  const realm = globalThis as { scheduler?: unknown };
  const own = Object.getOwnPropertyDescriptor(realm, "scheduler");
  const scheduler = { postTask: () => {}, yield: () => {} } as unknown as {
    postTask(task: () => unknown, options?: object): Promise<unknown>;
    yield(): Promise<void>;
  };
  const { postTask } = scheduler;
  Object.defineProperty(realm, "scheduler", { value: scheduler, configurable: true });
  try {
    await using time = virtualTime();
    const seen: unknown[] = [];
    const { controller, signal, listeners } = countedSignal();
    const failed = errorOf(scheduler.postTask(() => Promise.reject("failed")));
    void scheduler.postTask(() => "done", { delay: 50 }).then((value) => seen.push(value));
    const options = { delay: 10, signal };
    await time.run(scheduler.postTask(() => {}, { signal }));
    assertEquals([listeners(), time.now], [0, 0]);
    const ended = errorOf(scheduler.postTask(() => seen.push("never"), options));
    void scheduler.yield().then(() => seen.push("yield"));
    controller.abort("enough");
    await time.advance(49);
    assertEquals([seen, await ended, await failed], [["yield"], ["enough"], ["failed"]]);
    await time.advance(1);
    assertEquals(seen, ["yield", "done"]);
    assertEquals(await errorOf(scheduler.postTask(() => 1, options)), ["enough"]);
    assertEquals(time.timers, 0);
  } finally {
    if (own === undefined) delete realm.scheduler;
    else Object.defineProperty(realm, "scheduler", own);
  }
  assertStrictEquals(scheduler.postTask, postTask);
});

test("virtualTime() puts everything back as it was, once", async () => {
  const time = virtualTime();
  assert(globalThis.setTimeout !== real.setTimeout);
  assertThrows(() => virtualTime(), Error, "Cannot replace the time: it is virtual already");
  time.restore();
  time.restore();
  assertEquals(look(), before);
  assertStrictEquals(globalThis.setTimeout, real.setTimeout);
  await using second = virtualTime();
  await time[Symbol.asyncDispose]();
  assert(globalThis.setTimeout !== real.setTimeout, "the first does not end the second");
  await assertRejects(() => time.advance(1), Error, "Cannot advance: the real time is back");
  await assertRejects(() => time.run(Promise.resolve()), Error, "the real time is back");
  assertEquals(second.now, 0);
});

test("virtualTime() that is restored within an advance fires no further timer", async () => {
  const time = virtualTime();
  const seen: string[] = [];
  setTimeout(() => {
    seen.push("restores");
    time.restore();
  }, 10);
  setTimeout(() => seen.push("never"), 20);
  await time.advance(100);
  assertEquals([seen, time.now], [["restores"], 10]);
});

test("advance() fails with what a callback throws, and can go on", async () => {
  await using time = virtualTime();
  let fired = 0;
  setTimeout(() => {
    throw undefined;
  }, 10);
  setTimeout(() => fired++, 20);
  const failed = await time.advance(100).then(() => "nothing", (reason) => [reason]);
  assertEquals([failed, time.now, fired], [[undefined], 10, 0]);
  await time.advance(90);
  assertEquals([time.now, fired], [100, 1]);
});

test("advance() and run() refuse to go at the same time, and what is no time or promise", async () => {
  await using time = virtualTime();
  const first = time.advance(10);
  await assertRejects(() => time.advance(1), Error, "Cannot advance: the clock moves already");
  await assertRejects(() => time.run(Promise.resolve()), Error, "Cannot run: the clock moves");
  await first;
  assertEquals(time.now, 10);
  await assertRejects(() => time.advance(-1), RangeError, "ms must be a number of at least 0");
  await assertRejects(() => time.advance(NaN), RangeError, "got NaN");
  await assertRejects(() => time.advance(Infinity), RangeError, "got Infinity");
  await assertRejects(() => time.advance("1" as never), TypeError, "ms must be a number");
  await assertRejects(() => time.run(5 as never), TypeError, "promise must be a promise, got 5");
  const run = (options: object) => () => time.run(Promise.resolve(), options);
  await assertRejects(run({ io: 1 }), TypeError, "io must be a boolean");
  await assertRejects(run({ limitMs: 0 }), RangeError, "limitMs must be a number above 0");
  await assertRejects(run({ maxTimers: 0 }), RangeError, "maxTimers must be a positive integer");
  await assertRejects(run({ limit: 1 }), TypeError, 'did you mean "limitMs"');
  assertThrows(() => setTimeout("code" as never), TypeError, "callback must be a function");
});

test("virtualTime() refuses what is no date", () => {
  assertThrows(() => virtualTime({ startsAt: NaN }), RangeError, "startsAt must be a valid date");
  assertThrows(() => virtualTime({ startsAt: "1" as never }), TypeError, "startsAt must be a Date");
  assertThrows(() => virtualTime({ starts: 1 } as never), TypeError, "unknown option");
});

test("run() moves the clock to where its promise settles, and no further", async () => {
  await using time = virtualTime();
  setTimeout(() => {}, 100_000);
  assertEquals(await time.run(toArray(interval(20_000), take<number>(3))), [0, 1, 2]);
  assertEquals([time.now, time.timers], [60_000, 1]);
  const reason = new Error("failed");
  const failing = new Promise((_, reject) => setTimeout(reject, 10, reason));
  assertStrictEquals((await errorOf(time.run(failing)))[0], reason);
  assertEquals(await errorOf(time.run(Promise.reject(undefined))), [undefined]);
  assertEquals(time.now, 60_010);
});

test("run() gives a job that works long its turns, although no timer is set", async () => {
  await using time = virtualTime();
  let written = 0;
  const job = pipeline(Array(3_000).fill(1), async () => {
    written++;
    await new Promise((resolve) => setImmediate(resolve));
  });
  await time.run(job);
  assertEquals([written, time.now], [3_000, 0]);
});

test("advance() goes on although what happens never ends", async () => {
  await using time = virtualTime();
  let isOver = false;
  const again = (): unknown => isOver || setImmediate(again);
  setImmediate(again);
  setTimeout(() => isOver = true, 10);
  await time.advance(20);
  assertEquals([isOver, time.now, time.timers], [true, 20, 0]);
});

test("run() that hangs says which part of which run waits, in no time", async () => {
  await using time = virtualTime();
  const controller = new AbortController();
  const { signal } = controller;
  const job = pipeline(
    interval(10),
    function save(n: number) {
      return n === 2 ? new Promise(() => {}) : undefined;
    },
    { signal },
  );
  const [{ message }] = await errorOf(time.run(job)) as [Error];
  assertEquals(message.split("\n"), [
    "Cannot run: the promise has not settled, and nothing can move: no timer is set",
    "pipeline, for 0.0 s: 3 read, 2 written, none for 0.0 s",
    "  sink, save: its write 3 has not settled",
  ]);
  assertEquals(time.now, 30);
  controller.abort();
  await errorOf(job);
});

test("run() ends where an interval goes on without end", async () => {
  await using time = virtualTime();
  const ticks = setInterval(() => {}, 10);
  const never = new Promise(() => {});
  const [{ message }] = await errorOf(time.run(never, { maxTimers: 25 })) as [Error];
  assertEquals(
    message,
    "Cannot run: the promise has not settled after 25 timers and 250 ms\nNo run is pending",
  );
  clearInterval(ticks);
});

test("run() ends where one setImmediate follows the other without end", async () => {
  await using time = virtualTime();
  let isOver = false;
  const ask = () => isOver || void setImmediate(ask);
  ask();
  const [{ message }] = await errorOf(time.run(new Promise(() => {}), { maxTimers: 25 })) as [
    Error,
  ];
  assertEquals(
    message,
    "Cannot run: the promise has not settled after 25 timers and 0 ms\nNo run is pending",
  );
  isOver = true;
  const many = new Promise<number>((resolve) => {
    const count = (n: number) => void (n === 24 ? resolve(n) : setImmediate(count, n + 1));
    count(0);
  });
  assertEquals(await time.run(many, { maxTimers: 26 }), 24);
});

test("run() with io waits for what takes real time before the clock moves", async () => {
  await using time = virtualTime();
  const answer = new Promise<string>((resolve) => real.setTimeout(() => resolve("answer"), 40));
  assertEquals(await time.run(answer, { io: true, limitMs: 600_000 }), "answer");
  assertEquals(time.now, 0);
  const bytes = new Response(
    new Blob(["a".repeat(100_000)]).stream().pipeThrough(
      new CompressionStream("gzip"),
    ),
  ).arrayBuffer();
  assert((await time.run(bytes, { io: true, limitMs: 600_000 })).byteLength < 10_000);
  const late = new Promise((resolve) => setTimeout(resolve, 100, "late"));
  assertEquals(await time.run(late, { io: true, limitMs: 600_000 }), "late");
  assertEquals(time.now, 100);
});

test("run() with io gives an answer its time before the clock moves to a timer", async () => {
  await using time = virtualTime();
  const timeout = AbortSignal.timeout(1000);
  const answer = new Promise<string>((resolve) => real.setTimeout(() => resolve("answer"), 3));
  assertEquals(await time.run(answer, { io: true, limitMs: 600_000 }), "answer");
  assertEquals([time.now, timeout.aborted], [0, false]);
});

test("run() with io fails after its limit of real time", async () => {
  await using time = virtualTime();
  const never = new Promise(() => {});
  const [{ message }] = await errorOf(time.run(never, { io: true, limitMs: 5 })) as [Error];
  assertEquals(
    message,
    "Cannot run: the promise has not settled, after 5 ms of real time\n" +
      "No run is pending",
  );
});
