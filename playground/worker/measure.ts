import { fuse, map, pipeline } from "@hosepipe/streams";
import { defineStages } from "../../src/workers/mod.ts";

/** The work on a chunk: 200 lines of JSON are parsed, and their totals added up. */
export function addTotals(text: string): number {
  let sum = 0;
  for (const line of text.split("\n")) sum += (JSON.parse(line) as { total: number }).total;
  return sum;
}

/** Chunks to work on. */
export function makeTexts(count: number): string[] {
  return Array.from({ length: count }, (_, chunk) =>
    Array.from(
      { length: 200 },
      (_, line) =>
        JSON.stringify({ id: line, total: (chunk * 31 + line * 7) % 1000, note: "a row" }),
    ).join("\n"));
}

/** One way of bringing chunks through many stages. */
export interface Measured {
  readonly name: "native" | "fuse" | "pipeline" | "loop";
  /** The best of the rounds, in nanoseconds for each chunk. */
  readonly nsPerChunk: number;
}

type Step = (n: number) => number;
/** Brings so many numbers through the steps to `write`. */
type Way = (count: number, write: (n: number) => void) => Promise<unknown>;

const stageCount = 100;
const rounds = 5;
/** How long a round should take at least, so that it is more than the grain of the clock. */
const roundMs = 40;

/** Steps that differ, as those of a real chain do: an engine cannot make one function of them. */
const steps: readonly Step[] = Array.from({ length: stageCount }, (_, index) => {
  const add = index % 7;
  const kinds: readonly Step[] = [
    (n) => n + add,
    (n) => n ^ add,
    (n) => (n * 3 + add) & 0xffff,
    (n) => n - add,
  ];
  return kinds[index % kinds.length]!;
});

function* numbers(count: number): Generator<number, void, undefined> {
  for (let n = 0; n < count; n++) yield n;
}

/** Adds up all that comes, so that every way can be seen to do the same. */
async function sumOf(way: Way, count: number): Promise<number> {
  let sum = 0;
  await way(count, (n) => void (sum = (sum + n) | 0));
  return sum;
}

function readableOf(count: number): ReadableStream<number> {
  let n = 0;
  return new ReadableStream({
    pull(controller) {
      if (n < count) controller.enqueue(n++);
      else controller.close();
    },
  });
}

const ways: Readonly<Record<Measured["name"], Way>> = {
  native(count, write) {
    let stream = readableOf(count);
    for (const step of steps) stream = stream.pipeThrough(new TransformStream(map(step)));
    return stream.pipeTo(new WritableStream({ write }));
  },
  fuse(count, write) {
    const stages = steps.map((step) => map(step)) as [Transformer<number, number>];
    return readableOf(count).pipeThrough(fuse(...stages)).pipeTo(new WritableStream({ write }));
  },
  pipeline(count, write) {
    const stages = steps.map((step) => map(step)) as [Transformer<number, number>];
    return pipeline(numbers(count), ...stages, write);
  },
  loop(count, write) {
    for (const n of numbers(count)) {
      let chunk = n;
      for (const step of steps) chunk = step(chunk);
      write(chunk);
    }
    return Promise.resolve();
  },
};

/** Measures one way. */
async function measureWay(name: Measured["name"]): Promise<Measured> {
  const way = ways[name];
  const [expected, got] = [await sumOf(ways.loop, 500), await sumOf(way, 500)];
  if (got !== expected) throw new Error(`${name} came to ${got}, the loop to ${expected}`);
  let count = 25;
  let elapsedMs = 0;
  while (elapsedMs < roundMs) {
    count *= 2;
    const startedAt = performance.now();
    await sumOf(way, count);
    elapsedMs = performance.now() - startedAt;
  }
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await sumOf(way, count);
    samples.push((performance.now() - startedAt) * 1e6 / count);
  }
  return { name, nsPerChunk: Math.min(...samples) };
}

/** What workers of this page may run as their stage. */
const jobs = { addTotals, measureWay };

/** The name of one of them. */
export type Job = keyof typeof jobs;

/** Has this worker run one for `inWorkers` on the page. */
export function serveJob(job: Job): void {
  defineStages(() => [map(jobs[job] as (chunk: string) => unknown)]);
}
