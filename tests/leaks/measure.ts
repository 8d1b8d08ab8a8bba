import { countedSignal } from "../lib/counted_signal.ts";
import type * as Library from "../../mod.ts";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** Something that is done many times, and should leave nothing. */
export type LeakCase = (library: typeof Library) => {
  readonly repeat: (count: number) => Promise<void>;
  readonly listeners: () => number;
};

const none = () => 0;
const failure = new Error("a failure on purpose");

function ignore(): void {}

function numbers(): ReadableStream<number> {
  let n = 0;
  return new ReadableStream({
    pull(controller) {
      if (n < 3) controller.enqueue(n++);
      else controller.close();
    },
  }, { highWaterMark: 0 });
}

export const leakCases: Record<string, LeakCase> = {
  /** Pipelines of every kind of end. */
  pipelines: ({ filter, flatMap, map, parallel, pipeline, take }) => {
    const runs: (() => Promise<unknown>)[] = [
      () => pipeline([1, 2, 3], map((n) => n + 1), filter((n) => n > 2), ignore),
      () => pipeline([1, 2, 3], ignore),
      () => pipeline(numbers(), map((n) => n), new WritableStream()),
      () =>
        pipeline(
          numbers(),
          flatMap((n) => [n, n]),
          take(2),
          new WritableStream({}, { highWaterMark: 4 }),
        ),
      () => pipeline([1, 2], parallel((n) => Promise.resolve(n), { concurrency: 2 }), ignore),
      () =>
        pipeline(
          [1, 2],
          map(() => {
            throw failure;
          }),
          new WritableStream(),
        ).catch(ignore),
      () =>
        pipeline(numbers(), () => {
          throw failure;
        }).catch(ignore),
      () => pipeline([1], new TransformStream<number, number>(), ignore),
    ];
    return {
      async repeat(count) {
        for (let n = 0; n < count; n++) await runs[n % runs.length]!();
      },
      listeners: none,
    };
  },

  /** Runs on one signal, some of which fail or end early. */
  signal: ({ fuse, map, pipeline, take }) => {
    const { signal, listeners } = countedSignal();
    const runs: (() => Promise<unknown>)[] = [
      () => pipeline([1, 2, 3], map((n) => n + 1), ignore, { signal }),
      () => pipeline(numbers(), take(1), new WritableStream(), { signal }),
      () =>
        pipeline([1], fuse(map((n: number) => n)), new TransformStream<number, number>(), ignore, {
          signal,
        }),
      () =>
        pipeline(
          [1],
          map(() => {
            throw failure;
          }),
          ignore,
          { signal },
        ).catch(ignore),
    ];
    return {
      async repeat(count) {
        for (let n = 0; n < count; n++) await runs[n % runs.length]!();
      },
      listeners,
    };
  },

  /** Runs that are ended by a signal of their own, in the middle of what hangs. */
  aborts: ({ map, pipeline }) => ({
    async repeat(count) {
      for (let n = 0; n < count; n++) {
        const controller = new AbortController();
        const { signal } = controller;
        const run = n % 2 === 0
          ? pipeline(numbers(), map(() => new Promise<never>(ignore)), ignore, { signal })
          : pipeline(numbers(), new WritableStream({ write: () => new Promise(ignore) }), {
            signal,
          });
        const ended = run.catch(ignore);
        await undefined;
        controller.abort(failure);
        await ended;
      }
    },
    listeners: none,
  }),

  /** Chunks through one pipeline. */
  chunks: ({ batch, drop, filter, flatMap, map, pipeline, scan, tap }) => ({
    async repeat(count) {
      const source = function* () {
        for (let n = 0; n < count; n++) yield n;
      };
      await pipeline(
        source(),
        map((n) => n + 1),
        filter((n) => n % 3 > 0),
        drop(1),
        tap(ignore),
        scan((sum, n: number) => (sum + n) % 1000, 0),
        batch<number>(10),
        flatMap((items) => items),
        {
          transform: (n: number, controller: TransformStreamDefaultController<number>) =>
            controller.enqueue(n),
        },
        ignore,
      );
    },
    listeners: none,
  }),

  /** Chunks through one fused pair between native ends. */
  fusedChunks: ({ filter, fuse, map }) => ({
    async repeat(count) {
      let n = 0;
      const source = new ReadableStream<number>({
        pull(controller) {
          if (n < count) controller.enqueue(n++);
          else controller.close();
        },
      });
      await source.pipeThrough(fuse(map((n: number) => n + 1), filter((n) => n % 3 > 0)))
        .pipeTo(new WritableStream());
    },
    listeners: none,
  }),

  /** Fused chains of which a chunk is read, and which are then cancelled. */
  cancels: ({ flatMap, fuse, map, parallel }) => ({
    async repeat(count) {
      for (let n = 0; n < count; n++) {
        const pair = n % 3 === 0
          ? fuse(map((n: number) => n))
          : n % 3 === 1
          ? fuse(flatMap((n: number) => [n, n, n]), map((n) => n))
          : fuse(parallel((n: number) => Promise.resolve(n), { concurrency: 2 }), map((n) => n));
        const reader = numbers().pipeThrough(pair).getReader();
        await reader.read();
        await reader.cancel(failure);
      }
    },
    listeners: none,
  }),

  /** Branches of one hub that come, miss chunks, and go: by a cancel, by a failure. */
  branches({ hub }) {
    let n = 0;
    const source = new ReadableStream<{ n: number; text: string }>({
      pull: (controller) => controller.enqueue({ n: n++, text: "x".repeat(100) }),
    }, { highWaterMark: 0 });
    const news = hub(source, { highWaterMark: 4, replay: 4, overflow: "dropOldest" });
    const steady = news.join().getReader();
    return {
      async repeat(count) {
        const readers: ReadableStreamDefaultReader<unknown>[] = [];
        for (let n = 0; n < count; n++) {
          const overflow = n % 3 === 0 ? "fail" : "dropNewest";
          readers.push(news.join({ overflow, highWaterMark: n % 4 }).getReader());
          await steady.read();
          if (readers.length > 20) readers.shift()!.cancel().catch(ignore);
        }
        for (const reader of readers) reader.cancel().catch(ignore);
      },
      listeners: () => news.branchCount - 1,
    };
  },

  /** As many keys as chunks, of which a hundred have a chain at a time. */
  keys: ({ groupBy, map, pipeline }) => ({
    async repeat(count) {
      function* keys() {
        for (let n = 0; n < count; n++) yield `key ${n}`;
      }
      await pipeline(
        keys(),
        groupBy((key) => key, () => map((key) => key), { maxKeys: 100 }),
        ignore,
      );
    },
    listeners: none,
  }),
};

