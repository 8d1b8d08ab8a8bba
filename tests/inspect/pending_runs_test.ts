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

const sources: readonly Way[] = [
  ["source, iterable: next() has not answered", (o) => pipeline(never(), sink, o)],
  ["source, iterable: next() has not answered", (o) => pipeline(never(), map(endless), sink, o)],
  ["source, Array: next() has not answered", (o) => pipeline([hang()], map((n) => n), sink, o)],
  ["source, ReadableStream: it has given nothing since", (o) => pipeline(silent(), sink, o)],
  [
    "source, ReadableStream: it has given nothing since",
    (o) => pipeline(new ReadableStream({ start: hang }), sink, o),
  ],
  [
    "source, ReadableStream: it has given nothing since",
    (o) => pipeline(new ReadableStream({ pull: hang }), sink, o),
  ],
  ["source, AsyncGenerator: next() has not answered", (o) =>
    pipeline(
      (async function* () {
        yield 1;
        await hang();
      })(),
      sink,
      o,
    )],
  [
    "source, merge: source 2 of merge has given nothing since",
    (o) => pipeline(merge([1], silent()), sink, o),
  ],
  [
    "source, merge: source 1 of merge, source 2 of merge, source 3 of merge and 2 others have given nothing since",
    (o) => pipeline(merge(...[1, 2, 3, 4, 5].map(silent)), sink, o),
  ],
  [
    "source, mergeBy: source 2 of mergeBy has given nothing since",
    (o) => pipeline(mergeBy({ key: (n: number) => n }, [1], silent()), sink, o),
  ],
  [
    "source, zip: source 2 of zip has given nothing since",
    (o) => pipeline(zip([1], silent(), [2]), sink, o),
  ],
  [
    "source, concat: source 2 of concat has given nothing since",
    (o) => pipeline(concat([1], silent()), sink, o),
  ],
  [
    "source, concat: source 2 of concat has not been opened",
    (o) => pipeline(concat([1], hang), sink, o),
  ],
  ["source, retry: its source has not been opened", (o) => pipeline(retry(hang), sink, o)],
  ["source, retry: its source has given nothing since", (o) => pipeline(retry(silent), sink, o)],
  ["source, reader: it has given nothing since", (o) => pipeline(reader(hang), sink, o)],
  [
    "source, peek: it has given nothing since",
    async (o) => pipeline((await peek(concat([1], silent()))).source, sink, o),
  ],
  ["source, channel: nothing has been sent since", (o) => pipeline(channel().readable, sink, o)],
  [
    "source, fromEvents: nothing has been sent since",
    (o) => pipeline(fromEvents(new EventTarget(), "x", { signal: o.signal }), sink, o),
  ],
  [
    "source, tee: its source has given nothing since",
    (o) => pipeline(tee(silent(), 2)[0]!, sink, o),
  ],
  [
    "source, tee: branch 2 has no room: it is not read",
    (o) => pipeline(tee([1, 2, 3], 2, { highWaterMark: 1 })[0]!, sink, o),
  ],
  [
    "source, hub: its source has given nothing since",
    (o) => pipeline(hub(silent()).join(), sink, o),
  ],
  ["source, hub: branch 2 has no room: it is not read", (o) => {
    const shared = hub([1, 2, 3]);
    const branch = shared.join({ highWaterMark: 1 });
    shared.join({ highWaterMark: 1 });
    return pipeline(branch, sink, o);
  }],
  [
    "source, fuse: nothing is written to its writable side",
    (o) => pipeline(fuse(map((n: number) => n)).readable, sink, o),
  ],
  [
    "source, fuse: stage 2, map(endless): its call with chunk 1 has not settled",
    (o) => pipeline(ReadableStream.from([1]).pipeThrough(fuse(tap(sink), map(endless))), sink, o),
  ],
  [
    "source, ReadableStream: it has given nothing since",
    (o) => pipeline(silent().tee()[0], sink, o),
  ],
  [
    "source, ReadableStream: it has given nothing since",
    (o) => toArray(silent(), takeUntilAborted(o)),
  ],
  [
    "source, timeout: it has given nothing since",
    (o) => pipeline(timeout(silent(), { idleMs: 1e6 }), sink, o),
  ],
  ["source, interval: it has given nothing since", (o) => pipeline(interval(1e6), sink, o)],
];

/** Ends what takes no signal. */
function takeUntilAborted({ signal }: Options): Transformer<number, number> {
  return {
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    transform: (n, controller) => controller.enqueue(n),
  };
}

const sinks: readonly Way[] = [
  ["sink, hang: its write 1 has not settled", (o) => pipeline([1, 2], hang, o)],
  ["sink, save: its write 2 has not settled", (o) =>
    pipeline([1, 2], function save(n) {
      if (n === 2) return hang();
    }, o)],
  ["sink, hang: its write 1 has not settled", (o) => pipeline([1, 2], map((n) => n), hang, o)],
  [
    "sink, WritableStream: its write 1 has not settled",
    (o) => pipeline([1, 2, 3], new WritableStream({ write: hang }), o),
  ],
  [
    /^sink, WritableStream: it has no room for chunk \d$/,
    (o) =>
      pipeline([1, 2, 3, 4, 5, 6], new WritableStream({ write: hang }, { highWaterMark: 3 }), o),
  ],
  [
    "sink, WritableStream: its write 1 has not settled",
    (o) => pipeline([1, 2, 3], new WritableStream({ start: hang }), o),
  ],
  [
    /^sink, WritableStream: it has no room/,
    (o) => pipeline([1], new WritableStream({}, { highWaterMark: 0 }), o),
  ],
  [
    "sink, WritableStream: its close has not settled",
    (o) => pipeline([1], new WritableStream({ close: hang }), o),
  ],
  [
    "sink, WritableStream: its close has not settled",
    (o) => pipeline([1], map((n) => n), new WritableStream({ close: hang }), o),
  ],
  ["sink, WritableStream: its abort has not settled", (o) =>
    pipeline(
      [1],
      map(() => {
        throw 1;
      }),
      new WritableStream({ abort: hang }),
      o,
    )],
  [
    "sink, writer(endless): 2 of 2 writes in flight",
    (o) => pipeline([1, 2, 3], writer(endless, { concurrency: 2 }), o),
  ],
  [
    "sink, writer(endless): 1 of 2 writes in flight",
    (o) => pipeline([1], writer(endless, { concurrency: 2 }), o),
  ],
  [
    "sink, writer(sink): its close has not settled",
    (o) => pipeline([1], writer(sink, { close: hang }), o),
  ],
  [
    "sink, fuse: its readable side is not read",
    (o) => pipeline([1, 2, 3], fuse(map((n: number) => n)).writable, o),
  ],
  ["sink, fuse: stage 1, map(endless): its call with chunk 1 has not settled", (o) => {
    const { readable, writable } = fuse(map(endless));
    readable.pipeTo(new WritableStream(), o).catch(sink);
    return pipeline([1, 2, 3], writable, o);
  }],
  [/^source, /, (o) =>
    pipeline(
      [1, 2],
      { readable: silent(), writable: new WritableStream<number>({ write: hang }) },
      sink,
      o,
    )],
  ["sink, hang: its write 1 has not settled", (o) => pipeline([1, 2, 3], batch(2), hang, o)],
  [
    "source, concat: source 2 of concat has given nothing since",
    (o) => toText(concat(["a"], silent() as never), takeUntilAborted(o) as never),
  ],
];

for (const [index, [wanted, start]] of [...methods, ...sources, ...sinks].entries()) {
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
