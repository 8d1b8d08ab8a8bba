import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { assert } from "@std/assert";
import {
  batchBy,
  channel,
  concat,
  count,
  distinct,
  flatMap,
  groupBy,
  hub,
  last,
  map,
  merge,
  mergeBy,
  pipeline,
  reduce,
  some,
  takeUntil,
  tee,
  toArray,
  toBytes,
  toText,
  zip,
} from "@hosepipe/streams";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { operators } from "../lib/operators.ts";
import { sources } from "../lib/sources.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const ignore = () => {};
const all = <T>(streams: readonly ReadableStream<T>[]) =>
  Promise.all(streams.map((stream) => pipeline(stream, ignore)));

/** What keeps something for each key, chunk, source, branch or run, with n of these. */
const jobs: Record<string, (n: number) => Promise<unknown>> = {
  "distinct, as many keys": (n) => pipeline(range(n), distinct(), ignore),
  "distinct, forgetting the oldest": (n) =>
    pipeline(range(n), distinct({ maxKeys: 100, atLimit: "forgetOldest" }), ignore),
  "batchBy, as many open keys": (n) =>
    pipeline(range(n), batchBy(String, 10, { maxKeys: n, maxWaitMs: 60_000 }), ignore),
  "batchBy, more keys than it keeps": (n) =>
    pipeline(range(n), batchBy(String, 10, { maxKeys: 50 }), ignore),
  "groupBy, as many keys": (n) =>
    pipeline(range(n), groupBy(String, () => map((chunk) => chunk), { maxKeys: n }), ignore),
  "groupBy, more keys than it keeps": (n) =>
    pipeline(range(n), groupBy(String, () => map((chunk) => chunk), { maxKeys: 50 }), ignore),
  "flatMap to many at once": (n) =>
    pipeline([n], flatMap((length) => range(length), { concurrency: 4 }), ignore),
  "merge of as many": (n) => pipeline(merge(...range(n).map((chunk) => [chunk])), ignore),
  "mergeBy of as many": (n) =>
    pipeline(mergeBy({ key: Number }, ...range(n).map((chunk) => [chunk])), ignore),
  "zip of as many": (n) => pipeline(zip(...range(n).map((chunk) => [chunk])), ignore),
  "concat of as many": (n) => pipeline(concat(...range(n).map((chunk) => [chunk])), ignore),
  "tee to as many": (n) => all(tee([1, 2], n)),
  "hub with as many": (n) => {
    const { join } = hub([1, 2]);
    return all(range(n).map(() => join()));
  },
  "channel, filled before it is read": async (n) => {
    const { readable, send, close } = channel<number>({ highWaterMark: n });
    for (const chunk of range(n)) void send(chunk);
    void close();
    await pipeline(readable, ignore);
  },
  "streams until one signal": (n) => {
    const { signal } = new AbortController();
    return Promise.all(range(n).map((chunk) => pipeline([chunk], takeUntil(signal), ignore)));
  },
  "short runs with one signal": (n) => {
    const { signal } = new AbortController();
    return Promise.all(range(n).map((chunk) => pipeline([chunk], ignore, { signal })));
  },
  "runs that wait, at once": (n) =>
    Promise.all(range(n).map((chunk) => pipeline([chunk], async () => {}))),
  "toArray": (n) => toArray(range(n)),
  "toText": (n) => toText(range(n).map(String)),
  "toBytes": (n) => toBytes(range(n).map((chunk) => new Uint8Array([chunk]))),
  "count": (n) => count(range(n)),
  "last": (n) => last(range(n)),
  "some": (n) => some(range(n), (chunk) => chunk < 0),
  "reduce": (n) => reduce(range(n), (sum, chunk) => sum + chunk, 0),
};

for (const { name, make } of sources) {
  jobs[`${name}, a source`] = (n) => pipeline(make(range(n)), ignore);
}
for (const { name, make, input } of operators) {
  jobs[`${name}, run`] = (n) => pipeline(range(n).map(input), make() as never, ignore);
}

type Ranges = { result: { url: string; functions: { ranges: { count: number }[] }[] }[] };

const isNode = currentRuntime().name === "node";

/** Counts how often blocks of code of the library, and of this file, are run meanwhile. */
async function startCounting(): Promise<(run: () => Promise<unknown>) => Promise<number>> {
  // Code that is optimized is counted no more, and code that was compiled before has no counters.
  setFlagsFromString("--no-opt");
  setFlagsFromString("--no-maglev");
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return async (run) => {
    await session.post("Profiler.takePreciseCoverage");
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage") as Ranges;
    return result.filter(({ url }) => /\/(?:src\/.*|growth_test)\.ts$/.test(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  };
}

const countBlocks = isNode ? await startCounting() : undefined;

/** How many more steps twice as much takes, of n and of 2n: 2 if the steps grow as n does. */
async function growthOf(job: (n: number) => Promise<unknown>): Promise<number> {
  const n = 250;
  const steps = (length: number) => withStoppedClock(() => countBlocks!(() => job(length)));
  await steps(n);
  const [once, twice, fourTimes] = [await steps(n), await steps(2 * n), await steps(4 * n)];
  assert(twice > once, `${once}, ${twice}, ${fourTimes} steps`);
  return (fourTimes - twice) / (twice - once);
}

const skip = isNode ? false : "Node's inspector counts blocks";

test("a stage that looks through all it has seen is found to grow faster", { skip }, async () => {
  const growth = await growthOf((n) => {
    const seen: number[] = [];
    const look = (chunk: number) => {
      for (const one of seen) if (one === chunk) throw new Error("twice");
      seen.push(chunk);
      return chunk;
    };
    return pipeline(range(n), map(look), ignore);
  });
  assert(growth > 2.5, `${growth}`);
});

for (const [name, job] of isNode ? Object.entries(jobs) : []) {
  test(`twice as much takes twice as many steps: ${name}`, async () => {
    const growth = await growthOf(job);
    assert(growth <= 2.2, `${growth}`);
  });
}
