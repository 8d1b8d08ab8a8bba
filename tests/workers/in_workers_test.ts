import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { test } from "node:test";
import { keyOfOptions } from "../../src/workers/in_workers_options.ts";
import {
  batch,
  changes,
  compose,
  distinct,
  expand,
  filter,
  flatMap,
  formatNdjson,
  fuse,
  lines,
  map,
  parallel,
  parseNdjson,
  pipeline,
  scan,
  split,
  take,
  tap,
  toArray,
} from "../../mod.ts";
import { inWorkers, type InWorkersOptions } from "../../src/workers/mod.ts";
import { type Order, OwnError } from "./modules/hard.ts";
import { readdirSync } from "node:fs";
import process from "node:process";
import { isThorough } from "../lib/thorough.ts";
import { pendingRuns, probe } from "../../src/inspect/mod.ts";
import { serveProbe } from "../../node_compat/mod.ts";
import { turns } from "../lib/turns.ts";
import { EventClient } from "../probe_server/_event_client.ts";
import { checkMemory } from "../../src/workers/check_memory.ts";

const urlOf = (name: string) => new URL(`./modules/${name}.ts`, import.meta.url);
const hard = (options: InWorkersOptions = {}) =>
  inWorkers<typeof import("./modules/hard.ts")>(urlOf("hard"), { threads: 2, ...options });
const square = (options: InWorkersOptions = {}) =>
  inWorkers<typeof import("./modules/square.ts")>(urlOf("square"), { threads: 2, ...options });
const order = (does: Order["does"], value?: unknown): Order => ({ does, value });
const echo = (value: unknown): Order => ({ does: "echo", value });
const count = (length: number) => Array.from({ length }, (_, index) => index);

test("inWorkers gives what the stages give, in order, in pipeline, fused and native", async () => {
  const expected = count(2_000).map((n) => n * n);
  assertEquals(await toArray(count(2_000), square()), expected);
  const source = () => ReadableStream.from(count(2_000));
  assertEquals(await Array.fromAsync(source().pipeThrough(fuse(square()))), expected);
  const native = source().pipeThrough(new TransformStream(square()));
  assertEquals(await Array.fromAsync(native), expected);
});

test("inWorkers gives the same in another order, if it may", async () => {
  const loose = await toArray(count(300), square({ blockSize: 7, ordered: false }));
  assertEquals(loose.toSorted((a, b) => a - b), count(300).map((n) => n * n));
});

test("a stage can be used again, twice in one chain and by several runs at once", async () => {
  const stage = square();
  const runs = await Promise.all(
    count(4).map(() => toArray(count(500), stage, stage)),
  );
  for (const run of runs) assertEquals(run, count(500).map((n) => n ** 4));
});

test("a chunk goes on although nothing follows it", async () => {
  let give!: (chunk: number) => void, end!: () => void;
  const source = new ReadableStream<number>({
    start(controller) {
      give = (chunk) => controller.enqueue(chunk);
      end = () => controller.close();
    },
  });
  const reader = source.pipeThrough(fuse(square({ blockSize: 100 }))).getReader();
  give(3);
  assertEquals(await reader.read(), { done: false, value: 9 });
  give(4);
  give(5);
  assertEquals([await reader.read(), await reader.read()].map(({ value }) => value), [16, 25]);
  end();
  assertEquals((await reader.read()).done, true);
});

test("a failure arrives with its class, fields and cause, after all that came before it", async () => {
  for (const maxBlocks of [1, 4]) {
    const got: unknown[] = [];
    const orders = [...count(20).map(echo), order("throwOwn", 20), echo(21)];
    const error = await assertRejects(() =>
      pipeline(
        orders,
        hard({ errorClasses: [OwnError], maxBlocks, perBlock: true, blockSize: 4 }),
        (
          chunk,
        ) => void got.push(chunk),
      )
    );
    assertEquals(got, count(20));
    assertInstanceOf(error, OwnError);
    assertEquals([error.name, error.message, error.row], ["OwnError", "row 20", 20]);
    assertInstanceOf(error.cause, RangeError);
    assert(error.stack?.includes("hard.ts"), error.stack);
  }
});

