import { test } from "node:test";
import { inspect } from "node:util";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import {
  attempt,
  batch,
  batchBy,
  changes,
  compose,
  distinct,
  dropWhile,
  encode,
  filter,
  flatMap,
  fuse,
  intersperse,
  limitRate,
  lines,
  map,
  pairwise,
  parallel,
  pipeline,
  scan,
  sliding,
  stage,
  take,
  takeLast,
  takeUntil,
  takeWhile,
  tap,
  type Transformer,
} from "@hosepipe/streams";
import { testSource, virtualTime } from "@hosepipe/streams/testing";
import { countedSignal } from "../lib/counted_signal.ts";
import { countedSource, endingSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { operators } from "../lib/operators.ts";
import { checkPrograms, programWays, runProgram } from "../lib/programs.ts";
import { reasons } from "../lib/reasons.ts";
import { run } from "../lib/run.ts";
import { draws } from "../lib/thorough.ts";
import { turns } from "../lib/turns.ts";

// What small stages give, and how they fail; what all stages share is asked in tests/laws.

// deno-lint-ignore no-explicit-any
type Any = any;

type Call = (...args: Any[]) => Any;
const callers: Readonly<Record<string, (fn: Call) => Transformer<Any, unknown>>> = {
  batchBy: (fn) => batchBy(fn, 1),
  changes,
  "changes, by a comparer": (equals) =>
    compose(stage({ start: (to) => to.enqueue(0) }), changes({ equals })),
  distinct: (key) => distinct({ key }),
  dropWhile,
  filter,
  "filter, several at a time": (fn) => filter(fn, { concurrency: Infinity }),
  flatMap,
  map,
  parallel: (fn) => parallel(fn, { concurrency: 1 }),
  scan: (fn) => scan((_, chunk, index, context) => fn(chunk, index, context), 0),
  "scan, its seed": (seed) => scan((state) => state, { seed }),
  takeWhile,
  tap,
};

for (const [name, make] of Object.entries(callers)) {
  test(`${name}: what its function throws, or is rejected with, fails the stream`, async () => {
    for (const { reason } of reasons) {
      const thrower = () => {
        throw reason;
      };
      assertEquals(await errorOf(run([1], make(thrower))), [reason]);
      if (/comparer|seed/.test(name)) continue;
      assertEquals(await errorOf(run([1], make(() => Promise.reject(reason)))), [reason]);
    }
  });
  if (/comparer|seed/.test(name)) continue;
  test(`${name}: its function is given the chunk, its index and a signal of each stream`, async () => {
    const calls: [chunk: unknown, index: unknown, signal: AbortSignal][] = [];
    const stage = make((chunk, index, context) => {
      calls.push([chunk, index, context.signal]);
      return name === "flatMap" ? [chunk] : name === "dropWhile" ? index === -1 : chunk;
    });
    const readers = ["a", "b"].map((chunk) =>
      countedSource({ chunk: () => chunk }).readable.pipeThrough(new TransformStream(stage))
        .getReader()
    );
    for (const reader of readers) await reader.read();
    await turns();
    const ofStream = (name: string) => calls.filter(([chunk]) => chunk === name);
    const isOnce = name === "dropWhile";
    for (const name of ["a", "b"]) {
      const given = ofStream(name);
      assert(isOnce || given.length > 0);
      assertEquals(given.map(([, index]) => index), given.map((_, n) => n));
      assert(given.every(([, , signal]) => !signal.aborted));
    }
    await readers[0]!.cancel("why");
    assert(ofStream("a").every(([, , { reason }]) => reason === "why"));
    assert(ofStream("b").every(([, , { aborted }]) => !aborted));
    await readers[1]!.cancel();
  });
}

test("dropWhile asks no more once a chunk has stayed", async () => {
  const asked: number[] = [];
  await run([1, 2, 3, 1], dropWhile((n: number) => asked.push(n) < 3));
  assertEquals(asked, [1, 2, 3]);
});

test("filter and takeWhile narrow the type by a type guard", async () => {
  const isText = (chunk: string | number): chunk is string => typeof chunk === "string";
  const texts: string[] = await run(["a", 1], filter(isText));
  const first: string[] = await run(["a", 1, "b"], takeWhile(isText));
  assertEquals([texts, first], [["a"], ["a"]]);
});

test("sliding gives arrays of their own, and stage the very transformer", async () => {
  const [first, second] = await run([1, 2, 3], sliding<number>(2));
  first!.push(9);
  assertEquals(second, [2, 3]);
  const transformer = {};
  assertStrictEquals(stage(transformer), transformer);
});

for (
  const [name, make, output, reads] of [
    ["take", () => take(3), [0, 1, 2], 3],
    ["take of none", () => take(0), [], Infinity],
    ["takeWhile", () => takeWhile((n: number) => n < 3), [0, 1, 2], 4],
  ] as const
) {
  test(`${name} ends as soon as it may, and cancels the source`, async () => {
    const source = countedSource();
    const taken = source.readable.pipeThrough(new TransformStream<number, unknown>(make()));
    assertEquals(await Array.fromAsync(taken), [...output]);
    await turns();
    assertEquals([source.readCount <= reads, source.cancelReasons.length], [true, 1]);
  });
}

test("take(1) ends before the source says more, and take(0) takes no chunk", async () => {
  const source = new ReadableStream<string>({ start: (controller) => controller.enqueue("only") });
  assertEquals(await Array.fromAsync(source.pipeThrough(new TransformStream(take<string>(1)))), [
    "only",
  ]);
  const { readable, writable } = new TransformStream(take<number>(0));
  assertEquals(await readable.getReader().read(), { done: true, value: undefined });
  assertEquals((await errorOf(writable.getWriter().write(1))).length, 1);
});

/** What a program's functions do with a chunk, and the numbers that its stage is made with. */
interface Settings {
  readonly size: number;
  readonly step: number;
  /** At which call the function fails, if at any. */
  readonly failsAt: number | null;
  /** After how many microtasks it answers; 0: at once. */
  readonly wait: number;
}

/** A stage, and the same as a generator over what came before. */
interface Subject {
  readonly make: (settings: Settings) => Transformer<number, unknown>;
  readonly model: (source: Iterable<number>, settings: Settings) => Iterable<unknown>;
  /** Whether a part of it works on a later chunk meanwhile, and may fail before the others do. */
  readonly runsAhead?: boolean;
}

/** A function that answers as the settings say; each program makes one. */
function callOf<T>({ failsAt, wait }: Settings, fn: (...chunks: number[]) => T) {
  let calls = 0;
  const call = (...chunks: number[]): T => {
    if (calls++ === failsAt) throw "call";
    return fn(...chunks);
  };
  return {
    now: call,
    asked: (...chunks: number[]): T =>
      wait === 0 ? call(...chunks) : microtasks(wait).then(() => call(...chunks)) as never,
  };
}

const keyOf = (n: number) => n % 5;
const texts = ["", "a", "\ud83d", "\ude00", "😀 ü", "日本語", "\r\n", "long text that is cut"];
const textOf = (n: number) => texts[n % texts.length]!;

const subjects: Record<string, Subject> = {
  "changes": {
    make: (settings) => {
      const { asked } = callOf(settings, keyOf);
      return changes((n: number) => asked(n));
    },
    *model(source, settings) {
      const { now } = callOf(settings, keyOf);
      let last: number | undefined;
      for (const n of source) {
        const key = now(n);
        if (key !== last) yield n;
        last = key;
      }
    },
  },
  "distinct, that fails": {
    make: (settings) => {
      const { asked } = callOf(settings, keyOf);
      return distinct({ key: (n: number) => asked(n), maxKeys: settings.size });
    },
    *model(source, settings) {
      const { now } = callOf(settings, keyOf);
      const known = new Set<number>();
      for (const n of source) {
        const key = now(n);
        if (known.has(key)) continue;
        if (known.size === settings.size) throw "limit";
        known.add(key);
        yield n;
      }
    },
  },
  "distinct, that forgets": {
    make: (settings) => {
      const { asked } = callOf(settings, keyOf);
      const maxKeys = settings.size;
      return distinct({ key: (n: number) => asked(n), maxKeys, atLimit: "forgetOldest" });
    },
    *model(source, settings) {
      const { now } = callOf(settings, keyOf);
      let known: number[] = [];
      for (const n of source) {
        const key = now(n);
        if (known.includes(key)) continue;
        known = [...known, key].slice(-settings.size);
        yield n;
      }
    },
  },
  "takeLast": {
    make: ({ size }) => takeLast(size - 1),
    *model(source, { size }) {
      const all = [...source];
      yield* all.slice(Math.max(0, all.length + 1 - size));
    },
  },
  "changes, by a comparer": {
    make: (settings) => {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      return changes({ equals: now });
    },
    *model(source, settings) {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      let last: [number] | undefined;
      for (const n of source) {
        if (last !== undefined && now(last[0], n)) continue;
        last = [n];
        yield n;
      }
    },
  },
  "distinct, by a comparer": {
    make: (settings) => {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      return distinct({ equals: now, maxKeys: settings.size, atLimit: "forgetOldest" });
    },
    *model(source, settings) {
      const { now } = callOf(settings, (a, b) => keyOf(a!) === keyOf(b!));
      let known: number[] = [];
      for (const n of source) {
        if (known.some((other) => now(other, n))) continue;
        known = [...known, n].slice(-settings.size);
        yield n;
      }
    },
  },
  "pairwise": {
    make: () => pairwise(),
    *model(source) {
      let last: [number] | undefined;
      for (const n of source) {
        if (last !== undefined) yield [last[0], n];
        last = [n];
      }
    },
  },
  "sliding": {
    make: ({ size, step }) => sliding(size, step),
    *model(source, { size, step }) {
      const seen: number[] = [];
      for (const n of source) {
        seen.push(n);
        const from = seen.length - size;
        if (from >= 0 && from % step === 0) yield seen.slice(from);
      }
    },
  },
  "scan without a seed": {
    make: (settings) => {
      const { asked } = callOf(settings, (sum, n) => sum! * 2 + n!);
      return scan((sum: number, n: number) => asked(sum, n));
    },
    *model(source, settings) {
      const { now } = callOf(settings, (sum, n) => sum! * 2 + n!);
      let sum: [number] | undefined;
      for (const n of source) {
        sum = [sum === undefined ? n : now(sum[0], n)];
        yield sum[0];
      }
    },
  },
  "intersperse": {
    make: ({ size }) => stageOfText(intersperse("-".repeat(size))),
    *model(source, { size }) {
      let isFirst = true;
      for (const n of source) {
        yield isFirst ? textOf(n) : "-".repeat(size) + textOf(n);
        isFirst = false;
      }
    },
  },
  "encode": {
    make: ({ size }) => stageOfText(encode({ size: size + 3 })),
    *model(source, { size }) {
      const encoder = new TextEncoder();
      const room = size + 3;
      let text = "";
      // As many characters as have room.
      const takeBlock = () => {
        let taken = "";
        for (const character of text) {
          if (encoder.encode(taken + character).length > room) break;
          taken += character;
        }
        text = text.slice(taken.length);
        return encoder.encode(taken);
      };
      for (const n of source) {
        text += textOf(n);
        while (text.length > room || text.length === room && !/[\ud800-\udbff]$/.test(text)) {
          yield takeBlock();
        }
      }
      while (text !== "") yield takeBlock();
    },
  },
  "a generator": {
    make: (settings) => {
      const { asked } = callOf(settings, (n) => n! * 10);
      return stage(async function* (source: AsyncIterable<number>) {
        let held: number[] = [];
        for await (const n of source) {
          held.push(await asked(n));
          if (n === 13) return;
          if (held.length < settings.size) continue;
          yield* held;
          held = [];
        }
        yield* held;
      });
    },
    *model(source, settings) {
      const { now } = callOf(settings, (n) => n! * 10);
      let held: number[] = [];
      for (const n of source) {
        held.push(now(n));
        if (n === 13) return;
        if (held.length < settings.size) continue;
        yield* held;
        held = [];
      }
      yield* held;
    },
  },
  "generators in a row": {
    runsAhead: true,
    make: (settings) => {
      const { asked } = callOf(settings, (n) => n!);
      const framed = (call: (n: number) => number) =>
        async function* (source: AsyncIterable<number>) {
          if (settings.step > 2) yield 100;
          for await (const n of source) {
            for (let copy = 1; copy < settings.size; copy++) yield await call(n);
            if (n === 13) return;
          }
          yield 200;
        };
      return compose(framed((n) => n), framed((n) => asked(n)), framed((n) => n));
    },
    model(source, settings) {
      const { now } = callOf(settings, (n) => n!);
      function* framed(before: Iterable<number>, call: (n: number) => number): Iterable<number> {
        if (settings.step > 2) yield 100;
        for (const n of before) {
          for (let copy = 1; copy < settings.size; copy++) yield call(n);
          if (n === 13) return;
        }
        yield 200;
      }
      return framed(framed(framed(source, (n) => n), now), (n) => n);
    },
  },
};

/** A stage of text where the programs give numbers. */
function stageOfText<O>(of: Transformer<string, O>): Transformer<number, unknown> {
  return compose(map(textOf), of);
}

const programs = fc.record({
  chunks: fc.array(fc.nat(14), { maxLength: 14 }),
  settings: fc.record({
    size: fc.integer({ min: 1, max: 4 }),
    step: fc.integer({ min: 1, max: 4 }),
    failsAt: fc.option(fc.nat(10)),
    wait: fc.nat(3),
  }),
  way: fc.constantFrom(...programWays),
  takes: fc.option(fc.nat(10)),
  sourceFailsAt: fc.option(fc.nat(14)),
  sinkFailsAt: fc.option(fc.nat(10)),
  sinkWait: fc.nat(2),
});

for (const [name, { make, model, runsAhead }] of Object.entries(subjects)) {
  test(`${name} gives what a generator over a list gives, over random programs`, async () => {
    await checkPrograms(
      fc.asyncProperty(programs, async (program) => {
        const { chunks, settings, way, takes, sourceFailsAt, sinkFailsAt, sinkWait } = program;
        function* failing() {
          for (const [index, n] of chunks.entries()) {
            if (index === sourceFailsAt) throw "source";
            yield n;
          }
          if (sourceFailsAt === chunks.length) throw "source";
        }
        const expected: unknown[] = [];
        let failure: unknown = "none";
        try {
          if (takes !== 0) {
            for (const chunk of model(failing(), settings)) {
              if (expected.length === sinkFailsAt) throw "sink";
              expected.push(chunk);
              if (expected.length === takes) break;
            }
          }
        } catch (reason) {
          failure = reason;
        }

        const ended = endingSource(chunks, sourceFailsAt);
        const out: unknown[] = [];
        const sink = (chunk: unknown) => {
          if (out.length === sinkFailsAt) throw "sink";
          out.push(chunk);
          if (sinkWait > 0) return microtasks(sinkWait);
        };
        const made = make(settings);
        const given = await errorOf(runProgram(way, ended.source, made, takes, sink));
        await turns(0);
        const seen = given === "none" ? given : given[0] instanceof RangeError ? "limit" : given[0];
        // Between native streams something is read ahead, and what fails there drops what waits.
        const mayFail = sourceFailsAt !== null || settings.failsAt !== null;
        const mayLose = runsAhead && mayFail ||
          way !== "pipeline" && (failure !== "none" || expected.length === takes);
        if (!mayLose) assertEquals([out, seen], [expected, failure]);
        else {
          assertEquals(out, expected.slice(0, out.length));
          assert(seen !== "none" || out.length === takes || out.length === expected.length);
        }
        if (takes !== 0 || chunks.length > 0) {
          if (way === "pipeline") assertEquals(ended.closed, 1);
        }
      }),
    );
  });
}

const getName = (row: { name: string }) => row.name;
const isLong = (text: string) => text.length > 3;
const runtimes = globalThis as unknown as Record<string, { inspect(value: unknown): string }>;
/** What `console.log` writes. */
const shown = runtimes.Deno?.inspect ?? runtimes.Bun?.inspect ?? inspect;

test("console.log of a stage says what made it", () => {
  async function* readRows(source: AsyncIterable<string>) {
    yield* source;
  }
  const expected: [stage: object, text: string][] = [
    [map(getName), "map(getName)"],
    [map((n) => n), "map(fn)"],
    [filter(isLong), "filter(isLong)"],
    [tap(console.log), "tap(log)"],
    [flatMap(Array), "flatMap(Array)"],
    [parallel(getName, { concurrency: 2 }), "parallel(getName)"],
    [batch(3), "batch()"],
    [lines(), "lines()"],
    [distinct(), "distinct()"],
    [scan((a: number, b: number) => a + b, 0), "scan(fn)"],
    [take(1), "take()"],
    [stage(readRows), "stage(readRows)"],
    [attempt(getName), "attempt(getName)"],
    [attempt(parallel(getName, { concurrency: 2 })), "attempt(getName)"],
    [compose(map(getName), filter(isLong)), "compose(map(getName), filter(isLong))"],
    [compose(readRows, lines()), "compose(stage(readRows), lines())"],
    [compose(), "compose()"],
  ];
  for (const [stage, text] of expected) {
    assertEquals([shown(stage), inspect(stage)], [text, text]);
    assert(shown({ inside: [stage] }).includes(text));
  }
});

test("every stage that the package exports says its name", () => {
  for (const { name, make } of operators) {
    const made = make();
    // Not made by the package, or a map by another name.
    if (/by hand|no transform|^stage$|^formatNdjson$/.test(name)) continue;
    const text = shown(made);
    if (text.startsWith("{") || text.startsWith("compose(")) continue;
    assert(text.startsWith(`${name.split(",")[0]}(`), `${name}: ${text}`);
  }
});

test("a copy of a stage shows what is in it, as any object", () => {
  assert(shown({ ...map(getName), flush() {} }).includes("flush"));
  assert(shown({ ...take(1) }).includes("transform"));
});

type Ways = "native" | "fused";
const ways: readonly Ways[] = ["native", "fused"];

function through<T>(way: Ways, source: ReadableStream<T>, stage: Transformer<T, T>) {
  return source.pipeThrough(way === "fused" ? fuse(stage) : new TransformStream(stage));
}

for (const way of ways) {
  for (const by of ["a signal", "a promise"] as const) {
    test(`takeUntil() ends at once by ${by} while nothing comes, ${way}`, async () => {
      const source = testSource<number>();
      const listened = countedSignal();
      const { promise, resolve } = Promise.withResolvers<void>();
      const stage = takeUntil<number>(by === "a signal" ? listened.signal : promise);
      const reader = through(way, source.readable, stage).getReader();
      const first = reader.read();
      await turns();
      source.give(1);
      assertEquals((await first).value, 1);
      const second = reader.read();
      await turns();
      if (by === "a signal") listened.abort("not a failure");
      else resolve();
      assertEquals((await second).done, true);
      await turns();
      assertEquals([source.state, listened.listeners()], ["cancelled", 0]);
    });
  }

  test(`takeUntil() with a signal that has aborted ends before any chunk, ${way}`, async () => {
    const source = countedSource();
    const ended = through(way, source.readable, takeUntil<number>(AbortSignal.abort()));
    assertEquals(await Array.fromAsync(ended), []);
    await turns();
    assertEquals(source.cancelReasons.length, 1);
  });

  test(`a promise that is rejected fails takeUntil(), ${way}`, async () => {
    const source = testSource<number>();
    const { promise, reject } = Promise.withResolvers<void>();
    const reader = through(way, source.readable, takeUntil<number>(promise)).getReader();
    const read = errorOf(reader.read());
    await turns();
    reject(undefined);
    assertEquals(await read, [undefined]);
    assertEquals(await source.cancelled, undefined);
  });

  for (const end of ["the end", "cancel"] as const) {
    test(`takeUntil() leaves no listener after ${end}, ${way}`, async () => {
      const listened = countedSignal();
      const stage = takeUntil<number>(listened.signal);
      for (let n = 0; n < 100; n++) {
        const stream = through(way, countedSource({ length: 3 }).readable, stage);
        if (end === "cancel") await stream.cancel();
        else assertEquals(await Array.fromAsync(stream), [0, 1, 2]);
      }
      await turns();
      assertEquals(listened.listeners(), 0);
    });
  }
}

test("takeUntil() in pipeline ends the run, with what is written so far", async () => {
  for (const by of ["a signal", "a promise"] as const) {
    const source = testSource<number>();
    const listened = countedSignal();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stage = takeUntil<number>(by === "a signal" ? listened.signal : promise);
    const written: number[] = [];
    const job = pipeline(source.readable, stage, (n: number) => void written.push(n));
    await turns();
    source.give(1);
    await turns();
    if (by === "a signal") listened.abort(new Error("no failure"));
    else resolve();
    assertEquals((await job).chunksWritten, 1);
    assertEquals([written, source.state, listened.listeners()], [[1], "cancelled", 0]);
  }
});

test("one takeUntil() in several streams ends all of them", async () => {
  const stop = new AbortController();
  const stage = takeUntil<number>(stop.signal);
  const streams = [testSource<number>(), testSource<number>(), testSource<number>()];
  const ended = streams.map(({ readable }) =>
    Array.fromAsync(readable.pipeThrough(new TransformStream(stage)))
  );
  await turns();
  streams[1]!.give(1);
  await turns();
  stop.abort();
  assertEquals(await Promise.all(ended), [[], [1], []]);
});

test("a promise that many takeUntil() watch is asked once at a time", async () => {
  let asked = 0;
  const never = new Promise<void>(() => {});
  const { then } = never;
  never.then = ((...args: Parameters<typeof then>) => {
    asked++;
    return then.apply(never, args);
  }) as typeof then;
  for (let n = 0; n < 1000; n++) assertEquals(await run([n], takeUntil<number>(never)), [n]);
  assertEquals(asked, 1);
});

test("limitRate() lets a burst through, then one chunk in its time, reading none ahead", async () => {
  await using time = virtualTime();
  const source = countedSource({ length: 6 });
  const seen: [n: number, atMs: number][] = [];
  const done = pipeline(
    source.readable,
    limitRate<number>({ perSecond: 10, burst: 3 }),
    (n) => void seen.push([n, time.now]),
  );
  await time.advance(50);
  assertEquals(seen, [[0, 0], [1, 0], [2, 0]]);
  assertEquals(source.readCount, 4);
  await time.advance(1000);
  assertEquals(seen.slice(3), [[3, 100], [4, 200], [5, 300]]);
  await done;
  assertEquals(time.timers, 0);
});

test("limitRate() never lets more through in any time than burst and rate, and no less than it could", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 50 }),
      async (costs, perSecond) => {
        await using time = virtualTime();
        const seen: { cost: number; atMs: number }[] = [];
        const done = pipeline(
          costs,
          limitRate<number>({ perSecond, burst: 8, cost: (n) => n }),
          (cost) => void seen.push({ cost, atMs: time.now }),
        );
        await time.advance(100_000);
        await done;
        assertEquals(seen.map(({ cost }) => cost), costs);
        // The bucket by hand.
        let tokens = 8;
        let lastMs = 0;
        for (const { cost, atMs } of seen) {
          tokens = Math.min(8, tokens + (atMs - lastMs) * perSecond / 1000) - cost;
          lastMs = atMs;
          assert(tokens > -1e-6, `${tokens} tokens`);
        }
        const total = costs.reduce((sum, cost) => sum + cost, 0);
        const latestMs = Math.max(0, total - 8) * 1000 / perSecond + costs.length + 1;
        assert(lastMs <= latestMs, `${lastMs} > ${latestMs}`);
      },
    ),
    { numRuns: draws(40) },
  );
});
