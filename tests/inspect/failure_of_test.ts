import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  attempt,
  batch,
  changes,
  compose,
  concat,
  distinct,
  dropWhile,
  every,
  filter,
  find,
  flatMap,
  fuse,
  groupBy,
  hub,
  lines,
  map,
  merge,
  mergeBy,
  parallel,
  parseNdjson,
  peek,
  pipeline,
  reduce,
  scan,
  some,
  stage as stageOf,
  takeWhile,
  tap,
  tee,
  toArray,
  toText,
  writer,
  zip,
} from "@hosepipe/streams";
import { failureOf, type RunFailure } from "@hosepipe/streams/inspect";
import { pipeline as nodePipeline, writer as nodeWriter } from "@hosepipe/streams/node";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import { errorOf } from "../lib/error_of.ts";
import { MemoryQueue } from "../queue/_memory_queue.ts";
import { until } from "../lib/until.ts";

const ten = Array.from({ length: 10 }, (_, index) => index);
const same = map(function same(chunk: unknown) {
  return chunk;
});

/** Fails with the chunk 6, which is the one at 6. */
function fussy<T>(chunk: T): T {
  if (Number(chunk) === 6) throw new Error("six");
  return chunk;
}

async function fussyLater<T>(chunk: T): Promise<T> {
  await undefined;
  return fussy(chunk);
}

async function* fussyGenerator(source: AsyncIterable<unknown>) {
  for await (const chunk of source) yield fussy(chunk);
}

const parts = (chunk: unknown) => [chunk, fussy(chunk)];
const add = (sum: number, chunk: unknown) => sum + Number(fussy(chunk));
const isAny = (chunk: unknown) => fussy(chunk) !== undefined;

function* iterated(chunk: unknown) {
  yield chunk;
  yield fussy(chunk);
}

async function* later(chunk: unknown) {
  yield* iterated(chunk);
}

async function* failing() {
  yield 0;
  yield 1;
  throw new Error("after two");
}

const fussyDictionary: Transformer<unknown, unknown> = {
  transform: (chunk, controller) => controller.enqueue(fussy(chunk)),
};

/** Whose name the failure tells. */
class Checked {
  transform(chunk: unknown, controller: TransformStreamDefaultController) {
    controller.enqueue(fussy(chunk));
  }
}

const ignore = () => {};
/** Where a run fails. */
type Row = readonly [where: string, run: () => Promise<unknown>];

const run = pipeline as (...args: readonly unknown[]) => Promise<unknown>;

/** The same stage by itself, behind another, among operators of all kinds, and with an engine from the beginning. */
function ofStage(name: string, failing: unknown, chunkIndex = 6): Row[] {
  const signal = new AbortController().signal;
  const where = `${name}, chunk ${chunkIndex}`;
  return [
    [`stage 1, ${where}`, () => run(ten, failing, ignore)],
    [`stage 3, ${where}`, () => run(ten, same, same, failing, same, ignore)],
    [`stage 2, ${where}`, () => run(ten, same, failing, ignore, { signal })],
    [
      `stage 9, ${where}`,
      () => run(ten, ...Array.from({ length: 8 }, () => same), failing, ignore),
    ],
    [`stage 2, ${where}`, () => run(slowly(ten), same, failing, ignore)],
    [`stage 2, ${where}`, () => run(ten, same, failing, () => Promise.resolve())],
  ];
}

async function* slowly<T>(chunks: Iterable<T>) {
  for (const chunk of chunks) {
    await undefined;
    yield chunk;
  }
}

const isSix = (chunk: number) => fussy(chunk) < 0;
const never = () => new WritableStream();
const writing = (write: (chunk: unknown) => unknown) => ({
  write: async (chunk: unknown) => void await write(chunk),
});

/** What fails the second stage of a run as it begins or ends. */
const atEnds: readonly object[] = [
  { start: () => fussy(6) },
  { start: () => fussyLater(6) },
  { flush: () => fussy(6) },
  { flush: () => fussyLater(6) },
];