test("a class that is not named gives an Error of the same name; undefined is an error, too", async () => {
  const own = await assertRejects(() => toArray([order("throwOwn", 1)], hard()));
  assertEquals([(own as Error).name, own instanceof OwnError], ["OwnError", false]);
  await assertRejects(
    () => toArray([order("throw", 2)], hard()),
    TypeError,
    "thrown for 2",
  );
  let reason: unknown = "none";
  await toArray([order("throwUndefined")], hard()).catch((error) => reason = error);
  assertEquals(reason, undefined);
});

test("a thread that ends by itself fails the run, and the next run has another", async () => {
  await assertRejects(
    () => toArray([echo(1), order("exit"), echo(2)], hard()),
    Error,
    "A thread is gone",
  );
  assertEquals(await toArray([echo(1)], hard()), [1]);
});

test("a module that cannot be loaded, defines nothing or refuses its options fails the run", async () => {
  for (
    const [name, message] of [
      ["broken", "this module cannot be loaded"],
      ["refused", "options.table must be a string"],
      ["empty", "ended"],
      ["missing", "missing"],
    ] as const
  ) {
    const stage = inWorkers(urlOf(name), { threads: 1 });
    const error = await assertRejects(() => toArray([1], stage), Error, "Cannot start thread");
    assert(error.message.includes(message), error.message);
  }
});

test("what cannot be cloned fails the run with its place, on the way in and out", async () => {
  const bad = echo({ deep: [1, () => {}] });
  await assertRejects(
    () => toArray([bad], hard()),
    TypeError,
    "Cannot send block 0 to a thread: chunks[0].value.deep[1] is a function",
  );
  await assertRejects(
    () => toArray([order("function")], hard()),
    TypeError,
    "Cannot send what a stage made: chunks[0] is a function",
  );
});

test("one chunk may give very many: they come in parts, as they are wanted", async () => {
  const many = await toArray([order("many", 100_000), echo("end")], hard());
  assertEquals([many.length, many[99_999], many.at(-1)], [100_001, 99_999, "end"]);
  const few = await toArray([order("many", 1_000_000)], hard(), take(3));
  assertEquals(few, [0, 1, 2]);
  // The thread is free again.
  assertEquals(await toArray([echo(1)], hard({ threads: 1 })), [1]);
});

test("a slow reader of a stage does not stop another run in the same threads", async () => {
  const slow = ReadableStream.from([order("many", 50_000)])
    .pipeThrough(fuse(hard({ threads: 1 }))).getReader();
  assertEquals((await slow.read()).value, 0);
  assertEquals(await toArray([echo("b")], hard({ threads: 1 })), ["b"]);
  let left = 0;
  while (!(await slow.read()).done) left++;
  assertEquals(left, 49_999);
});

test("a block that takes too long fails the run", async () => {
  await assertRejects(
    () => toArray([order("loop")], hard({ timeoutMs: 100, threads: 1 })),
    DOMException,
    "Block 0 has taken longer than 100 ms",
  );
});

test("a block that takes too long can be left out; the others of its thread are run again", async () => {
  const skipped: unknown[] = [];
  const got = await toArray(
    [...count(6).map(echo), order("loop"), ...count(6).map(echo)],
    hard({
      ...{ timeoutMs: 3_000, blockSize: 1, perBlock: true, threads: 1, maxBlocks: 13 },
      onTimeout: (index, chunks) => {
        skipped.push([index, chunks]);
        return "skip";
      },
    }),
  );
  assertEquals([got, skipped], [[...count(6), ...count(6)], [[6, [order("loop")]]]]);
});

test("a signal and a cancel stop at once, whatever the threads do", async () => {
  const stop = new AbortController();
  const running = pipeline(
    [echo(1), order("hang")],
    hard(),
    () => stop.abort("enough"),
    {
      signal: stop.signal,
    },
  );
  assertEquals(await running.then(() => "ended", (reason) => reason), "enough");
  const orders = [echo(1), order("hang")];
  const source = new ReadableStream<Order>({
    pull: (controller) => orders.length > 0 ? controller.enqueue(orders.shift()!) : undefined,
  });
  const reader = source.pipeThrough(new TransformStream(hard({ blockSize: 1 }))).getReader();
  assertEquals((await reader.read()).value, 1);
  await reader.cancel("enough");
});

test("the result of a run says what threads did", async () => {
  const stage = square({ blockSize: 10, perBlock: true });
  const { threads } = await pipeline(count(95), stage, stage, () => {});
  const { busyMs, ...counts } = threads!;
  assert(busyMs > 0);
  assertEquals(counts, {
    ...{ blocks: 20, blocksInPlace: 0, blocksSkipped: 0, threadsLeftBehind: 0 },
  });
  assertEquals((await pipeline(count(3), () => {})).threads, undefined);
});

