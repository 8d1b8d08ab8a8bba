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
type Row = readonly [
  what: string,
  run: () => Promise<unknown>,
  side: RunFailure["side"],
  stage: number | undefined,
  name: string,
  chunkIndex: number | undefined,
  others?: Partial<RunFailure>,
];

/** The same stage by itself, behind another, among operators of all kinds, and with an engine from the beginning. */
function ofStage(name: string, failing: unknown, chunkIndex = 6): Row[] {
  const signal = new AbortController().signal;
  const run = (...args: unknown[]) => pipeline(...args as Parameters<typeof pipeline>);
  const rows: [string, number, () => Promise<unknown>][] = [
    ["alone", 1, () => run(ten, failing, ignore)],
    ["third", 3, () => run(ten, same, same, failing, same, ignore)],
    ["with a signal", 2, () => run(ten, same, failing, ignore, { signal })],
    ["ninth", 9, () => run(ten, ...Array.from({ length: 8 }, () => same), failing, ignore)],
    ["of a slow source", 2, () => run(slowly(ten), same, failing, ignore)],
    ["before a slow sink", 2, () => run(ten, same, failing, () => Promise.resolve())],
  ];
  return rows.map(([how, stage, run]) => [
    `${name}, ${how}`,
    run,
    "stage",
    stage,
    name,
    chunkIndex,
  ]);
}

async function* slowly<T>(chunks: Iterable<T>) {
  for (const chunk of chunks) {
    await undefined;
    yield chunk;
  }
}

const isSix = (chunk: number) => fussy(chunk) < 0;
const never = () => new WritableStream();