/** Where a source fails. */
const sources: readonly (readonly [where: string, make: () => AsyncIterable<unknown>])[] = [
  ["Generator, chunk 1", function* () {
    yield 0;
    throw new Error("after one");
  } as never],
  ["AsyncGenerator, chunk 2", failing],
  ["ReadableStream, chunk 0", () => new ReadableStream({ pull: () => fussy(6) as never })],
  ["Array, chunk 1", () => [0, Promise.reject(new Error("one"))] as never],
  ["source 2 of merge, chunk 3", () => merge([0], failing())],
  ["source 3 of zip, chunk 2", () => zip(ten, ten, failing())],
  ["source 2 of concat, chunk 3", () => concat([0], () => failing())],
  ["source 2 of mergeBy, chunk 2", () => mergeBy({ key: Number }, [7], failing())],
  ["source of tee, chunk 2", () => tee(failing(), 1)[0]!],
  ["source of hub, chunk 2", () => hub(failing()).join()],
];

/** Where a sink fails; the runtime may have taken more than it has failed with. */
const sinks: readonly (readonly [where: string, make: () => unknown])[] = [
  ["fussy, chunk 6", () => fussy],
  ["fussyLater, chunk 6", () => fussyLater],
  ["WritableStream, chunk 6", () => new WritableStream({ write: (chunk) => void fussy(chunk) })],
  ["WritableStream, chunk 6", () => new WritableStream(writing(fussyLater))],
  ["WritableStream", () => new WritableStream(writing(fussyLater), { highWaterMark: 4 })],
  ["WritableStream", () => new WritableStream({ close: () => void fussy(6) })],
  ["writer(fussyLater), chunk 6", () => writer(fussyLater)],
  ["writer(fussy), chunk 6", () => writer(fussy, { concurrency: 3 })],
  ["writer(fussyLater)", () => writer(fussyLater, { concurrency: 3 })],
];

/** Where the stages between two native streams fail. */
const fused: readonly (readonly [where: string, ...stages: unknown[]])[] = [
  ["stage 2, map(fussy), chunk 6", same, map(fussy)],
  ["stage 1, map(fussyLater), chunk 6", map(fussyLater), same],
  ["stage 1, parallel(fussyLater), chunk 6", parallel(fussyLater, { concurrency: 3 })],
  ["stage 3, transformer, chunk 6", same, same, fussyDictionary],
];

/** The names of stages, with what makes them. */
const named: readonly (readonly [name: string, failing: unknown, chunkIndex?: number])[] = [
  ["map(fussy)", map(fussy)],
  ["map(fussyLater)", map(fussyLater)],
  ["filter(fussy)", filter(fussy)],
  ["filter(fussyLater)", filter(fussyLater)],
  ["tap(fussy)", tap(fussy)],
  ["tap(fussyLater)", tap(fussyLater)],
  ["flatMap(parts)", flatMap(parts)],
  ["flatMap(later)", flatMap(later)],
  ["flatMap(iterated)", flatMap(iterated)],
  ["parallel(fussy)", parallel(fussy, { concurrency: 3 })],
  ["parallel(fussyLater)", parallel(fussyLater, { concurrency: 1 })],
  ["parallel(fussyLater)", parallel(fussyLater, { concurrency: 4 })],
  ["parallel(fussyLater)", parallel(fussyLater, { concurrency: 4, ordered: false })],
  ["attempt(fussy)", attempt(fussy, { attempts: 1 })],
  ["attempt(fussyLater)", attempt(parallel(fussyLater, { concurrency: 4 }), { attempts: 1 })],
  ["scan(add)", scan(add, 0)],
  ["takeWhile(isAny)", takeWhile(isAny)],
  ["dropWhile(isAny)", dropWhile(isAny)],
  ["changes(fussy)", changes(fussy)],
  ["distinct(fussy)", distinct({ key: fussy })],
  ["groupBy(fussy)", groupBy(fussy, () => same)],
  ["batch", batch(2, { maxBytes: 9 }), 0],
  ["lines", lines(), 0],
  ["parseNdjson", parseNdjson(), 0],
  ["transformer", fussyDictionary],
  ["transformer", { transform: async (chunk: unknown) => void await fussyLater(chunk) }],
  ["Checked", new Checked()],
  ["fussyGenerator", fussyGenerator],
  ["stage(fussyGenerator)", stageOf(fussyGenerator)],
  ["map(fussy)", { ...map(fussy), flush() {} }],
];

