import { test } from "node:test";
import { assert, assertEquals, assertInstanceOf, assertStrictEquals } from "@std/assert";
import {
  batchBy,
  changes,
  compose,
  distinct,
  drop,
  dropWhile,
  filter,
  flatMap,
  intersperse,
  map,
  pairwise,
  parallel,
  scan,
  sliding,
  stage,
  take,
  takeLast,
  takeWhile,
  tap,
  type Transformer,
} from "@hosepipe/streams";
import { FilterKernel } from "../../src/kernels/filter.ts";
import { FlatMapKernel } from "../../src/kernels/flat_map.ts";
import { MapKernel } from "../../src/kernels/map.ts";
import { meaningOf } from "../../src/kernels/registry.ts";
import { TapKernel } from "../../src/kernels/tap.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { held } from "../lib/held.ts";
import { reasons } from "../lib/reasons.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

// What small stages give, and how they fail; what all stages share is asked in tests/laws.

// deno-lint-ignore no-explicit-any
type Any = any;
type Rows = readonly (readonly [
  name: string,
  make: () => Transformer<Any, unknown>,
  ...runs: (readonly [input: readonly unknown[], output: readonly unknown[]])[],
])[];

const soon = <T>(value: T) => Promise.resolve(value);
const isNear = (a: number, b: number) => Math.abs(a - b) < 2;
const lengthOf = (text: string) => text.length;
const thenable = (value: unknown) => ({
  then: (resolve: (value: unknown) => void) => resolve(value),
});
const seedOfTwo = { seed: () => 1, more: true };

const gives: Rows = [
  ["map, with the index", () => map((chunk, index) => `${index}${chunk}`), [["a", "b"], [
    "0a",
    "1b",
  ]]],
  ["map, of promises and thenables", () => map((n: number) => n > 1 ? thenable(n) : soon(n)), [[
    1,
    2,
  ], [
    1,
    2,
  ]]],
  ["map, of nothing that is a chunk", () => map((chunk) => chunk), [[undefined, null], [
    undefined,
    null,
  ]]],
  ["filter, by what is truthy", () => filter((n: number) => n % 2), [[0, 1, 2, 3], [1, 3]]],
  ["filter, by index", () => filter((_, index) => index !== 1), [["a", "b", "c"], ["a", "c"]]],
  ["filter, by promises", () => filter((n: number) => soon(n > 1)), [[1, 2, 3], [2, 3]]],
  ["tap, which ignores answers", () => tap(() => "ignored"), [["a", "b"], ["a", "b"]]],
  ["drop", () => drop(2), [[1, 2, 3, 4], [3, 4]], [[1, 2], []], [[1], []]],
  ["drop, of none", () => drop(0), [[1, 2], [1, 2]]],
  ["dropWhile", () => dropWhile((n: number) => n < 3), [[1, 2, 3, 1], [3, 1]], [[1, 2], []]],
  ["dropWhile, by promises", () => dropWhile((chunk) => soon(chunk === 0)), [
    [0, undefined, 0, null],
    [undefined, 0, null],
  ]],
  ["dropWhile, by index", () => dropWhile((_, index) => index < 2), [[5, 5, 1, 5], [1, 5]]],
  ["take, of more than there is", () => take(3), [[1, 2], [1, 2]]],
  ["take, that fails beyond its limit", () => take(2, { atLimit: "fail" }), [[1, 2], [1, 2]]],
  ["takeWhile, by promises", () => takeWhile((chunk) => soon(chunk !== "c")), [
    ["a", "b", "c", "a"],
    ["a", "b"],
  ], [["a", "b"], ["a", "b"]]],
  ["takeWhile, by index", () => takeWhile((_, index) => index < 2), [[7, 7, 7], [7, 7]]],
  ["takeLast", () => takeLast(2), [[1, 2, 3], [2, 3]], [[1], [1]]],
  ["scan", () => scan((sum: number, n: number) => sum + n, 10), [[1, 2, 3], [11, 13, 16]]],
  [
    "scan, with the index, of promises and values",
    () =>
      scan((text: string, n: number, index) => n % 2 ? soon(`${text}${index}`) : `${text}-`, ""),
    [
      [1, 2, 3],
      ["0", "0-", "0-2"],
    ],
  ],
  ["scan, of undefined", () => scan((state: unknown) => state, undefined), [[1, 2], [
    undefined,
    undefined,
  ]]],
  [
    "scan, a seed made anew",
    () => scan((seen: Set<number>, n) => seen.add(n), { seed: () => new Set<Any>() }),
    [
      [3],
      [new Set([3])],
    ],
  ],
  ["scan, a seed that is an object", () => scan((state: object) => state, seedOfTwo as object), [[
    1,
  ], [
    seedOfTwo,
  ]]],
  ["scan, without a seed", () => scan((sum: number, n: number, index) => sum + n * index), [[
    1,
    2,
    3,
  ], [
    1,
    3,
    9,
  ]], [[undefined], [undefined]]],
  ["changes", () => changes(), [[undefined, undefined, 1, 1, 2, 1], [undefined, 1, 2, 1]], [
    [NaN, NaN, 0, -0],
    [NaN, 0],
  ]],
  [
    "changes, by promises of keys and a comparer",
    () => changes({ key: (word: string) => soon(word.length), equals: isNear }),
    [["a", "bb", "cccc"], [
      "a",
      "cccc",
    ]],
  ],
  ["distinct, as a Map has keys", () => distinct(), [[1, 2, 1, NaN, NaN, 0, -0, "1"], [
    1,
    2,
    NaN,
    0,
    "1",
  ]]],
  ["distinct, by promises of keys", () => distinct({ key: (text: string) => soon(text.length) }), [
    ["a", "b", "cc"],
    ["a", "cc"],
  ]],
  ["distinct, by a comparer of keys", () => distinct({ key: lengthOf, equals: isNear }), [
    ["a", "cccc", "bb"],
    ["a", "cccc"],
  ]],
  ["distinct, with as many keys as it may", () => distinct({ maxKeys: 2 }), [[1, 2, 1, 2], [1, 2]]],
  ["distinct, that forgets the oldest", () => distinct({ maxKeys: 2, atLimit: "forgetOldest" }), [
    [1, 2, 1, 3, 1, 2, 3],
    [1, 2, 3, 1, 2, 3],
  ]],
  ["sliding", () => sliding(3, 2), [[1, 2, 3, 4, 5], [[1, 2, 3], [3, 4, 5]]], [[1, 2], []]],
  ["sliding, with gaps", () => sliding(1, 3), [[1, 2, 3, 4], [[1], [4]]]],
  ["pairwise", () => pairwise(), [[1, 2, 3], [[1, 2], [2, 3]]], [[1], []]],
  ["intersperse, which holds nothing", () => intersperse("-"), [["a", "", "b"], ["a", "-", "-b"]]],
  ["stage", () => stage(map((n: number) => -n)), [[1, 2], [-1, -2]]],
];

