import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse, map, parallel, pipeline, reader, writer } from "@hosepipe/streams";
import { settledWithin } from "../lib/settled_within.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import { until } from "../lib/until.ts";

const never = new Promise<never>(() => {});
const reason = new Error("aborted on purpose");

/** What an end is told. */
type Told = unknown[];

/** A source without an end that remembers how it was told. */
function endless(told: Told, source: UnderlyingDefaultSource<number> = {}) {
  return new ReadableStream<number>({
    pull: source.pull ?? ((controller) => controller.enqueue(1)),
    cancel(reason) {
      told.push(reason);
      return source.cancel?.(reason);
    },
  });
}

/** A sink that remembers how it was told. */
function taking(told: Told, sink: UnderlyingSink<unknown> = {}, highWaterMark = 1) {
  return new WritableStream<unknown>({
    ...sink,
    abort(reason) {
      told.push(reason);
      return sink.abort?.(reason);
    },
  }, { highWaterMark });
}

/** A run in which something hangs; default: from an endless source into a sink that takes all. */
interface Hanging {
  readonly source?: unknown;
  readonly stages?: readonly unknown[];
  readonly sink?: unknown;
  /** Which ends are told, where a run is told later than at once; default: both. */
  readonly told?: readonly ("source" | "sink")[];
}

const generator = async function* () {
  yield await never;
};
const sinkOnly = ["sink"] as const;
const sourceOnly = ["source"] as const;

/** Everything that may hang in a pipeline. */
const hanging: Record<string, (ofSource: Told, ofSink: Told) => Hanging> = {
  "a native pair's transform": () => ({
    stages: [new TransformStream({ transform: () => never })],
  }),
  "a fused pair's transform": () => ({ stages: [fuse({ transform: () => never })] }),
  "a pair whose sides know nothing of each other": () => ({
    stages: [
      map((n: number) => n),
      { readable: new ReadableStream(), writable: new WritableStream({ write: () => never }) },
    ],
  }),
  "a stage's transform": () => ({ stages: [map(() => never)] }),
  "a stage's start": () => ({ stages: [{ start: () => never }] }),
  "a stage's flush": () => ({ source: [1], stages: [{ flush: () => never }], told: sinkOnly }),
  "a stage's cancel": () => ({ stages: [{ cancel: () => never }, map(() => never)] }),
  "parallel's calls": () => ({ stages: [parallel(() => never, { concurrency: 3 })] }),
  "a function sink": () => ({ sink: () => never, told: sourceOnly }),
  "a sink's write": (_, told) => ({
    sink: taking(told, { write: () => never }),
    told: sourceOnly,
  }),
  "a sink's write behind a queue": (_, told) => ({
    stages: [map((n: number) => n)],
    sink: taking(told, { write: () => never }, 16),
    told: sourceOnly,
  }),
  "a sink's start": (_, told) => ({ sink: taking(told, { start: () => never }), told: sourceOnly }),
  "a sink's close": (_, told) => ({
    source: [1],
    sink: taking(told, { close: () => never }),
    told: [],
  }),
  "a sink's abort": (_, told) => ({
    stages: [map(() => never)],
    sink: taking(told, { abort: () => never }),
  }),
  "a sink without room": (_, told) => ({ sink: taking(told, {}, 0) }),
  "a writer's write": () => ({
    sink: writer(() => never, { concurrency: 2 }),
    told: sourceOnly,
  }),
  "a writer's close": () => ({
    source: [1],
    sink: writer(() => {}, { close: () => never }),
    told: [],
  }),
  "a source's pull": (told) => ({ source: endless(told, { pull: () => never }) }),
  "a source's start": () => ({
    source: new ReadableStream({ start: () => never }),
    told: sinkOnly,
  }),
  "a source's cancel": (told) => ({
    source: endless(told, { cancel: () => never }),
    stages: [map(() => never)],
  }),
  "an asynchronous generator": () => ({ source: generator(), told: sinkOnly }),
  "a reader of an asynchronous generator": () => ({ source: reader(generator()), told: sinkOnly }),
  "an iterator's next and return": () => ({
    source: { [Symbol.asyncIterator]: () => ({ next: () => never, return: () => never }) },
    told: sinkOnly,
  }),
  "half of a tee": () => ({
    source: new ReadableStream({ pull: () => never }).tee()[0],
    told: sinkOnly,
  }),
};

type Run = (...args: readonly unknown[]) => Promise<unknown>;

