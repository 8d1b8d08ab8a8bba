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

/** What is said first of a run that hangs, and a way to hang. */
type Way = readonly [what: string | RegExp, start: (options: Options) => Promise<unknown>];

async function endless(n: number): Promise<number> {
  await hang();
  return n;
}

function pass(n: number, controller: TransformStreamDefaultController<number>): void {
  controller.enqueue(n);
}

async function* slow(source: AsyncIterable<number>) {
  for await (const n of source) yield await endless(n);
}

async function* slowAtEnd(source: AsyncIterable<number>) {
  yield* source;
  await hang();
}

const call = "its call with chunk 1 has not settled";

/** What is said of a stage of the user's, which may stand before one that takes a single chunk. */
const stages: readonly (readonly [what: string, own: () => object, isCut?: boolean])[] = [
  ["transformer: its start has not settled", () => ({ start: hang, transform: pass })],
  [`transformer: ${call}`, () => ({ transform: hang })],
  ["transformer: its call with chunk 2 has not settled", () => ({
    transform: (n: number, controller: TransformStreamDefaultController<number>) =>
      n === 2 ? hang() : pass(n, controller),
  })],
  ["transformer: its flush has not settled", () => ({ transform: pass, flush: hang })],
  ["transformer: its cancel has not settled", () => ({ transform: pass, cancel: hang }), true],
  [`map(endless): ${call}`, () => map(endless)],
  [`filter(endless): ${call}`, () => filter(endless as never)],
  [`tap(endless): ${call}`, () => tap(endless as never)],
  [`scan(hang): ${call}`, () => scan(hang, 0)],
  [`flatMap(hang): ${call}`, () => flatMap(hang)],
  [`flatMap(never): ${call}`, () => flatMap(never)],
  [
    "flatMap(never): its call with chunk 2 has not settled",
    () => flatMap(never, { concurrency: 2 }),
  ],
  ["parallel(endless): 2 of 2 calls in flight", () => parallel(endless, { concurrency: 2 })],
  [
    "parallel(endless): 2 of 2 calls in flight",
    () => parallel(endless, { concurrency: 2, ordered: false }),
  ],
  ["parallel(endless): 3 of 9 calls in flight", () => parallel(endless, { concurrency: 9 })],
  [
    "parallel: 1 of 4 calls in flight",
    () => parallel((n: number) => n === 2 ? hang() : n, { concurrency: 4 }),
  ],
  [`attempt(endless): ${call}`, () => attempt(endless)],
  [`map(endless): ${call}`, () => compose(tap<number>(sink), map(endless))],
  [`stage(slow): ${call}`, () => stage(slow)],
  ["stage(slowAtEnd): its call with chunk 3 has not settled", () => stage(slowAtEnd)],
];

const methods = [1, 2, 3].flatMap((place) =>
  stages.map(([what, own, isCut]): Way => [`stage ${place}, ${what}`, (options) => {
    const chain: unknown[] = [1, 2, 3].map(() => map((n) => n));
    chain[place - 1] = own();
    if (isCut) chain.push(take(1));
    return pipeline([1, 2, 3], ...chain as [Transformer<number, number>], sink, options);
  }])
);

/** What is said of a source that gives nothing more, and how it is made. */
const sources: readonly (readonly [what: string, make: (options: Options) => unknown])[] = [
  ["iterable: next() has not answered", never],
  ["Array: next() has not answered", () => [hang()]],
  ["ReadableStream: it has given nothing since", silent],
  ["ReadableStream: it has given nothing since", () => new ReadableStream({ start: hang })],
  ["ReadableStream: it has given nothing since", () => new ReadableStream({ pull: hang })],
  ["ReadableStream: it has given nothing since", () => silent().tee()[0]],
  ["AsyncGenerator: next() has not answered", () => slowAtEnd(ReadableStream.from([1]))],
  ["merge: source 2 of merge has given nothing since", () => merge([1], silent())],
  [
    "merge: source 1 of merge, source 2 of merge, source 3 of merge and 2 others have given nothing since",
    () => merge(...[1, 2, 3, 4, 5].map(silent)),
  ],
  [
    "mergeBy: source 2 of mergeBy has given nothing since",
    () => mergeBy({ key: (n: number) => n }, [1], silent()),
  ],
  ["zip: source 2 of zip has given nothing since", () => zip([1], silent(), [2])],
  ["concat: source 2 of concat has given nothing since", () => concat([1], silent())],
  ["concat: source 2 of concat has not been opened", () => concat([1], hang)],
  ["retry: its source has not been opened", () => retry(hang)],
  ["retry: its source has given nothing since", () => retry(silent)],
  ["reader: it has given nothing since", () => reader(hang)],
  ["channel: nothing has been sent since", () => channel().readable],
  ["fromEvents: nothing has been sent since", (o) => fromEvents(new EventTarget(), "x", o)],
  ["tee: its source has given nothing since", () => tee(silent(), 2)[0]],
  [
    "tee: branch 2 has no room: it is not read",
    () => tee([1, 2, 3], 2, { highWaterMark: 1 })[0],
  ],
  ["hub: its source has given nothing since", () => hub(silent()).join()],
  ["hub: branch 2 has no room: it is not read", () => {
    const shared = hub([1, 2, 3]);
    const branch = shared.join({ highWaterMark: 1 });
    shared.join({ highWaterMark: 1 });
    return branch;
  }],
  [
    "fuse: nothing is written to its writable side",
    () => fuse(map((n: number) => n)).readable,
  ],
  [
    "fuse: stage 2, map(endless): its call with chunk 1 has not settled",
    () => ReadableStream.from([1]).pipeThrough(fuse(tap(sink), map(endless))),
  ],
  ["timeout: it has given nothing since", () => timeout(silent(), { idleMs: 1e6 })],
  ["interval: it has given nothing since", () => interval(1e6)],
];