/** What is left after many runs. */
export interface LeakResult {
  readonly count: number;
  /** Bytes of the heap in use before, and after each quarter of the runs. */
  readonly heap: readonly number[];
  /** Listeners that are left on the one signal, if there is one. */
  readonly listeners: number;
}

// Measures in this process, which must be able to collect garbage, what a leak would grow, and prints it as JSON:
//   node --expose-gc --import ./node_compat/register.mjs tests/leaks/measure.ts CASE COUNT
//   deno run -A --v8-flags=--expose-gc tests/leaks/measure.ts CASE COUNT
//   bun run tests/leaks/measure.ts CASE COUNT

const [name, count, library] = process.argv.slice(2);
const leakCase: LeakCase | undefined = leakCases[name!];
if (leakCase === undefined || !/^\d+$/.test(count ?? "")) {
  console.error(`CASE must be one of ${Object.keys(leakCases).join(", ")}, COUNT a number`);
  process.exit(2);
}
const { gc, Bun } = globalThis as {
  gc?: () => void;
  Bun?: { gc(isSynchronous: boolean): void };
};
if (gc === undefined && Bun === undefined) {
  console.error("Cannot collect garbage: start with --expose-gc");
  process.exit(2);
}

async function heapBytes(): Promise<number> {
  // What has just settled is let go of a turn later, and some of it only by the next collection.
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (Bun) Bun.gc(true);
    else gc!();
  }
  return process.memoryUsage().heapUsed;
}

const windows = 4;
const hosepipe: typeof Library = await import(
  library === undefined ? "../../mod.ts" : pathToFileURL(library).href
);
const each = Math.ceil(Number(count) / windows);
const run = leakCase(hosepipe);
// Compiled code and the like settle before the first look.
await run.repeat(Math.min(each, 2000));
const heap = [await heapBytes()];
for (let window = 0; window < windows; window++) {
  await run.repeat(each);
  heap.push(await heapBytes());
}
const result: LeakResult = { count: each * windows, heap, listeners: run.listeners() };
console.log(JSON.stringify(result));
process.exit(0);