test("a function that imports the module runs it in place, and the result says so", async () => {
  const importing = () => import("./modules/square.ts");
  const stage = inWorkers<typeof import("./modules/square.ts")>(importing, { blockSize: 4 });
  const given: number[] = [];
  const { threads } = await pipeline(count(30), stage, (n) => void given.push(n));
  assertEquals(given, count(30).map((n) => n * n));
  assert(threads!.blocks > 0);
  assertEquals(threads!.blocksInPlace, threads!.blocks);
  const failing = inWorkers(() => import("./modules/broken.ts"));
  await assertRejects(() => toArray([1], failing), Error, "this module cannot be loaded");
  const empty = inWorkers(() => Promise.resolve({}));
  await assertRejects(() => toArray([1], empty), Error, "is not what defineStages returns");
});

test("the result says which blocks were left out, and how many threads go on all the same", async () => {
  const stage = hard({
    ...{ timeoutMs: 2_000, blockSize: 1, perBlock: true, threads: 1 },
    onTimeout: () => "skip",
  });
  const { threads } = await pipeline([echo(1), order("hang"), echo(2)], stage, () => {});
  const left = "Deno" in globalThis ? 1 : 0;
  assertEquals([threads!.blocksSkipped, threads!.threadsLeftBehind], [1, left]);
});

test("perThread keeps one for each thread", async () => {
  const counts = await toArray(
    count(10).map(() => order("count")),
    hard({ threads: 1, name: "counting", blockSize: 1 }),
  );
  assertEquals(counts, count(10).map((n) => n + 1));
});

test("inWorkers refuses bad arguments", () => {
  const make = (options: object, module: unknown = urlOf("square")) => () =>
    inWorkers(module as URL, options as InWorkersOptions);
  assertThrows(
    make({}, 5),
    TypeError,
    "module must be a URL or a function that makes a worker, got 5",
  );
  assertThrows(make({}, "no url"), TypeError, "module must be");
  assertThrows(make({ threads: 0 }), RangeError, "threads must be a positive integer, got 0");
  assertThrows(make({ maxBlocks: 1.5 }), RangeError, "maxBlocks");
  assertThrows(make({ cut: "" }), TypeError, "cut must be a string of at least one character");
  assertThrows(make({ ordered: 1 }), TypeError, "ordered must be a boolean");
  assertThrows(make({ theads: 1 }), TypeError, 'unknown option "theads"');
  assertThrows(make({ errorClasses: [1] }), TypeError, "errorClasses");
});

test("equal plain options have one key, others have others", () => {
  for (const options of [undefined, null, true, "a", 1.5, [1, "x", null], { a: { b: [1] } }, {}]) {
    assertEquals(keyOfOptions(options), keyOfOptions(structuredClone(options)));
    assertEquals(typeof keyOfOptions(options), "string");
  }
  const different = [undefined, null, "", "null", 0, false, [], {}, [null], { a: 1 }, { a: "1" }];
  const keys = different.map(keyOfOptions);
  assertEquals(new Set(keys).size, keys.length);
  assertNotEquals(keyOfOptions("1"), keyOfOptions(1));
});

test("what JSON does not tell apart has no key", () => {
  const loop: unknown[] = [];
  loop.push(loop);
  class Point {
    x = 1;
  }
  for (
    const options of [
      ...[NaN, Infinity, -0, 1n, new Date(0), new Map(), new Point(), Symbol("a"), loop],
      ...[{ a: undefined }, [undefined], [, 1], { toJSON: () => 1 }, { [Symbol.iterator]: 1 }],
      ...[() => {}, new Uint8Array(1), "x".repeat(20_000), Object.create(null)],
    ]
  ) assertEquals(keyOfOptions(options), undefined);
});

const squares = new URL("./modules/square.ts", import.meta.url);

/** How many threads the process has, where the system says it. */
function countThreads(): number | undefined {
  return process.platform === "linux" ? readdirSync("/proc/self/task").length : undefined;
}

/** Waits until threads that were ended are gone: how long that takes is the system's. */
async function countSettled(atMost: number): Promise<number> {
  let count = countThreads()!;
  for (let turn = 0; turn < 20_000 && count > atMost; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    count = countThreads()!;
  }
  return count;
}