/** Ends what takes no signal. */
function takeUntilAborted({ signal }: Options): Transformer<number, number> {
  return {
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    transform: (n, controller) => controller.enqueue(n),
  };
}

/** What is said of a sink that takes nothing more, how it is made, and how many chunks it is given. */
const sinks:
  readonly (readonly [what: string | RegExp, make: (o: Options) => unknown, count?: number])[] = [
    ["hang: its write 1 has not settled", () => hang],
    ["save: its write 2 has not settled", () =>
      function save(n: number) {
        if (n === 2) return hang();
      }],
    ["WritableStream: its write 1 has not settled", () => new WritableStream({ write: hang })],
    [
      /^sink, WritableStream: it has no room for chunk \d$/,
      () => new WritableStream({ write: hang }, { highWaterMark: 3 }),
      6,
    ],
    ["WritableStream: its write 1 has not settled", () => new WritableStream({ start: hang })],
    [
      /^sink, WritableStream: it has no room/,
      () => new WritableStream({}, { highWaterMark: 0 }),
      1,
    ],
    ["WritableStream: its close has not settled", () => new WritableStream({ close: hang }), 1],
    [
      "writer(endless): 2 of 2 writes in flight",
      () => writer(endless, { concurrency: 2 }),
    ],
    ["writer(endless): 1 of 2 writes in flight", () => writer(endless, { concurrency: 2 }), 1],
    ["writer(sink): its close has not settled", () => writer(sink, { close: hang }), 1],
    ["fuse: its readable side is not read", () => fuse(map((n: number) => n)).writable],
    ["fuse: stage 1, map(endless): its call with chunk 1 has not settled", (o) => {
      const { readable, writable } = fuse(map(endless));
      readable.pipeTo(new WritableStream(), o).catch(sink);
      return writable;
    }],
  ];

const run = pipeline as (...args: readonly unknown[]) => Promise<unknown>;

/** Each source and each sink, without and with a stage between them, and other ways. */
const ends: readonly Way[] = [
  ...[[], [map((n: number) => n)]].flatMap((stages) => [
    ...sources.map(([what, make]): Way => [
      `source, ${what}`,
      (o) => run(make(o), ...stages, sink, o),
    ]),
    ...sinks.map(([what, make, count = 3]): Way => [
      typeof what === "string" ? `sink, ${what}` : what,
      (o) => run([1, 2, 3, 4, 5, 6].slice(0, count), ...stages, make(o), o),
    ]),
  ]),
  [
    "source, peek: it has given nothing since",
    async (o) => pipeline((await peek(concat([1], silent()))).source, sink, o),
  ],
  [
    "source, ReadableStream: it has given nothing since",
    (o) => toArray(silent(), takeUntilAborted(o)),
  ],
  [
    "source, concat: source 2 of concat has given nothing since",
    (o) => toText(concat(["a"], silent() as never), takeUntilAborted(o) as never),
  ],
  ["sink, WritableStream: its abort has not settled", (o) => {
    const fail = map(() => {
      throw 1;
    });
    return pipeline([1], fail, new WritableStream({ abort: hang }), o);
  }],
  [/^source, /, (o) => {
    const pair = { readable: silent(), writable: new WritableStream<number>({ write: hang }) };
    return pipeline([1, 2], pair, sink, o);
  }],
  ["sink, hang: its write 1 has not settled", (o) => pipeline([1, 2, 3], batch(2), hang, o)],
];

for (const [index, [wanted, start]] of [...methods, ...ends].entries()) {
  test(`pendingRuns() says what hangs, ${index}: ${wanted}`, async () => {
    const controller = new AbortController();
    const run = errorOf(start({ signal: controller.signal }));
    await turns();
    const found = pendingRuns();
    controller.abort(new Error("enough"));
    await run;
    assertEquals(found.length, 1);
    const { side, stage, name, what } = found[0]!.waitsFor[0]!;
    const said = `${stage === undefined ? side : `stage ${stage}`}, ${name}: ${what}`;
    if (typeof wanted === "string") assertEquals(said, wanted);
    else assertMatch(said, wanted);
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
      if (reports.length > 1) throw new Error("is ignored");
      return Promise.reject(new Error("so is a rejection"));
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