const table: Row[] = [
  ...named.flatMap((row) => ofStage(...row)),
  ...atEnds.map((stage): Row => ["stage 2, transformer", () => run(ten, same, stage, ignore)]),
  ...[[], [same]].flatMap((stages) => [
    ...sources.map(([where, make]): Row => [
      `source, ${where}`,
      () => run(make(), ...stages, ignore),
    ]),
    ...sinks.map(([where, make]): Row => [`sink, ${where}`, () => run(ten, ...stages, make())]),
  ]),
  ...fused.map(([where, ...stages]): Row => [
    `fuse, ${where}`,
    () => from(ten).pipeThrough((fuse as (...args: unknown[]) => never)(...stages)).pipeTo(never()),
  ]),
  ["stage 2, transformer, chunk 6", () =>
    pipeline(ten, same, {
      transform: (chunk: unknown, controller: TransformStreamDefaultController) =>
        chunk === 6 ? controller.error(new Error("six")) : controller.enqueue(chunk),
    }, ignore)],
  ["stage 1, parallel(call), chunk 6", () => {
    const gate = Promise.withResolvers<void>();
    const call = async function call(chunk: number) {
      if (chunk < 2) await gate.promise;
      return fussy(chunk);
    };
    return pipeline(ten, parallel(call, { concurrency: 4, ordered: false }), ignore);
  }],
  [
    "stage 2.3, filter(fussy), chunk 6",
    () => pipeline(ten, same, compose(same, compose(same, filter(fussy)), same), ignore),
  ],
  ["stage 2, map(fussy), chunk 6", () => pipeline(ten, compose(same, same), map(fussy), ignore)],
  [
    "stage 2, map(fussy), chunk 3",
    () => pipeline(ten, filter((chunk: number) => chunk % 2 === 0), map(fussy), ignore),
  ],
  [
    "source, source of peek, chunk 2",
    async () => pipeline((await peek(failing(), 1)).source, ignore),
  ],
  // Pairs.
  ["stage 2, DecompressionStream", () =>
    pipeline(
      [new Uint8Array(9)],
      same as never,
      new DecompressionStream("gzip") as never,
      same,
      ignore,
    )],
  ["fuse, stage 1, map(fussy), chunk 6", () => pipeline(ten, same, fuse(map(fussy)), same, ignore)],
  [
    "stage 2, map(fussy), chunk 6",
    () => pipeline(ten, same, map(fussy), new TransformStream(), ignore),
  ],
  [
    "stage 3, map(fussy), chunk 6",
    () => pipeline(ten, same, new TransformStream(), map(fussy), ignore),
  ],
  ["stage 3.2, map(fussy), chunk 6", () =>
    pipeline(
      ten,
      new TransformStream(),
      new TransformStream(),
      compose(same, map(fussy)),
      ignore,
    )],
  ["source, AsyncGenerator, chunk 2", () => pipeline(failing(), new TransformStream(), ignore)],
  ["sink, fussy, chunk 6", () => pipeline(ten, new TransformStream(), fussy)],
  // Ends.
  ["toArray, stage 2, map(fussy), chunk 6", () => toArray(ten, same, map(fussy))],
  ["toArray, sink, toArray, chunk 3", () => toArray(ten, same, { maxChunks: 3 })],
  ["toText, sink, toText, chunk 0", () => toText(ten as never)],
  ["find, sink, find(isSix), chunk 6", () => find(ten, isSix)],
  ["some, stage 1, map(fussy), chunk 6", () => some(ten, map(fussy), isSix)],
  ["every, sink, every, chunk 6", () => every(ten, same, (chunk) => fussy(chunk) !== -1)],
  ["reduce, sink, reduce(add), chunk 6", () => reduce(ten, same, add, 0)],
  // Between native streams.
  [
    "compose, stage 2, map(fussy), chunk 6",
    () => from(ten).pipeThrough(new TransformStream(compose(same, map(fussy)))).pipeTo(never()),
  ],
  [
    "groupBy, stage 1, map(fussy), chunk 3",
    () => pipeline(ten, same, groupBy((chunk) => Number(chunk) % 2, () => map(fussy)), ignore),
  ],
  // Twins.
  ["stage 2, map(fussy), chunk 6", () => nodePipeline(ten, same, map(fussy), ignore)],
  ["stage 2, transformer, chunk 6", () => nodePipeline(ten, same, fussyDictionary, ignore)],
  [
    "stage 2, parallel(fussyLater), chunk 6",
    () => nodePipeline(ten, same, parallel(fussyLater, { concurrency: 3 }), ignore),
  ],
  ["source, AsyncGenerator", () => nodePipeline(failing(), same, ignore)],
  ["sink, writer(fussyLater), chunk 6", () => nodePipeline(ten, same, nodeWriter(fussyLater))],
];

