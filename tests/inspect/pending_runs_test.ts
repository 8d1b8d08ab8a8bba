import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  attempt,
  batch,
  channel,
  compose,
  concat,
  filter,
  flatMap,
  fromEvents,
  fuse,
  hub,
  interval,
  map,
  merge,
  mergeBy,
  parallel,
  peek,
  pipeline,
  reader,
  retry,
  scan,
  stage,
  take,
  tap,
  tee,
  timeout,
  toArray,
  toText,
  writer,
  zip,
} from "@hosepipe/streams";
import {
  type PendingRun,
  pendingRuns,
  printPendingRuns,
  reportOnSignal,
} from "@hosepipe/streams/inspect";
import { virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";
import { until } from "../lib/until.ts";
import { turns } from "../lib/turns.ts";

// deno-lint-ignore no-explicit-any -- stands for whatever is promised
const hang = (): Promise<any> => new Promise(() => {});
const silent = () => new ReadableStream<number>({});
const never = (): AsyncIterable<number> => ({ [Symbol.asyncIterator]: () => ({ next: hang }) });
const sink = () => {};

interface Options {
  readonly signal: AbortSignal;
}

/** A way to hang, and what is said first of it: side and stage, name, and what has not happened. */
type Way = readonly [
  name: string,
  start: (options: Options) => Promise<unknown>,
  where: string,
  called: string | RegExp,
  what: string | RegExp,
];

async function endless(n: number): Promise<number> {
  await hang();
  return n;
}

/** Every method of a stage of the user's, in every place of a chain of three. */
const methods: readonly Way[] = [0, 1, 2].flatMap((place) => {
  const chain = (own: Transformer<number, number>) => {
    const stages: Transformer<number, number>[] = [0, 1, 2].map(() => map((n: number) => n));
    stages[place] = own;
    return stages as [typeof own, typeof own, typeof own];
  };
  const where = `stage ${place + 1}`;
  const pass = (n: number, controller: TransformStreamDefaultController<number>) =>
    controller.enqueue(n);
  const run = (own: Transformer<number, number>, options: Options) =>
    pipeline([1, 2, 3], ...chain(own), sink, options);
  const taking = (own: Transformer<number, number>, options: Options) =>
    pipeline([1, 2, 3], ...chain(own), take<number>(1), sink, options);
  return [
    [
      `start ${place}`,
      (o) => run({ start: hang, transform: pass }, o),
      where,
      "transformer",
      "its start has not settled",
    ],
    [
      `transform ${place}`,
      (o) => run({ transform: hang }, o),
      where,
      "transformer",
      "its call with chunk 1 has not settled",
    ],
    [
      `the second transform ${place}`,
      (o) => run({ transform: (n, c) => n === 2 ? hang() : pass(n, c) }, o),
      where,
      "transformer",
      "its call with chunk 2 has not settled",
    ],
    [
      `flush ${place}`,
      (o) => run({ transform: pass, flush: hang }, o),
      where,
      "transformer",
      "its flush has not settled",
    ],
    [
      `cancel ${place}`,
      (o) => taking({ transform: pass, cancel: hang }, o),
      where,
      "transformer",
      "its cancel has not settled",
    ],
    [
      `map ${place}`,
      (o) => run(map(endless), o),
      where,
      "map(endless)",
      "its call with chunk 1 has not settled",
    ],
    [
      `filter ${place}`,
      (o) => run(filter(endless as never), o),
      where,
      "filter(endless)",
      "its call with chunk 1 has not settled",
    ],
    [
      `tap ${place}`,
      (o) => run(tap(endless as never), o),
      where,
      "tap(endless)",
      "its call with chunk 1 has not settled",
    ],
    [
      `scan ${place}`,
      (o) => run(scan(hang, 0) as never, o),
      where,
      "scan(hang)",
      "its call with chunk 1 has not settled",
    ],
    [
      `flatMap, its function ${place}`,
      (o) => run(flatMap(hang) as never, o),
      where,
      "flatMap(hang)",
      "its call with chunk 1 has not settled",
    ],
    [
      `flatMap, what it reads ${place}`,
      (o) => run(flatMap(never), o),
      where,
      "flatMap(never)",
      "its call with chunk 1 has not settled",
    ],
    [
      `flatMap, several at a time ${place}`,
      (o) => run(flatMap(never, { concurrency: 2 }), o),
      where,
      "flatMap(never)",
      /^its call with chunk 2/,
    ],
    [
      `parallel ${place}`,
      (o) => run(parallel(endless, { concurrency: 2 }), o),
      where,
      "parallel(endless)",
      "2 of 2 calls in flight",
    ],
    [
      `parallel, unordered ${place}`,
      (o) => run(parallel(endless, { concurrency: 2, ordered: false }), o),
      where,
      "parallel(endless)",
      "2 of 2 calls in flight",
    ],
    [
      `parallel, at its end ${place}`,
      (o) => run(parallel(endless, { concurrency: 9 }), o),
      where,
      "parallel(endless)",
      "3 of 9 calls in flight",
    ],
    [
      `parallel, one call ${place}`,
      (o) => run(parallel((n: number) => n === 2 ? hang() : n, { concurrency: 4 }), o),
      where,
      /^parallel/,
      "1 of 4 calls in flight",
    ],
    [
      `attempt ${place}`,
      (o) => run(attempt(endless), o),
      where,
      "attempt(endless)",
      "its call with chunk 1 has not settled",
    ],
    [
      `compose ${place}`,
      (o) => run(compose(tap(sink), map(endless)), o),
      where,
      "map(endless)",
      "its call with chunk 1 has not settled",
    ],
    [
      `a generator ${place}`,
      (o) =>
        run(
          stage(async function* slow(source: AsyncIterable<number>) {
            for await (const n of source) yield await endless(n);
          }) as never,
          o,
        ),
      where,
      "stage(slow)",
      "its call with chunk 1 has not settled",
    ],
    [
      `a generator that ends ${place}`,
      (o) =>
        run(
          stage(async function* slow(source: AsyncIterable<number>) {
            yield* source;
            await hang();
          }) as never,
          o,
        ),
      where,
      "stage(slow)",
      /flush|call/,
    ],
  ] satisfies Way[];
});

const sources: readonly Way[] = [
  ["next()", (o) => pipeline(never(), sink, o), "source", "iterable", "next() has not answered"],
  [
    "next() behind stages",
    (o) => pipeline(never(), map(endless), sink, o),
    "source",
    "iterable",
    "next() has not answered",
  ],
  [
    "a promise as a chunk",
    (o) => pipeline([hang()], map((n) => n), sink, o),
    "source",
    "Array",
    "next() has not answered",
  ],
  [
    "a stream",
    (o) => pipeline(silent(), sink, o),
    "source",
    "ReadableStream",
    "it has given nothing since",
  ],
  [
    "its start",
    (o) => pipeline(new ReadableStream({ start: hang }), sink, o),
    "source",
    "ReadableStream",
    "it has given nothing since",
  ],
  [
    "its pull",
    (o) => pipeline(new ReadableStream({ pull: hang }), sink, o),
    "source",
    "ReadableStream",
    "it has given nothing since",
  ],
  [
    "a generator",
    (o) =>
      pipeline(
        (async function* () {
          yield 1;
          await hang();
        })(),
        sink,
        o,
      ),
    "source",
    "AsyncGenerator",
    "next() has not answered",
  ],
  [
    "merge",
    (o) => pipeline(merge([1], silent()), sink, o),
    "source",
    "merge",
    "source 2 of merge has given nothing since",
  ],
  [
    "merge of many",
    (o) => pipeline(merge(...[1, 2, 3, 4, 5].map(silent)), sink, o),
    "source",
    "merge",
    "source 1 of merge, source 2 of merge, source 3 of merge and 2 others have given nothing since",
  ],
  [
    "mergeBy",
    (o) => pipeline(mergeBy({ key: (n: number) => n }, [1], silent()), sink, o),
    "source",
    "mergeBy",
    "source 2 of mergeBy has given nothing since",
  ],
  [
    "zip",
    (o) => pipeline(zip([1], silent(), [2]), sink, o),
    "source",
    "zip",
    "source 2 of zip has given nothing since",
  ],
  [
    "concat",
    (o) => pipeline(concat([1], silent()), sink, o),
    "source",
    "concat",
    "source 2 of concat has given nothing since",
  ],
  [
    "concat, opening",
    (o) => pipeline(concat([1], hang), sink, o),
    "source",
    "concat",
    "source 2 of concat has not been opened",
  ],
  [
    "retry, opening",
    (o) => pipeline(retry(hang), sink, o),
    "source",
    "retry",
    "its source has not been opened",
  ],
  [
    "retry",
    (o) => pipeline(retry(silent), sink, o),
    "source",
    "retry",
    "its source has given nothing since",
  ],
  [
    "reader",
    (o) => pipeline(reader(hang), sink, o),
    "source",
    "reader",
    "it has given nothing since",
  ],
  [
    "peek",
    async (o) => pipeline((await peek(concat([1], silent()))).source, sink, o),
    "source",
    "peek",
    "it has given nothing since",
  ],
  [
    "channel",
    (o) => pipeline(channel().readable, sink, o),
    "source",
    "channel",
    "nothing has been sent since",
  ],
  [
    "fromEvents",
    (o) => pipeline(fromEvents(new EventTarget(), "x", { signal: o.signal }), sink, o),
    "source",
    "fromEvents",
    "nothing has been sent since",
  ],
  [
    "tee, its source",
    (o) => pipeline(tee(silent(), 2)[0]!, sink, o),
    "source",
    "tee",
    "its source has given nothing since",
  ],
  [
    "tee, a branch that is not read",
    (o) => pipeline(tee([1, 2, 3], 2, { highWaterMark: 1 })[0]!, sink, o),
    "source",
    "tee",
    "branch 2 has no room: it is not read",
  ],
  [
    "hub, its source",
    (o) => pipeline(hub(silent()).join(), sink, o),
    "source",
    "hub",
    "its source has given nothing since",
  ],
  [
    "hub, a branch that is not read",
    (o) => {
      const shared = hub([1, 2, 3]);
      const branch = shared.join({ highWaterMark: 1 });
      shared.join({ highWaterMark: 1 });
      return pipeline(branch, sink, o);
    },
    "source",
    "hub",
    "branch 2 has no room: it is not read",
  ],
  [
    "fuse, nothing written",
    (o) => pipeline(fuse(map((n: number) => n)).readable, sink, o),
    "source",
    "fuse",
    "nothing is written to its writable side",
  ],
  [
    "fuse, a stage",
    (o) => pipeline(ReadableStream.from([1]).pipeThrough(fuse(tap(sink), map(endless))), sink, o),
    "source",
    "fuse",
    "stage 2, map(endless): its call with chunk 1 has not settled",
  ],
  [
    "half of a tee",
    (o) => pipeline(silent().tee()[0], sink, o),
    "source",
    "ReadableStream",
    "it has given nothing since",
  ],
  [
    "an end",
    (o) => toArray(silent(), takeUntilAborted(o)),
    "source",
    "ReadableStream",
    "it has given nothing since",
  ],
  [
    "timeout",
    (o) => pipeline(timeout(silent(), { idleMs: 1e6 }), sink, o),
    "source",
    "timeout",
    "it has given nothing since",
  ],
  [
    "interval",
    (o) => pipeline(interval(1e6), sink, o),
    "source",
    "interval",
    "it has given nothing since",
  ],
];

/** Ends what takes no signal. */
function takeUntilAborted({ signal }: Options): Transformer<number, number> {
  return {
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    transform: (n, controller) => controller.enqueue(n),
  };
}

const sinks: readonly Way[] = [
  ["a function", (o) => pipeline([1, 2], hang, o), "sink", "hang", "its write 1 has not settled"],
  [
    "its second call",
    (o) =>
      pipeline([1, 2], function save(n) {
        if (n === 2) return hang();
      }, o),
    "sink",
    "save",
    "its write 2 has not settled",
  ],
  [
    "behind stages",
    (o) => pipeline([1, 2], map((n) => n), hang, o),
    "sink",
    "hang",
    "its write 1 has not settled",
  ],
  [
    "write",
    (o) => pipeline([1, 2, 3], new WritableStream({ write: hang }), o),
    "sink",
    "WritableStream",
    "its write 1 has not settled",
  ],
  [
    "write, and a queue",
    (o) =>
      pipeline([1, 2, 3, 4, 5, 6], new WritableStream({ write: hang }, { highWaterMark: 3 }), o),
    "sink",
    "WritableStream",
    /^it has no room for chunk \d$/,
  ],
  [
    "start",
    (o) => pipeline([1, 2, 3], new WritableStream({ start: hang }), o),
    "sink",
    "WritableStream",
    "its write 1 has not settled",
  ],
  [
    "no room ever",
    (o) => pipeline([1], new WritableStream({}, { highWaterMark: 0 }), o),
    "sink",
    "WritableStream",
    /^it has no room/,
  ],
  [
    "close",
    (o) => pipeline([1], new WritableStream({ close: hang }), o),
    "sink",
    "WritableStream",
    "its close has not settled",
  ],
  [
    "close behind stages",
    (o) => pipeline([1], map((n) => n), new WritableStream({ close: hang }), o),
    "sink",
    "WritableStream",
    "its close has not settled",
  ],
  [
    "abort",
    (o) =>
      pipeline(
        [1],
        map(() => {
          throw 1;
        }),
        new WritableStream({ abort: hang }),
        o,
      ),
    "sink",
    "WritableStream",
    "its abort has not settled",
  ],
  [
    "writer",
    (o) => pipeline([1, 2, 3], writer(endless, { concurrency: 2 }), o),
    "sink",
    "writer(endless)",
    "2 of 2 writes in flight",
  ],
  [
    "writer, at its end",
    (o) => pipeline([1], writer(endless, { concurrency: 2 }), o),
    "sink",
    "writer(endless)",
    "1 of 2 writes in flight",
  ],
  [
    "writer, close",
    (o) => pipeline([1], writer(sink, { close: hang }), o),
    "sink",
    "writer(sink)",
    "its close has not settled",
  ],
  [
    "fuse, not read",
    (o) => pipeline([1, 2, 3], fuse(map((n: number) => n)).writable, o),
    "sink",
    "fuse",
    "its readable side is not read",
  ],
  [
    "fuse, a stage",
    (o) => {
      const { readable, writable } = fuse(map(endless));
      readable.pipeTo(new WritableStream(), o).catch(sink);
      return pipeline([1, 2, 3], writable, o);
    },
    "sink",
    "fuse",
    "stage 1, map(endless): its call with chunk 1 has not settled",
  ],
  [
    "a pair, written",
    (o) =>
      pipeline(
        [1, 2],
        { readable: silent(), writable: new WritableStream<number>({ write: hang }) },
        sink,
        o,
      ),
    "source",
    /./,
    /./,
  ],
  [
    "batch before it",
    (o) => pipeline([1, 2, 3], batch(2), hang, o),
    "sink",
    "hang",
    "its write 1 has not settled",
  ],
  [
    "toText",
    (o) => toText(concat(["a"], silent() as never), takeUntilAborted(o) as never),
    "source",
    "concat",
    "source 2 of concat has given nothing since",
  ],
];

const ways = [...methods, ...sources, ...sinks];

function placeOf({ side, stage }: PendingRun["waitsFor"][number]): string {
  return stage === undefined ? side : `stage ${stage}`;
}

function assertLike(actual: string, expected: string | RegExp): void {
  if (typeof expected === "string") assertEquals(actual, expected);
  else assertMatch(actual, expected);
}

test("there are a hundred ways to hang", () => {
  assert(ways.length >= 100, String(ways.length));
});

for (const [name, start, where, called, what] of ways) {
  test(`pendingRuns() says what hangs: ${where}, ${name}`, async () => {
    const controller = new AbortController();
    const run = errorOf(start({ signal: controller.signal }));
    await turns();
    const found = pendingRuns();
    controller.abort(new Error("enough"));
    await run;
    assertEquals(found.length, 1);
    const [first] = found[0]!.waitsFor;
    assert(first !== undefined, "something is waited for");
    assertEquals(placeOf(first), where);
    assertLike(first.name, called);
    assertLike(first.what, what);
    assertEquals(pendingRuns(), []);
  });
}

test("pendingRuns() counts, and knows how long nothing has moved and where it was called", async () => {
  await using time = virtualTime();
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = pipeline([1, 2, 3, 4], map((n) => n), (n) => n === 3 ? promise : undefined, {
    callSite: true,
  });
  await time.advance(5_000);
  const [{ pipeline: name, startedAt, ageMs, idleMs, ...counts }] = pendingRuns() as [PendingRun];
  assertEquals(name, "pipeline");
  assertEquals([ageMs, idleMs], [5_000, 5_000]);
  assertEquals([counts.chunksRead, counts.chunksWritten, counts.isGone], [3, 2, false]);
  assertMatch(counts.callSite!, /pending_runs_test\.ts:\d+$/);
  assert(startedAt instanceof Date);
  resolve();
  await run;
  assertEquals(pendingRuns(), []);
});

test("pendingRuns() has a run with a pair of streams once, and its later part first", async () => {
  const controller = new AbortController();
  const pair = new TransformStream<number, number>();
  const run = errorOf(pipeline([1, 2, 3, 4, 5], map((n) => n), pair, map((n) => n), hang, {
    signal: controller.signal,
  }));
  await turns();
  const [found, ...others] = pendingRuns();
  assertEquals(others, []);
  assertEquals(found!.waitsFor.map(({ side, name }) => [side, name]), [
    ["sink", "hang"],
    ["sink", "TransformStream"],
  ]);
  assertEquals(found!.chunksWritten, 0);
  controller.abort("enough");
  assertEquals(await run, ["enough"]);
});

test("a run that ends within its call is not listed, nor one that has failed", async () => {
  const done = pipeline([1, 2, 3], map((n) => n), sink);
  assertEquals(pendingRuns(), []);
  await done;
  await errorOf(pipeline([1], map(() => Promise.reject("no")), sink));
  assertEquals(pendingRuns(), []);
});

test("printPendingRuns() prints a line for each run and for each part that it waits for", async () => {
  const lines: string[] = [];
  const print = () => printPendingRuns((line) => lines.push(line));
  assertEquals([print(), lines.splice(0)], [0, ["No run is pending"]]);
  await using time = virtualTime();
  const controller = new AbortController();
  const { signal } = controller;
  const run = errorOf(pipeline([1, 2], compose(tap(sink), map(endless)), sink, { signal }));
  await time.advance(41_000);
  assertEquals(print(), 1);
  assertEquals(lines, [
    "pipeline, for 41 s: 2 read, 0 written, none for 41 s",
    "  stage 1.2, map(endless): its call with chunk 1 has not settled",
  ]);
  controller.abort();
  await run;
});

test("onStall is called once for each time that nothing has moved, and ends nothing", async () => {
  await using time = virtualTime();
  const gates = [1, 2].map(() => Promise.withResolvers<void>());
  const reports: PendingRun[] = [];
  const run = pipeline([0, 1], (n) => gates[n]!.promise, {
    stallAfterMs: 1_000,
    onStall(report) {
      reports.push(report);
      throw new Error("is ignored");
    },
  });
  await time.advance(999);
  assertEquals(reports.length, 0);
  await time.advance(1);
  assertEquals(reports.map(({ waitsFor }) => waitsFor[0]!.what), ["its write 1 has not settled"]);
  await time.advance(10_000);
  assertEquals(reports.length, 1);
  gates[0]!.resolve();
  await time.advance(3_000);
  assertEquals(reports.map(({ chunksWritten }) => chunksWritten), [0, 1]);
  gates[1]!.resolve();
  assertEquals((await run).chunksWritten, 2);
  await time.advance(10_000);
  assertEquals(reports.length, 2);
});

test("onStall is not called while a run moves", async () => {
  await using time = virtualTime();
  const source = channel<number>();
  let count = 0;
  const run = pipeline(source.readable, () => {}, {
    stallAfterMs: 1_000,
    onStall: () => count++,
  });
  for (let n = 0; n < 20; n++) {
    await time.advance(900);
    await source.send(n);
  }
  assertEquals(count, 0);
  source.close();
  await run;
});

test("onStall and stallAfterMs are checked at once, and needed together", async () => {
  const messageOf = async (options: object) => {
    const [error] = await errorOf(pipeline([1], sink, options as never)) as [Error];
    return error.message;
  };
  assertMatch(await messageOf({ stallAfterMs: 1 }), /onStall must be a function/);
  assertMatch(await messageOf({ onStall: sink }), /stallAfterMs must be/);
  assertMatch(await messageOf({ onStall: sink, stallAfterMs: -1 }), /stallAfterMs must/);
});

test("reportOnSignal() listens until it is ended, and refuses what is no signal", () => {
  const { process } = globalThis as unknown as { process: NodeJS.Process };
  const before = process.listenerCount("SIGUSR2");
  const stop = reportOnSignal("SIGUSR2", () => {});
  assertEquals(process.listenerCount("SIGUSR2"), before + 1);
  stop();
  assertEquals(process.listenerCount("SIGUSR2"), before);
  assertThrows(() => reportOnSignal(5 as never), TypeError, "signal must be the name of a signal");
});

test("pendingRuns() asks nothing of a source, a stage or a sink that may throw", async () => {
  const throwing = (of: object) =>
    new Proxy(of, {
      get(target, key) {
        if (key === Symbol.asyncIterator || key === "transform") return Reflect.get(target, key);
        if (key === "start" || key === "flush" || key === "cancel") return undefined;
        if (isOver || isRunning) throw new Error(`asked for ${String(key)}`);
        return Reflect.get(target, key);
      },
    });
  let [isRunning, isOver] = [false, false];
  const controller = new AbortController();
  const { signal } = controller;
  const runs = [
    pipeline(throwing(never()) as AsyncIterable<number>, sink, { signal }),
    pipeline([1], throwing({ transform: hang }) as Transformer<number, number>, sink, { signal }),
  ].map(errorOf);
  await turns();
  isRunning = true;
  assertEquals(pendingRuns().map(({ waitsFor }) => waitsFor[0]!.what), [
    "next() has not answered",
    "its call with chunk 1 has not settled",
  ]);
  isOver = true;
  controller.abort();
  await Promise.all(runs);
});

test("a run that was collected is listed as gone, and of many only the last", async () => {
  const { WeakRef } = globalThis;
  globalThis.WeakRef = class {
    readonly [Symbol.toStringTag] = "WeakRef";
    isGone = false;
    readonly #run: object;

    constructor(run: object) {
      this.#run = run;
      gone.push(this);
    }

    deref(): object | undefined {
      return this.isGone ? undefined : this.#run;
    }
  } as never;
  const gone: { isGone: boolean }[] = [];
  const controller = new AbortController();
  const start = () => errorOf(pipeline([1], hang, { signal: controller.signal }));
  const runs = Array.from({ length: 600 }, start);
  await until(() => gone.length === 600);
  for (const run of gone) run.isGone = true;
  const lines: string[] = [];
  assertEquals(printPendingRuns((line) => lines.push(line)), 600);
  assertEquals(lines[1], "  gone: nothing is left that could end it");
  runs.push(...Array.from({ length: 600 }, start));
  await turns(1);
  assertEquals(pendingRuns().filter(({ isGone }) => isGone).length, 100);
  controller.abort();
  await Promise.all(runs);
  globalThis.WeakRef = WeakRef;
  assertEquals(pendingRuns(), []);
});