for (const [name, make, ...runs] of gives) {
  test(`${name}: gives what it should, also a second time`, async () => {
    const stage = make();
    for (const [input, output] of [...runs, [[], []] as const, ...runs]) {
      assertEquals(await run(input, stage), output);
    }
  });
}

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

test("what answers at once is given at once", () => {
  const at1: readonly (readonly [Transformer<Any, unknown>, ...unknown[]])[] = [
    [map((n: number) => n + 1), 2],
    [filter(() => true), 1],
    [filter(() => false)],
    [tap(() => "ignored"), 1],
    [scan((sum: number, n: number) => sum + n, 1), 2],
    [flatMap((n: number) => [n, n]), 1, 1],
    [flatMap((n: number) => new Set([n, 2])), 1, 2],
    [parallel((n: number) => n + 1, { concurrency: 1 }), 2],
    [parallel((n: number) => n + 1, { concurrency: 1, ordered: false }), 2],
  ];
  for (const [stage, ...enqueued] of at1) {
    assertEquals(callTransform(stage, 1), { result: undefined, enqueued });
  }
});

test("map, filter, tap and flatMap say to the engine what they do", () => {
  const kernels = [
    [map, MapKernel],
    [filter, FilterKernel],
    [tap, TapKernel],
    [flatMap, FlatMapKernel],
  ] as const;
  for (const [create, kernel] of kernels) {
    const stage = (create as Any)((chunk: Any) => chunk);
    for (const key of [stage, stage.transform!]) {
      assertInstanceOf(meaningOf(key)!.makeKernel!(), kernel);
    }
  }
});

test("map and tap wait for a promise before they ask for another chunk", async () => {
  for (const create of [map, tap] as ((fn: Call) => Transformer<Any, unknown>)[]) {
    const { fn, calls } = held<string>();
    const output = run(["a", "b"], create(fn));
    await turns();
    assertEquals(calls.length, 1);
    calls[0]!.resolve("a");
    await turns();
    assertEquals(calls.length, 2);
    calls[1]!.resolve("b");
    assertEquals(await output, ["a", "b"]);
  }
});

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

for (
  const [name, make, expected] of [
    [
      "take",
      () => take<number>(2, { atLimit: "fail" }),
      "Cannot take: there are more than 2 chunks",
    ],
    [
      "distinct",
      () => distinct<number>({ maxKeys: 2 }),
      "Cannot tell distinct chunks: there are more than 2 keys",
    ],
  ] as const
) {
  test(`${name} fails beyond its limit, after what is within it, and cancels the source`, async () => {
    const source = countedSource();
    const taken: number[] = [];
    const [error] = await errorOf((async () => {
      for await (const n of source.readable.pipeThrough(new TransformStream(make()))) taken.push(n);
    })());
    assertEquals([String(error), taken], [`RangeError: ${expected}`, [0, 1]]);
    await turns();
    assertEquals([source.readCount, source.cancelReasons.length], [3, 1]);
  });
}

/** Calls `transform` directly, with a controller that only gathers: shows what is answered at once. */
function callTransform<I, O>(transformer: Transformer<I, O>, chunk: I) {
  const enqueued: O[] = [];
  const controller = {
    desiredSize: 1,
    enqueue: (value: O) => void enqueued.push(value),
  } as unknown as TransformStreamDefaultController<O>;
  transformer.start?.(controller);
  return { result: transformer.transform!(chunk, controller) as unknown, enqueued };
}
