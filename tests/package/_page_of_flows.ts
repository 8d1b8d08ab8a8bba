/** What runs in the page of each browser of the stages, sources and ends for whole programs. */
import {
  attempt,
  batch,
  changes,
  channel,
  compose,
  count,
  distinct,
  encode,
  every,
  expand,
  find,
  flatMap,
  fuse,
  groupBy,
  hub,
  intersperse,
  interval,
  limitRate,
  map,
  mergeBy,
  pairwise,
  parallel,
  peek,
  pipeline,
  reader,
  reduce,
  scan,
  sliding,
  some,
  stage,
  take,
  toArray,
  toText,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";

const messageOf = (error: unknown): string => (error as Error).message;
const asyncDispose: symbol = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

function isOdd(n: number): boolean {
  return n % 2 === 1;
}

export async function passGenerators() {
  const ends: string[] = [];
  async function* twice(source: AsyncIterable<number>) {
    try {
      for await (const n of source) yield* [n, n * 10];
    } finally {
      ends.push("twice");
    }
  }
  async function* firstThree(source: AsyncIterable<number>) {
    let left = 3;
    for await (const n of source) {
      yield n;
      if (--left === 0) return;
    }
  }
  const marked = stage((source: AsyncIterable<number>) => firstThree(source));
  return {
    piped: await toArray([1, 2, 3], twice, firstThree),
    fused: await toArray(reader([1, 2, 3]).pipeThrough(fuse(twice, marked))),
    composed: await toArray([1, 2, 3], compose(twice, marked), marked),
    ends,
    refused: await toArray([1], function* () {} as never).catch(messageOf),
  };
}

export async function composePairs() {
  const zipped = () => compose(encode(), () => new CompressionStream("gzip"));
  const unzipped = () => compose(new DecompressionStream("gzip"), new TextDecoderStream());
  // A constructor throws what `start` throws, but for workerd's, whose streams fail by it.
  const construct = async () => await new TransformStream(unzipped()).readable.getReader().read();
  const refusal = await construct().catch((reason: unknown) => reason);
  return {
    texts: [
      await toText(["a", "ü"], zipped(), unzipped()),
      await toText(["b"], zipped(), unzipped()),
    ],
    isRefused: refusal instanceof TypeError,
  };
}

export async function attemptChunks() {
  const dead: unknown[] = [];
  const written: number[] = [];
  let calls = 0;
  const save = (n: number): number => {
    if (n === 2 || ++calls === 1) throw new Error(`no ${n}`);
    return n;
  };
  const options = {
    attempts: 2,
    delayMs: 0,
    onError: (reason: unknown, chunk: number, index: number) => {
      dead.push([messageOf(reason), chunk, index]);
      return "skip" as const;
    },
  };
  const result = await pipeline([1, 2, 3], attempt(save, options), (n) => void written.push(n));
  return { written, dead, skipped: result.chunksSkipped, retried: result.chunksRetried };
}

export async function limitTheRate() {
  return {
    passed: await toArray([1, 2, 3], limitRate({ perSecond: 1000, burst: 2 })),
    refused: await toArray([9], limitRate({ perSecond: 1, burst: 5, cost: (n: number) => n }))
      .catch((error: Error) => error.name),
  };
}

export async function runByKey() {
  const parity = (n: number) => n % 2;
  const later = async (n: number) => {
    await new Promise((resolve) => setTimeout(resolve, n === 1 ? 3 : 0));
    return n;
  };
  const pairs = await toArray([1, 2, 3, 4, 5], groupBy(parity, () => batch<number>(2)));
  const kept = await toArray([1, 2, 3], parallel(later, { concurrency: 2, key: parity }));
  return { pairs: pairs.map(String).sort(), odd: kept.filter(isOdd), sum: kept.length };
}

export async function readInnerSources() {
  const children: Readonly<Record<number, readonly number[]>> = { 1: [2, 3], 2: [4], 3: [4] };
  const inner = (n: number) => [n, n * 10];
  return {
    ordered: await toArray([1, 2], flatMap(inner, { concurrency: 2 })),
    unordered: (await toArray([1, 2], flatMap(inner, { concurrency: 2, ordered: false }))).length,
    tree: await toArray(
      [1],
      expand((n: number) => children[n] ?? [], {
        concurrency: 2,
        distinct: { key: (n: number) => n },
      }),
    ),
  };
}

export async function joinHub() {
  const numbers = hub(reader([1, 2, 3]), { replay: 2 });
  const both = await Promise.all([toArray(numbers.join()), toArray(numbers.join())]);
  return { both, late: await toArray(numbers.join()) };
}

export async function mergeAndPeek() {
  const { chunks, source } = await peek(reader([1, 2, 3]), 2);
  const failure = await peek(new ReadableStream({ start: (c) => c.error(new Error("gone")) }))
    .catch(messageOf);
  return {
    merged: await toArray(mergeBy({ key: (n: number) => n }, [1, 4], [2, 3])),
    chunks,
    again: await toArray(source),
    failure,
  };
}

export async function useSmallStages() {
  return {
    distinct: await toArray([1, 2, 1, 3], distinct({ maxKeys: 3 })),
    changes: await toArray([1, 1, 2, 1], changes()),
    pairs: await toArray([1, 2, 3], pairwise()),
    windows: await toArray([1, 2, 3, 4], sliding(3, 1)),
    ticks: (await toArray(interval(1), take(2))).length,
    lengths: await toArray(["ab", "cde"], encode({ size: 4 }), map(({ length }) => length)),
    text: await toText(["a", "b"], intersperse(", ")),
    sums: await toArray([1, 2, 3], scan((sum, n) => sum + n)),
  };
}

export async function reduceAtEnds() {
  const numbers = [1, 2, 3];
  return {
    sum: await reduce(numbers, (sum, n) => sum + n, 0),
    none: await reduce([], (sum: number, n: number) => sum + n, 7),
    count: await count(numbers, map((n) => n)),
    every: await every(numbers, isOdd),
    some: await some(numbers, isOdd),
    find: await find(numbers, (n: number) => n > 1),
  };
}

export async function flushAndDispose() {
  const sent = channel<number>();
  const written: number[][] = [];
  const run = pipeline(sent.readable, batch<number>(10), (chunks) => void written.push(chunks));
  await sent.send(1);
  await sent.flushNow();
  const atOnce = written.length;
  await sent.send(2);
  const dispose = async (disposable: object) => {
    await (disposable as Record<symbol, () => Promise<void>>)[asyncDispose]!();
  };
  await dispose(sent);
  await run;
  await dispose(probe());
  await dispose(hub(reader([1])));
  await dispose(await peek([1]));
  return { atOnce, written };
}

export function nameStages() {
  const inspect = Symbol.for("nodejs.util.inspect.custom");
  const shown = (stage: object) => (stage as Record<symbol, () => string>)[inspect]!();
  return [shown(map(isOdd)), shown(parallel(isOdd as never, { concurrency: 2 }))];
}

export async function saySuggestions() {
  const called = [
    () => toArray(5 as never),
    () => toArray([1], [map(isOdd)] as never),
    () => toArray("text" as never),
  ].map((call) => call().catch(messageOf));
  let unknown = "";
  try {
    limitRate({ perSeconds: 1 } as never);
  } catch (error) {
    unknown = messageOf(error);
  }
  return [...await Promise.all(called), unknown];
}
