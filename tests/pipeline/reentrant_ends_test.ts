import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { concat, map, merge, pipeline, reader, retry, tee, timeout, zip } from "@hosepipe/streams";
import { turns } from "../lib/turns.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

const stop = new Error("stop");
const first = new Error("first");
const rows = { "no stage": [], "a stage": [map((chunk: unknown) => chunk)] };

for (const [name, row] of Object.entries(rows)) {
  test(`a write that aborts its run and then fails leaves nothing unhandled, with ${name}`, async () => {
    for (const isAsync of [false, true]) {
      const unhandled = await unhandledDuring(async () => {
        const abort = new AbortController();
        const write = () => {
          abort.abort(stop);
          if (isAsync) return Promise.reject(new Error("disk full"));
          throw new Error("disk full");
        };
        const sink = new WritableStream({ write });
        const source = (async function* () {
          await undefined;
          yield 1;
          yield 2;
        })();
        const run = pipeline(source, ...row as [], sink, { signal: abort.signal });
        assertEquals(await run.catch((reason) => reason), stop);
        assertEquals(sink.locked, false);
      });
      assertEquals(unhandled, []);
    }
  });

  const wraps: Record<string, (source: Iterable<number>) => AsyncIterable<unknown>> = {
    "a generator": (source) => source as never,
    "a stream": (source) => {
      const iterator = source[Symbol.iterator]();
      return new ReadableStream({
        pull: (controller) => controller.enqueue(iterator.next().value),
        cancel: () => void iterator.return!(),
      }, { highWaterMark: 0 });
    },
    "reader()": (source) => reader(source as never),
    "merge()": (source) => merge(source),
    "concat()": (source) => concat(source),
    "zip()": (source) => zip(source),
    "timeout()": (source) => timeout(source, { idleMs: 60_000 }),
    "tee()": (source) => tee(source, 1)[0]!,
    "retry()": (source) => retry(() => source),
  };
  for (const [kind, wrap] of Object.entries(wraps)) {
    test(`a generator in ${kind} that aborts its own run is closed, with ${name}`, async () => {
      const abort = new AbortController();
      let closed = 0;
      const source = (function* () {
        try {
          yield 1;
          abort.abort(stop);
          yield 2;
          yield 3;
        } finally {
          closed++;
        }
      })();
      const run = pipeline(wrap(source), ...row as [], () => {}, { signal: abort.signal });
      assertEquals(await run.catch((reason) => reason), stop);
      await turns(3);
      assertEquals(closed, 1);
    });
  }

  const cleanups: Record<string, (clean: () => void) => AsyncIterable<number> | Iterable<number>> =
    {
      "generator": function* (clean) {
        try {
          yield 1;
          yield 2;
        } finally {
          clean();
        }
      },
      "async generator": async function* (clean) {
        try {
          yield 1;
          yield 2;
        } finally {
          clean();
        }
      },
      "iterator": (clean) => ({
        [Symbol.iterator]: () => ({
          next: () => ({ done: false, value: 1 }),
          return() {
            clean();
            return { done: true, value: undefined };
          },
        }),
      }),
      "stream": (clean) =>
        new ReadableStream({ pull: (controller) => controller.enqueue(1), cancel: clean }),
    };
  for (const [kind, make] of Object.entries(cleanups)) {
    test(`a ${kind} that aborts its run as it is closed hides no failure, with ${name}`, async () => {
      const abort = new AbortController();
      let cleaned = 0;
      const source = make(() => {
        cleaned++;
        abort.abort(new Error("cleanup"));
      });
      const sink = () => {
        throw first;
      };
      const run = pipeline(source, ...row as [], sink, { signal: abort.signal });
      assertEquals(await run.catch((reason) => reason), first);
      assertEquals(cleaned, 1);
    });
  }

  test(`a run stopped by its signal leaves what it has not read in a source that is kept, with ${name}`, async () => {
    for (let steps = 0; steps < 20; steps++) {
      const abort = new AbortController();
      let controller!: ReadableStreamDefaultController<string>;
      const source = new ReadableStream<string>({ start: (given) => void (controller = given) }, {
        highWaterMark: 0,
      });
      const got: string[] = [];
      const take = (chunk: string): void => void got.push(chunk);
      const sink = new WritableStream({ write: take }, { highWaterMark: 2 });
      const kept = { preventCancel: true, preventAbort: true };
      const run = pipeline(source, ...row as [], sink, { signal: abort.signal, ...kept });
      const stopped = assertRejects(() => run, Error, "stop");
      await turns(2);
      controller.enqueue("a");
      for (let step = 0; step < steps; step++) await undefined;
      abort.abort(stop);
      controller.enqueue("b");
      await stopped;
      controller.enqueue("c");
      controller.close();
      await pipeline(source, take);
      assertEquals(got, ["a", "b", "c"]);
    }
  });
}