function from(chunks: readonly unknown[]): ReadableStream<unknown> {
  let index = 0;
  return new ReadableStream({
    pull(controller) {
      if (index < chunks.length) controller.enqueue(chunks[index++]);
      else controller.close();
    },
  });
}

function textOf({ pipeline, side, stage, part, name, chunkIndex }: RunFailure): string {
  const place = [side, [stage, part].filter((one) => one !== undefined).join(".")].join(" ").trim();
  const chunk = chunkIndex === undefined ? [] : [`chunk ${chunkIndex}`];
  return [...pipeline === "pipeline" ? [] : [pipeline], place, name, ...chunk].join(", ");
}

test("failureOf() tells the side, the stage and its part, the name and the chunk of every failure", async () => {
  for (const [where, run] of table) {
    const [reason] = await errorOf(run()) as [unknown];
    const failure = failureOf(reason);
    assertEquals(failure && textOf(failure), where, `${reason} of ${run}`);
  }
});

const works = [
  ["map(fussy)", map(fussy)],
  ["map(fussyLater)", map(fussyLater)],
  ["transformer", fussyDictionary as Transformer<string, unknown>],
] as const;

test("failureOf() tells which stage a message has failed in", async () => {
  for (const [name, work] of works) {
    const queue = new MemoryQueue(["5", "6"]);
    const consumer = new Consumer(queue, { maxFailures: 1 });
    const running = pipeline(
      messages(consumer),
      perMessage(map((body: string) => body), work),
      stored(consumer, ignore),
    );
    await until(() => queue.dead.length === 1);
    consumer.stop();
    await running;
    const found = queue.dead.map(([, reason]) => textOf(failureOf(reason)!));
    assertEquals(found, [`perMessage, stage 2, ${name}, chunk 0`]);
  }
});

test("failureOf() knows nothing of what no run has thrown, and nothing of a signal's reason", async () => {
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  let failure: unknown;
  const onFailure = (found: RunFailure) => failure = found;
  assertEquals(await errorOf(pipeline(ten, same, ignore, { signal, onFailure })), [reason]);
  const known = [
    failure,
    ...[reason, new Error("other"), undefined, null, 1, "text"].map(failureOf),
  ];
  assertEquals(known, known.map(() => undefined));
});

