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
  reader,
  retry,
  take,
  takeUntil,
  tee,
  timeout,
  toArray,
  zip,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { pipeline as nodePipeline } from "@hosepipe/streams/node";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { turns } from "../lib/turns.ts";

// What holds for a source wherever it stands.

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
  "a generator that hangs"() {
    const source = (async function* () {
      yield 1;
      await new Promise(() => {});
    })();
    // It cannot be closed before it goes on.
    return { source, isFree: () => true };
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
  "reader, in batches": of((source) => {
    const batches =
      source[Symbol.asyncIterator] === undefined && source[Symbol.iterator] !== undefined
        ? [source]
        : undefined;
    return reader(batches === undefined ? source : () => batches.shift());
  }),
  merge: of((source) => merge(source, [])),
  concat: of((source) => concat(source)),
  zip: of((source) => zip(source)),
  mergeBy: of((source) => mergeBy({ key: Number }, source)),
  tee: of((source) => tee(source, 1)[0]!),
  hub: async (source, stages, write, options) => {
    const news = hub(source);
    await pipeline(news.join(), ...stages as [], write, options).finally(() => void news.cancel());
  },
  timeout: of((source) => timeout(source, { idleMs: 100_000 } as Any)),
  retry: of((source) => retry(() => source, { attempts: 1 })),
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

/** Runs a source at a place; gives what was written, flat, and how the run ends. */
function runAt(place: string, source: Any, signal: AbortSignal, stages: Any = []) {
  const seen: unknown[] = [];
  const write = (chunk: unknown): void => void (chunk !== 0 && seen.push(...[chunk].flat()));
  const running = (async () => await places[place]!(source, stages, write, { signal }))()
    .then(() => "fulfilled", (error) => error);
  const outcome = Promise.race([running, turns(20).then(() => "pending")]);
  return { seen, outcome };
}

async function checkPlaces(
  check: (place: string, fault: (fault: unknown) => void) => Promise<void>,
): Promise<void> {
  const unhandled = collectUnhandled();
  const faults: string[] = [];
  for (const place of Object.keys(places)) {
    await check(place, (fault) => void faults.push(`${place}: ${fault}`));
  }
  await turns(2);
  assertEquals([faults, unhandled.take()], [[], []]);
  unhandled.close();
}

for (const [kind, make] of Object.entries(kinds)) {
  for (const way of ["aborted", "ended by a stage"]) {
    test(`${kind} that gives no more is given up at once, wherever it stands: ${way}`, () =>
      checkPlaces(async (place, fault) => {
        const stop = new AbortController();
        const end = Promise.withResolvers<void>();
        const { source, isFree } = make();
        const reason = new Error("enough");
        const stages = way === "aborted" ? [] : [takeUntil(end.promise)];
        const { seen, outcome } = runAt(place, source, stop.signal, stages);
        await turns(8);
        if (way === "aborted") stop.abort(reason);
        else end.resolve();
        await turns(8);
        const answer = await outcome;
        if (seen.length === 0) fault("it was not read");
        if (!isFree()) fault("it was not given up");
        if (answer !== (way === "aborted" ? reason : "fulfilled")) fault(answer);
      }));
  }
}

const opening: Readonly<Record<string, (fn: Any) => Any>> = {
  flatMap: (fn) => flatMap(fn),
  "flatMap, two at a time": (fn) => flatMap(fn, { concurrency: 2 }),
  expand: (fn) => expand(fn),
};

test("a stream that is promised to a run that has ended is given up as well, and so is one that was not asked yet", async () => {
  for (const [name, make] of Object.entries(opening)) {
    for (const kind of ["a stream", "a body", "a node stream"]) {
      for (const isLate of [true, false]) {
        const { source, isFree } = kinds[kind]!();
        const late = Promise.withResolvers<void>();
        const reason = new Error("enough");
        const stop = new AbortController();
        const stage = make(() => isLate ? late.promise.then(() => source) : source);
        const running = pipeline([0], stage, () => stop.abort(reason), { signal: stop.signal })
          .catch((error) => error);
        await turns(2);
        stop.abort(reason);
        const answer = await running;
        late.resolve();
        await turns(2);
        assertEquals([isFree(), answer], [true, reason], `${name}, ${kind}, ${isLate}`);
      }
    }
  }
});

const { signal } = new AbortController();

test("a text and bytes are refused as a source, wherever they stand", () =>
  checkPlaces(async (place, fault) => {
    const bytes = new Uint8Array(2);
    for (const [source, advice] of [["ab", "a text, whose"], [bytes, "bytes, whose"]] as const) {
      const reason = await runAt(place, source, signal).outcome;
      const isRight = reason instanceof TypeError &&
        reason.message.includes(`must not be ${advice}`) && reason.message.includes("; use [");
      // These have words of their own.
      if (!isRight && !["a probe", "reader, in batches"].includes(place)) fault(reason);
    }
  }));

test("promises in an iterable are awaited, wherever it stands", () =>
  checkPlaces(async (place, fault) => {
    for (const isArray of [true, false]) {
      const chunks = [Promise.resolve(1), 2, Promise.resolve(3), Promise.resolve(4)];
      const { seen, outcome } = runAt(place, isArray ? chunks : new Set(chunks), signal);
      const answer = await outcome;
      if (answer !== "fulfilled" || seen.join() !== "1,2,3,4") fault(`${answer} ${seen}`);
    }
  }));

test("a promise in an iterable that is rejected is its failure, wherever it stands", () =>
  checkPlaces(async (place, fault) => {
    const reason = new Error("rejected");
    for (const isArray of [true, false]) {
      let isClosed = isArray;
      const chunks = function* () {
        try {
          yield 1;
          yield Promise.reject(reason);
        } finally {
          isClosed = true;
        }
      };
      const rejected = Promise.reject(reason);
      rejected.catch(() => {});
      const { seen, outcome } = runAt(place, isArray ? [1, rejected] : chunks(), signal);
      const answer = await outcome;
      if (answer !== reason) fault(answer);
      if (!isClosed) fault("it was not closed");
      if (seen.includes(rejected)) fault("the promise was given");
    }
  }));

test("sources that stand on each other may be many", async () => {
  const wraps: Readonly<Record<string, (source: Any) => Any>> = {
    reader: (source) => reader(source),
    merge: (source) => merge(source),
    concat: (source) => concat(source),
    zip: (source) => zip(source),
    mergeBy: (source) => mergeBy({ key: Number }, source),
    tee: (source) => tee(source, 1)[0],
    hub: (source) => hub(source).join(),
    timeout: (source) => timeout(source, { idleMs: 100_000 }),
    retry: (source) => retry(() => source, { attempts: 1 }),
  };
  const failure = new Error("own");
  const failing = function* () {
    yield 1;
    throw failure;
  };
  for (const [name, wrap] of Object.entries(wraps)) {
    const nest = (source: Any) => {
      for (let depth = 0; depth < 2000; depth++) source = wrap(source);
      return source;
    };
    assertEquals((await toArray(nest([1, 2]))).length, 2, name);
    assertEquals((await toArray(nest([1, 2]), take(1))).length, 1, name);
    assertEquals(await toArray(nest(failing())).catch((error) => error === failure), true, name);
  }
});

test("a node stream that is left open has no listener, and is read on", async () => {
  for (const look of [(source: Any) => source, (source: Any) => probe().reader(source)]) {
    const source = new Readable({ objectMode: true, read() {} });
    for (const chunk of [1, 2, 3]) source.push(chunk);
    const seen: unknown[] = [];
    for (let run = 0; run < 3; run++) {
      await pipeline(look(source), take(1), (chunk) => void seen.push(chunk), {
        preventCancel: true,
      });
      assertEquals([source.eventNames(), source.destroyed], [[], false]);
    }
    assertEquals(seen, [1, 2, 3]);
  }
});
