import { Readable } from "node:stream";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  concat,
  expand,
  flatMap,
  hub,
  map,
  merge,
  mergeBy,
  peek,
  pipeline,
  probe,
  reader,
  retry,
  share,
  takeUntil,
  timeout,
  toArray,
  zip,
} from "@hosepipe/streams";
import { pipeline as nodePipeline } from "@hosepipe/streams/node";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { turns } from "../lib/turns.ts";

// What gives a chunk and no other is given up at once, wherever it stands.

// deno-lint-ignore no-explicit-any -- of any kind
type Any = any;

interface Idle {
  readonly source: Any;
  /** Whether it was given up, and nothing of the run is left at it. */
  isFree(): boolean;
}

const kinds: Readonly<Record<string, () => Idle>> = {
  "a stream"() {
    let cancels = 0;
    let isAsked = false;
    const source = new ReadableStream({
      pull(controller) {
        if (isAsked) return new Promise(() => {});
        isAsked = true;
        controller.enqueue(1);
      },
      cancel: () => void cancels++,
    }, { highWaterMark: 0 });
    return { source, isFree: () => cancels === 1 && !source.locked };
  },
  "a stream of ours"() {
    const { source, isFree } = kinds["an iterable"]!();
    const merged = merge(source);
    return { source: merged, isFree: () => isFree() && !merged.locked };
  },
  "a body"() {
    const { source, isFree } = kinds["a stream"]!();
    return { source: { body: source, bodyUsed: false }, isFree };
  },
  "a node stream"() {
    const source = new Readable({ objectMode: true, read() {} });
    source.push(1);
    return {
      source,
      isFree: () => source.destroyed && source.listenerCount("readable") === 0,
    };
  },
  "an iterable"() {
    let returns = 0;
    let asked = 0;
    const iterator = {
      next: () =>
        asked++ === 0 ? Promise.resolve({ done: false, value: 1 }) : new Promise(() => {}),
      return: () => Promise.resolve({ done: ++returns > 0, value: undefined }),
    };
    return { source: { [Symbol.asyncIterator]: () => iterator }, isFree: () => returns === 1 };
  },
};

interface RunOptions {
  readonly signal: AbortSignal;
}

/** Reads `source` through stages that may end it. */
type Run = (
  source: Any,
  stages: Any,
  write: (chunk: unknown) => void,
  options: RunOptions,
) => Promise<unknown>;

/** A run of what a function makes of the source. */
const of = (make: (source: Any) => Any): Run => (source, stages, write, options) =>
  pipeline(make(source), ...stages as [], write, options);

const places: Readonly<Record<string, Run>> = {
  pipeline: of((source) => source),
  reader: of((source) => reader(source)),
  merge: of((source) => merge(source, [2])),
  concat: of((source) => concat(source)),
  zip: of((source) => zip(source, [2, 3])),
  mergeBy: of((source) => mergeBy({ key: Number }, source)),
  share: of((source) => share(source, 1)[0]!),
  hub: async (source, stages, write, options) => {
    const news = hub(source);
    await pipeline(news.join(), ...stages as [], write, options).finally(() => void news.cancel());
  },
  timeout: of((source) => timeout(source, { idleMs: 100_000 } as Any)),
  retry: of((source) => retry(() => source)),
  peek: async (source, stages, write, options) => {
    const { source: rest } = await peek(source, 1) as Any;
    await pipeline(rest, ...stages as [], write, options);
  },
  "a probe": of((source) => probe().reader(source)),
  toArray: async (source, stages, write, options) =>
    await toArray(source, ...stages as [], map((chunk) => write(chunk)), options as never),
  ...Object.fromEntries(
    Object.entries({
      flatMap: (fn: Any) => flatMap(fn),
      "flatMap, two at a time": (fn: Any) => flatMap(fn, { concurrency: 2 }),
      expand: (fn: Any) => expand(fn),
      "expand, two at a time": (fn: Any) => expand(fn, { concurrency: 2 }),
    }).map(([name, make]): [string, Run] => [
      name,
      (source, stages, write, options) =>
        pipeline(
          [0],
          make((chunk: unknown) => chunk === 0 ? source : []),
          ...stages as [],
          write,
          options,
        ),
    ]),
  ),
  "node's pipeline": (source, stages, write, { signal }) =>
    nodePipeline(source, ...stages, write, { signal }),
};

for (const [kind, make] of Object.entries(kinds)) {
  test(`${kind} that gives no more is given up at once, wherever it stands`, async () => {
    const unhandled = collectUnhandled();
    const faults: string[] = [];
    for (const [place, run] of Object.entries(places)) {
      for (const way of ["aborted", "ended by a stage"]) {
        const stop = new AbortController();
        const end = Promise.withResolvers<void>();
        const { source, isFree } = make();
        const reason = new Error("enough");
        const seen: unknown[] = [];
        const stages = way === "aborted" ? [] : [takeUntil(end.promise)];
        const running = run(source, stages, (chunk) => void seen.push(chunk), {
          signal: stop.signal,
        });
        const outcome = running.then(() => "fulfilled", (error) => error);
        await turns(8);
        if (way === "aborted") stop.abort(reason);
        else end.resolve();
        await turns(8);
        const answer = await Promise.race([outcome, turns(2).then(() => "pending")]);
        if (seen.length === 0) faults.push(`${place}, ${way}: it was not read`);
        if (!isFree()) faults.push(`${place}, ${way}: it was not given up`);
        if (answer !== (way === "aborted" ? reason : "fulfilled")) {
          faults.push(`${place}, ${way}: ${answer}`);
        }
      }
    }
    assertEquals(faults, []);
    assertEquals(unhandled.take(), []);
    unhandled.close();
  });
}