test("onFailure is told where anything was thrown, before the promise rejects", async () => {
  for (const reason of [undefined, null, 0, "", "text", Symbol("why")]) {
    const fail = map(() => {
      throw reason;
    });
    const events: unknown[] = [];
    const onFailure = ({ stage, chunkIndex }: RunFailure) => events.push([stage, chunkIndex]);
    const found = await errorOf(pipeline(ten, same, fail, ignore, { onFailure }));
    events.push(found);
    assertEquals(events, [[2, 0], [reason]]);
  }
});

test("what was thrown is left as it is, frozen or not, and what onFailure throws, now or later, is ignored", async () => {
  const cause = new Error("cause");
  const other = new Error("other");
  const throwsOther = () => {
    throw other;
  };
  const reporters = [throwsOther, () => Promise.reject(other), () => ({ then: throwsOther })];
  for (const onFailure of reporters) {
    const freeze = onFailure === throwsOther ? Object.freeze : (error: Error) => error;
    const error = freeze(new Error("why", { cause }));
    const before = Object.getOwnPropertyDescriptors(error);
    const fail = map(() => {
      throw error;
    });
    const unhandled = await unhandledDuring(async () => {
      const found = await errorOf(pipeline(ten, fail, ignore, { onFailure })) as [unknown];
      assertEquals(found[0] === error, true);
    });
    assertEquals(unhandled, []);
    assertEquals(Object.getOwnPropertyDescriptors(error), before);
    assertEquals(failureOf(error)?.name, "map");
  }
});

test("of an error that two runs throw the first record counts, and each run's own onFailure is right", async () => {
  const error = new Error("again");
  const fail = () => {
    throw error;
  };
  const stages: unknown[] = [];
  const onFailure = ({ stage }: RunFailure) => stages.push(stage);
  await errorOf(pipeline(ten, same, same, map(fail), ignore, { onFailure }));
  await errorOf(pipeline(ten, map(fail), ignore, { onFailure }));
  assertEquals([failureOf(error)!.stage, stages], [3, [3, 1]]);
});

test("where a run is part of another, the inner record counts", async () => {
  const inner = map(async function inner(chunk: number) {
    await pipeline([chunk, 6], same, same, map(fussy), ignore);
    return chunk;
  });
  const names: string[] = [];
  const onFailure = ({ name, stage }: RunFailure) => names.push(`${name} ${stage}`);
  const [error] = await errorOf(pipeline(ten, inner, ignore, { onFailure })) as [unknown];
  const { stage, name, chunkIndex } = failureOf(error)!;
  assertEquals([stage, name, chunkIndex, names], [3, "map(fussy)", 1, ["map(inner) 1"]]);
});

test("the first failure counts, whatever fails as the run ends", async () => {
  const first = new Error("first");
  const others: Error[] = [];
  const other = () => {
    const error = new Error("other");
    others.push(error);
    throw error;
  };
  const found: RunFailure[] = [];
  const source = new ReadableStream({
    pull: (controller) => controller.enqueue(1),
    cancel: other,
  });
  const fail = map(() => {
    throw first;
  });
  const onFailure = (failure: RunFailure) => found.push(failure);
  const run = pipeline(source, { cancel: other }, fail, new WritableStream({ abort: other }), {
    onFailure,
  });
  assertEquals(await errorOf(run), [first]);
  assertEquals(found.map(({ stage, name }) => [stage, name]), [[2, "map"]]);
  assertEquals(failureOf(first)?.stage, 2);
});

test("counts and the time of the start are those of the run", async () => {
  const before = Date.now();
  const [error] = await errorOf(
    pipeline(ten, filter((chunk) => chunk % 2 === 0), map(fussy), ignore),
  ) as [unknown];
  const { chunksRead, chunksWritten, startedAt, stageCount, callSite } = failureOf(error)!;
  assertEquals([chunksRead, chunksWritten, stageCount, callSite], [7, 3, 2, undefined]);
  assertEquals(Math.abs(startedAt!.getTime() - before) < 3_600_000, true);
});