const table: Row[] = [
  ...ofStage("map(fussy)", map(fussy)),
  ...ofStage("map(fussyLater)", map(fussyLater)),
  ...ofStage("filter(fussy)", filter(fussy)),
  ...ofStage("filter(fussyLater)", filter(fussyLater)),
  ...ofStage("tap(fussy)", tap(fussy)),
  ...ofStage("tap(fussyLater)", tap(fussyLater)),
  ...ofStage(
    "flatMap(parts)",
    flatMap(function parts(chunk) {
      return [chunk, fussy(chunk)];
    }),
  ),
  ...ofStage(
    "flatMap(later)",
    flatMap(async function* later(chunk) {
      yield chunk;
      yield fussy(chunk);
    }),
  ),
  ...ofStage(
    "flatMap(iterated)",
    flatMap(function* iterated(chunk) {
      yield chunk;
      yield fussy(chunk);
    }),
  ),
  ...ofStage("parallel(fussy)", parallel(fussy, { concurrency: 3 })),
  ...ofStage("parallel(fussyLater)", parallel(fussyLater, { concurrency: 1 })),
  ...ofStage("parallel(fussyLater)", parallel(fussyLater, { concurrency: 4 })),
  ...ofStage("parallel(fussyLater)", parallel(fussyLater, { concurrency: 4, ordered: false })),
  ...ofStage("attempt(fussy)", attempt(fussy, { attempts: 1 })),
  ...ofStage(
    "attempt(fussyLater)",
    attempt(parallel(fussyLater, { concurrency: 4 }), { attempts: 1 }),
  ),
  ...ofStage(
    "scan(add)",
    scan(function add(sum: number, chunk: number) {
      return sum + fussy(chunk);
    }, 0),
  ),
  ...ofStage(
    "takeWhile(test)",
    takeWhile(function test(chunk) {
      return fussy(chunk) !== undefined;
    }),
  ),
  ...ofStage(
    "dropWhile(test)",
    dropWhile(function test(chunk) {
      return fussy(chunk) !== undefined;
    }),
  ),
  ...ofStage("changes(fussy)", changes(fussy)),
  ...ofStage("distinct(fussy)", distinct({ key: fussy })),
  ...ofStage("groupBy(fussy)", groupBy(fussy, () => same)),
  ...ofStage("batch", batch(2, { maxBytes: 9 }), 0),
  ...ofStage("lines", lines(), 0),
  ...ofStage("parseNdjson", parseNdjson(), 0),
  ...ofStage("transformer", fussyDictionary),
  ...ofStage("transformer", { transform: async (chunk: unknown) => void await fussyLater(chunk) }),
  ...ofStage("Checked", new Checked()),
  ...ofStage("fussyGenerator", fussyGenerator),
  ...ofStage("stage(fussyGenerator)", stageOf(fussyGenerator)),
  ...ofStage("map(fussy)", { ...map(fussy), flush() {} }),
  [
    "what `start` throws",
    () => pipeline(ten, same, { start: () => fussy(6) } as never, ignore),
    "stage",
    2,
    "transformer",
    undefined,
  ],
  [
    "what `start` rejects with",
    () => pipeline(ten, same, { start: () => fussyLater(6) } as never, ignore),
    "stage",
    2,
    "transformer",
    undefined,
  ],
  [
    "what `flush` throws",
    () => pipeline(ten, same, { flush: () => fussy(6) } as never, ignore),
    "stage",
    2,
    "transformer",
    undefined,
  ],
  [
    "what `flush` rejects with",
    () => pipeline(ten, { flush: () => fussyLater(6) } as never, same, ignore),
    "stage",
    1,
    "transformer",
    undefined,
  ],
  [
    "controller.error",
    () =>
      pipeline(ten, same, {
        transform: (chunk: unknown, controller: TransformStreamDefaultController) =>
          chunk === 6 ? controller.error(new Error("six")) : controller.enqueue(chunk),
      }, ignore),
    "stage",
    2,
    "transformer",
    6,
  ],
  [
    "an unordered call that ends before others",
    () => {
      const gate = Promise.withResolvers<void>();
      const call = async function call(chunk: number) {
        if (chunk < 2) await gate.promise;
        return fussy(chunk);
      };
      return pipeline(ten, parallel(call, { concurrency: 4, ordered: false }), ignore);
    },
    "stage",
    1,
    "parallel(call)",
    6,
  ],
  [
    "a part of a composition",
    () => pipeline(ten, same, compose(same, compose(same, filter(fussy)), same), ignore),
    "stage",
    2,
    "filter(fussy)",
    6,
    { part: 3 },
  ],
  [
    "what stands behind a composition",
    () => pipeline(ten, compose(same, same), map(fussy), ignore),
    "stage",
    2,
    "map(fussy)",
    6,
  ],
  [
    "a filter before it",
    () => pipeline(ten, filter((chunk: number) => chunk % 2 === 0), map(fussy), ignore),
    "stage",
    2,
    "map(fussy)",
    3,
  ],
  // Sources.
  [
    "a generator",
    () =>
      pipeline(
        function* () {
          yield 0;
          throw new Error("after one");
        }(),
        same,
        ignore,
      ),
    "source",
    undefined,
    "Generator",
    1,
  ],
  [
    "an async generator",
    () => pipeline(failing(), same, ignore),
    "source",
    undefined,
    "AsyncGenerator",
    2,
  ],
  [
    "a stream",
    () => pipeline(new ReadableStream({ pull: () => fussy(6) as never }), ignore),
    "source",
    undefined,
    "ReadableStream",
    0,
  ],
  [
    "an array of promises",
    () => pipeline([0, Promise.reject(new Error("one"))], same, ignore),
    "source",
    undefined,
    "Array",
    1,
  ],
  [
    "merge",
    () => pipeline(merge([0], failing()), ignore),
    "source",
    undefined,
    "source 2 of merge",
    3,
  ],
  [
    "zip",
    () => pipeline(zip(ten, ten, failing()), ignore),
    "source",
    undefined,
    "source 3 of zip",
    2,
  ],
  [
    "concat",
    () => pipeline(concat([0], () => failing()), ignore),
    "source",
    undefined,
    "source 2 of concat",
    3,
  ],
  [
    "mergeBy",
    () => pipeline(mergeBy({ key: Number }, [7], failing()), ignore),
    "source",
    undefined,
    "source 2 of mergeBy",
    2,
  ],
  [
    "tee",
    () => pipeline(tee(failing(), 1)[0]!, ignore),
    "source",
    undefined,
    "source of share",
    2,
  ],
  [
    "hub",
    () => {
      const shared = hub(failing());
      return pipeline(shared.join(), ignore);
    },
    "source",
    undefined,
    "source of hub",
    2,
  ],
  [
    "peek",
    async () => pipeline((await peek(failing(), 1)).source, ignore),
    "source",
    undefined,
    "source of peek",
    2,
  ],
  // Sinks.
  ["a function", () => pipeline(ten, same, fussy), "sink", undefined, "fussy", 6],
  ["an async function", () => pipeline(ten, same, fussyLater), "sink", undefined, "fussyLater", 6],
  [
    "an async function without a stage",
    () => pipeline(ten, fussyLater),
    "sink",
    undefined,
    "fussyLater",
    6,
  ],
  [
    "a stream",
    () => pipeline(ten, new WritableStream({ write: (chunk) => void fussy(chunk) })),
    "sink",
    undefined,
    "WritableStream",
    6,
  ],
  [
    "a stream that takes time",
    () =>
      pipeline(
        ten,
        same,
        new WritableStream({ write: async (chunk) => void await fussyLater(chunk) }),
      ),
    "sink",
    undefined,
    "WritableStream",
    6,
  ],
  [
    "a stream with a longer queue",
    () =>
      pipeline(
        ten,
        same,
        new WritableStream({ write: async (chunk) => void await fussyLater(chunk) }, {
          highWaterMark: 4,
        }),
      ),
    "sink",
    undefined,
    "WritableStream",
    undefined,
  ],
  [
    "what `close` throws",
    () => pipeline(ten, same, new WritableStream({ close: () => void fussy(6) })),
    "sink",
    undefined,
    "WritableStream",
    undefined,
  ],
  [
    "writer",
    () => pipeline(ten, same, writer(fussyLater)),
    "sink",
    undefined,
    "writer(fussyLater)",
    6,
  ],
  [
    "writer, at once",
    () => pipeline(ten, same, writer(fussy, { concurrency: 3 })),
    "sink",
    undefined,
    "writer(fussy)",
    6,
  ],
  [
    "writer, several at a time",
    () => pipeline(ten, same, writer(fussyLater, { concurrency: 3 })),
    "sink",
    undefined,
    "writer(fussyLater)",
    undefined,
  ],
  // Pairs.
  [
    "a pair",
    () =>
      pipeline(
        [new Uint8Array(9)],
        same as never,
        new DecompressionStream("gzip") as never,
        same,
        ignore,
      ),
    "stage",
    2,
    "DecompressionStream",
    undefined,
  ],
  [
    "a pair of ours",
    () => pipeline(ten, same, fuse(map(fussy)), same, ignore),
    "stage",
    1,
    "map(fussy)",
    6,
    { pipeline: "fuse", stageCount: 1 },
  ],
  [
    "before a pair",
    () => pipeline(ten, same, map(fussy), new TransformStream(), ignore),
    "stage",
    2,
    "map(fussy)",
    6,
  ],
  [
    "behind a pair",
    () => pipeline(ten, same, new TransformStream(), map(fussy), ignore),
    "stage",
    3,
    "map(fussy)",
    6,
  ],
  [
    "behind two pairs",
    () =>
      pipeline(
        ten,
        new TransformStream(),
        new TransformStream(),
        compose(same, map(fussy)),
        ignore,
      ),
    "stage",
    3,
    "map(fussy)",
    6,
    { part: 2 },
  ],
  [
    "the source before a pair",
    () => pipeline(failing(), new TransformStream(), ignore),
    "source",
    undefined,
    "AsyncGenerator",
    2,
  ],
  [
    "the sink behind a pair",
    () => pipeline(ten, new TransformStream(), fussy),
    "sink",
    undefined,
    "fussy",
    6,
  ],
  // Ends.
  ["toArray", () => toArray(ten, same, map(fussy)), "stage", 2, "map(fussy)", 6, {
    pipeline: "toArray",
    stageCount: 2,
  }],
  [
    "toArray, too many",
    () => toArray(ten, same, { maxChunks: 3 }),
    "sink",
    undefined,
    "toArray",
    3,
    { pipeline: "toArray" },
  ],
  ["toText, no text", () => toText(ten as never), "sink", undefined, "toText", 0, {
    pipeline: "toText",
  }],
  ["find", () => find(ten, isSix), "sink", undefined, "find(isSix)", 6, {
    pipeline: "find",
    stageCount: 0,
  }],
  ["some", () => some(ten, map(fussy), isSix), "stage", 1, "map(fussy)", 6, {
    pipeline: "some",
    stageCount: 1,
  }],
  ["every", () => every(ten, same, (chunk) => fussy(chunk) !== -1), "sink", undefined, "every", 6, {
    pipeline: "every",
  }],
  [
    "reduce",
    () =>
      reduce(ten, same, function add(sum: number, chunk) {
        return sum + Number(fussy(chunk));
      }, 0),
    "sink",
    undefined,
    "reduce(add)",
    6,
    { pipeline: "reduce", stageCount: 1 },
  ],
  // Between native streams.
  [
    "fuse",
    () => from(ten).pipeThrough(fuse(same, map(fussy))).pipeTo(never()),
    "stage",
    2,
    "map(fussy)",
    6,
    { pipeline: "fuse" },
  ],
  [
    "fuse, waiting",
    () => from(ten).pipeThrough(fuse(map(fussyLater), same)).pipeTo(never()),
    "stage",
    1,
    "map(fussyLater)",
    6,
    { pipeline: "fuse" },
  ],
  [
    "fuse, parallel",
    () => from(ten).pipeThrough(fuse(parallel(fussyLater, { concurrency: 3 }))).pipeTo(never()),
    "stage",
    1,
    "parallel(fussyLater)",
    6,
    { pipeline: "fuse" },
  ],
  [
    "fuse, a dictionary",
    () => from(ten).pipeThrough(fuse(same, same, fussyDictionary)).pipeTo(never()),
    "stage",
    3,
    "transformer",
    6,
    { pipeline: "fuse" },
  ],
  [
    "compose in a native stream",
    () => from(ten).pipeThrough(new TransformStream(compose(same, map(fussy)))).pipeTo(never()),
    "stage",
    2,
    "map(fussy)",
    6,
    { pipeline: "compose" },
  ],
  [
    "groupBy's chain",
    () => pipeline(ten, same, groupBy((chunk) => Number(chunk) % 2, () => map(fussy)), ignore),
    "stage",
    1,
    "map(fussy)",
    3,
    { pipeline: "groupBy" },
  ],
  // Twins.
  ["node: map", () => nodePipeline(ten, same, map(fussy), ignore), "stage", 2, "map(fussy)", 6],
  [
    "node: a dictionary",
    () => nodePipeline(ten, same, fussyDictionary, ignore),
    "stage",
    2,
    "transformer",
    6,
  ],
  [
    "node: parallel",
    () => nodePipeline(ten, same, parallel(fussyLater, { concurrency: 3 }), ignore),
    "stage",
    2,
    "parallel(fussyLater)",
    6,
  ],
  [
    "node: the source",
    () => nodePipeline(failing(), same, ignore),
    "source",
    undefined,
    "AsyncGenerator",
    undefined,
  ],
  [
    "node: the sink",
    () => nodePipeline(ten, same, nodeWriter(fussyLater)),
    "sink",
    undefined,
    "writer(fussyLater)",
    6,
  ],
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

for (const [what, run, side, stage, name, chunkIndex, others = {}] of table) {
  test(`failureOf() of ${side}: ${what}`, async () => {
    const [reason] = await errorOf(run()) as [unknown];
    const failure = failureOf(reason);
    const { pipeline, ...found } = { pipeline: "pipeline", ...others };
    assertEquals(
      failure && {
        pipeline: failure.pipeline,
        side: failure.side,
        stage: failure.stage,
        name: failure.name,
        chunkIndex: failure.chunkIndex,
        ...Object.fromEntries(
          Object.keys(found).map((key) => [key, failure[key as keyof RunFailure]]),
        ),
      },
      { pipeline, side, stage, name, chunkIndex, ...found },
      String(reason),
    );
  });
}

const works = [
  ["map(fussy)", map(fussy)],
  ["map(fussyLater)", map(fussyLater)],
  ["transformer", fussyDictionary as Transformer<string, unknown>],
] as const;

for (const [name, work] of works) {
  test(`failureOf() tells which stage a message has failed in: ${name}`, async () => {
    const queue = new MemoryQueue(["5", "6"]);
    const consumer = new Consumer(queue, { maxFailures: 1 });
    const reasons: unknown[] = [];
    const running = pipeline(
      messages(consumer),
      perMessage(map((body: string) => body), work),
      stored(consumer, ignore),
    );
    await until(() => queue.dead.length === 1);
    consumer.stop();
    await running;
    reasons.push(...queue.dead.map(([, reason]) => reason));
    const found = reasons.map((reason) => {
      const { pipeline, stage, name, chunkIndex } = failureOf(reason)!;
      return [pipeline, stage, name, chunkIndex];
    });
    assertEquals(found, [["perMessage", 2, name, 0]]);
  });
}

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

for (const reason of [undefined, null, 0, "", "text", Symbol("why")]) {
  test(`onFailure is told where ${String(reason)} was thrown, before the promise rejects`, async () => {
    const fail = map(() => {
      throw reason;
    });
    const events: unknown[] = [];
    const onFailure = ({ stage, chunkIndex }: RunFailure) => events.push([stage, chunkIndex]);
    const found = await errorOf(pipeline(ten, same, fail, ignore, { onFailure }));
    events.push(found);
    assertEquals(events, [[2, 0], [reason]]);
  });
}

test("what was thrown is left as it is, frozen or not, and what onFailure throws is ignored", async () => {
  const cause = new Error("cause");
  for (const freeze of [Object.freeze, (error: Error) => error]) {
    const error = freeze(new Error("why", { cause }));
    const before = Object.getOwnPropertyDescriptors(error);
    const fail = map(() => {
      throw error;
    });
    const onFailure = () => {
      throw new Error("other");
    };
    const found = await errorOf(pipeline(ten, fail, ignore, { onFailure })) as [unknown];
    assertEquals(found[0] === error, true);
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