const isStream = (value: unknown): value is { locked: boolean } =>
  value instanceof ReadableStream || value instanceof WritableStream;

for (const [what, make] of Object.entries(hanging)) {
  test(`a signal ends a pipeline in which ${what} hangs, within a turn`, async () => {
    const unhandled = await unhandledDuring(async () => {
      for (const abortAfter of ["at once", "later"] as const) {
        const heard: { source: Told; sink: Told } = { source: [], sink: [] };
        const made = make(heard.source, heard.sink);
        const { source = endless(heard.source), sink = taking(heard.sink), stages = [] } = made;
        const streams = [
          source,
          sink,
          ...stages.flatMap((stage) => Object.values(stage as object)),
        ];
        const controller = new AbortController();
        const run = (pipeline as Run)(source, ...stages, sink, { signal: controller.signal });
        let atRejection: unknown;
        const locked = () => streams.filter((stream) => isStream(stream) && stream.locked).length;
        run.catch(() => atRejection = [locked(), JSON.stringify(heard)]);
        if (abortAfter === "later") await settledWithin(run, 5);
        controller.abort(reason);
        assertEquals(await settledWithin(run, 2), { state: "rejected", reason }, abortAfter);
        if (abortAfter === "at once") continue;
        const expected = { source: [] as Told, sink: [] as Told };
        for (const end of made.told ?? ["source", "sink"] as const) expected[end].push(reason);
        assertEquals(atRejection, [0, JSON.stringify(expected)]);
        for (const each of [...heard.source, ...heard.sink]) assertEquals(each, reason);
      }
    });
    assertEquals(unhandled, []);
  });
}

test("a signal that has aborted before touches nothing but to say so, whatever a stage does as it starts", async () => {
  const starts: (Transformer["start"] | undefined)[] = [
    undefined,
    (controller) => controller.terminate(),
    (controller) => controller.error("start"),
    () => {
      throw "start";
    },
  ];
  for (const start of starts) {
    const [ofSource, ofSink]: Told[] = [[], []];
    const [source, sink] = [endless(ofSource!), taking(ofSink!)];
    const stages = start === undefined ? [] : [{ start }];
    const run = (pipeline as Run)(source, ...stages, sink, { signal: AbortSignal.abort(reason) });
    assertEquals(await settledWithin(run, 2), { state: "rejected", reason });
    assertEquals([source.locked, sink.locked, ofSink], [false, false, [reason]]);
    if (start === undefined) assertEquals(ofSource, [reason]);
  }
});

for (const marks of [1, 3, 16]) {
  test(`after a signal what was handed over is still written, if that takes no longer than a turn, mark ${marks}`, async () => {
    const controller = new AbortController();
    const first = Promise.withResolvers<void>();
    const written: number[] = [];
    const told: unknown[] = [];
    let begun = 0;
    const sink = new WritableStream<number>({
      async write(n) {
        begun++;
        await (n === 0 ? first.promise : undefined);
        written.push(n);
      },
      abort: (reason) => void told.push([written.length, reason]),
    }, { highWaterMark: marks });
    let given = 0;
    const source = new ReadableStream<number>({
      pull(controller) {
        if (given < 16) controller.enqueue(given++);
        else return never;
      },
    }, { highWaterMark: 0 });
    const run = pipeline(source, map((n: number) => n), sink, { signal: controller.signal });
    run.catch(() => {});
    await until(() => begun > 0 && given >= marks);
    controller.abort(reason);
    first.resolve();
    assertEquals(await settledWithin(run, 50), { state: "rejected", reason });
    const all = Array.from({ length: marks }, (_, n) => n);
    assertEquals([written, told], [all, [[marks, reason]]]);
  });
}

test("a signal's reason reaches both ends without a turn of the event loop", async () => {
  for (const stages of [[], [map((n: number) => n)]]) {
    const told: unknown[] = [];
    const source = new ReadableStream({ cancel: (reason) => void told.push(["source", reason]) });
    const sink = new WritableStream({ abort: (reason) => void told.push(["sink", reason]) });
    const controller = new AbortController();
    const run = (pipeline as Run)(source, ...stages, sink, { signal: controller.signal });
    run.catch(() => {});
    await settledWithin(run, 2);
    controller.abort(reason);
    for (let step = 0; step < 20; step++) await undefined;
    assertEquals(told.toSorted(), [["sink", reason], ["source", reason]]);
  }
});