const pools = isThorough ? 1000 : 12;

test(`${pools} pools, each made and ended, leave no thread`, async () => {
  const run = async (index: number) => {
    const stage = inWorkers<typeof import("./modules/square.ts")>(squares, {
      ...{ threads: 1, idleMs: 0, name: `pool ${index}` },
    });
    assertEquals(await toArray([index], stage), [index * index]);
  };
  await run(0);
  await run(1);
  const before = countThreads();
  for (let index = 2; index < pools; index++) await run(index);
  if (before === undefined) return;
  // The runtimes keep a few threads of their own.
  const after = await countSettled(before + 2);
  assert(after <= before + 2, `${before} threads before, ${after} after`);
});

const chunkCount = isThorough ? 10_000_000 : 200_000;

test(`${chunkCount} chunks through threads hold no more than their blocks`, async () => {
  let [given, taken, most, sum] = [0, 0, 0, 0];
  function* source() {
    for (; given < chunkCount; given++) yield given % 1000;
  }
  const stage = inWorkers<typeof import("./modules/square.ts")>(squares, {
    ...{ threads: 2, blockSize: 256, maxBlocks: 3 },
  });
  await pipeline(source(), stage, (chunk) => {
    taken++;
    sum += chunk;
    most = Math.max(most, given - taken);
  });
  const expected = Array.from({ length: 1000 }, (_, n) => n * n).reduce((one, two) => one + two) *
    (chunkCount / 1000);
  assertEquals([taken, sum], [chunkCount, expected]);
  assert(most <= 256 * 4 + 1, `${most} chunks were on their way`);
});

const hanging = () =>
  inWorkers<typeof import("./modules/hard.ts")>(new URL("./modules/hard.ts", import.meta.url), {
    threads: 2,
    blockSize: 1,
  });
const orders: Order[] = Array.from({ length: 10 }, () => ({ does: "hang" }));
const said = /^4 blocks in flight, 2 of 2 threads at work, 0\.0 s of work so far$/;

test("pendingRuns says what threads do", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const run = pipeline(orders, hanging(), () => {}, { signal });
  await turns();
  const [{ waitsFor }] = pendingRuns() as [ReturnType<typeof pendingRuns>[number]];
  assertEquals([waitsFor[0]!.stage, waitsFor[0]!.name], [1, "inWorkers"]);
  assertMatch(waitsFor[0]!.what, said);
  controller.abort();
  await run.catch(() => {});
});

test("so does the page of a probe, and that of a run without one", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const look = probe();
  const runs = [
    pipeline(look.reader(orders), look.transformer(hanging(), { name: "threads" }), () => {}, {
      signal,
    }),
    pipeline(orders, hanging(), () => {}, { signal, runName: "clean" }),
  ];
  await turns();
  for (const shown of [look, "clean"]) {
    const { url, close } = await serveProbe(shown);
    const page = await EventClient.open(url);
    const { state } = await page.state();
    assertMatch(String(state.stages[1]!.waitsFor), said);
    await close();
  }
  controller.abort();
  await Promise.allSettled(runs);
});

const forgetful = [
  map((chunk) => chunk),
  filter(() => true),
  flatMap((chunk) => [chunk]),
  flatMap((chunk) => [chunk], { concurrency: 2 }),
  tap(() => {}),
  parallel((chunk) => chunk, { concurrency: 2 }),
  formatNdjson(),
  { transform() {} },
];

test("stages that remember nothing may run in threads, and records with cut", () => {
  checkMemory(forgetful, "nothing");
  checkMemory([...forgetful, lines(), split(","), parseNdjson(), compose(lines())], "record");
  checkMemory([take(1), batch(2), scan((sum: number) => sum, 0)], "block");
});

test("stages that remember chunks, or records without cut, are refused by their place", () => {
  const remembering = [
    ...[take(1), batch(2), batch(2, { maxBytes: 9 }), scan((sum: number) => sum, 0)],
    ...[compose(take(1)), distinct(), changes(), expand(() => [])],
  ];
  for (const stage of remembering) {
    for (const memory of ["nothing", "record"] as const) {
      assertThrows(() => checkMemory([stage], memory), TypeError, "give perBlock: true");
    }
  }
  assertThrows(
    () => checkMemory([map((chunk) => chunk), lines()], "nothing"),
    TypeError,
    "Cannot run stage 2 in threads: it remembers chunks, and would give something else at another size of block; give cut",
  );
});
