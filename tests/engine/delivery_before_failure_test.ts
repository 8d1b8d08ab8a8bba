import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import {
  attempt,
  compose,
  expand,
  filter,
  flatMap,
  fuse,
  groupBy,
  map,
  parallel,
  pipeline,
  scan,
  tap,
  writer,
} from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { held } from "../lib/held.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";

const failure = new Error("a failure on purpose");

function failsAt<T>(n: number): (chunk: T, index: number) => T {
  return (chunk, index) => {
    if (index === n) throw failure;
    return chunk;
  };
}

for (const highWaterMark of [0, 1, 2, 7, 16, Infinity]) {
  test(`fuse delivers a burst up to its failure, readable mark ${highWaterMark}`, async () => {
    for (const sinkMark of [1, 2, 16]) {
      const sink = keepingSink({ highWaterMark: sinkMark });
      const pair = fuse(flatMap(() => range(100)), map(failsAt(50)), {
        readableStrategy: { highWaterMark },
      });
      const error = await errorOf(from([0]).pipeThrough(pair).pipeTo(sink.writable));
      assertEquals([sink.chunks, error], [range(50), [failure]], `sink of ${sinkMark}`);
      assertEquals(sink.abortReasons, [failure]);
    }
  });
}

for (const reads of [2, 3, 16]) {
  test(`fuse answers ${reads} reads at once with what was made before a failure`, async () => {
    const reader = from([0])
      .pipeThrough(fuse(flatMap(() => range(100)), map(failsAt(50)))).getReader();
    const chunks: unknown[] = [];
    const errors: unknown[] = [];
    const read = async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        chunks.push(value);
      }
    };
    await Promise.all(range(reads).map(() => read().catch((error) => errors.push(error))));
    assertEquals(chunks, range(50));
    assertEquals(errors, range(reads).map(() => failure));
  });
}

test("fuse gives all that an asynchronous iterator gives, with reads outstanding", async () => {
  for (const reads of [1, 2, 3]) {
    let open = 0;
    const pair = fuse(
      {},
      flatMap(async function* (n: unknown) {
        open++;
        try {
          yield `${n}.0`;
          yield `${n}.1`;
        } finally {
          open--;
        }
      }),
    );
    const reader = from([0, 1]).pipeThrough(pair).getReader();
    const chunks: unknown[] = [];
    await Promise.all(
      range(reads).map(async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          chunks.push(value);
        }
      }),
    );
    assertEquals([chunks, open], [["0.0", "0.1", "1.0", "1.1"], 0], `${reads} reads`);
  }
});

for (const highWaterMark of [1, 2, 7, 16, Infinity]) {
  test(`pipeline writes what it has handed over, then aborts, sink of ${highWaterMark}`, async () => {
    const stages = {
      map: map(failsAt<number>(10)),
      filter: filter((_: number, index) => {
        if (index === 10) throw failure;
        return true;
      }),
      tap: tap((_: number, index) => {
        if (index === 10) throw failure;
      }),
      scan: scan((_: number, n: number, index) => {
        if (index === 10) throw failure;
        return n;
      }, 0),
      raw: {
        transform(n: number, controller: TransformStreamDefaultController<number>) {
          if (n === 10) throw failure;
          controller.enqueue(n);
        },
      },
      "a failing source": undefined,
    };
    for (const [name, stage] of Object.entries(stages)) {
      const written: unknown[] = [];
      const events: unknown[] = [];
      const sink = new WritableStream<number>({
        async write(n) {
          await undefined;
          written.push(n);
        },
        close: () => void events.push("close"),
        abort: (reason) => void events.push([written.length, reason]),
      }, { highWaterMark });
      const source = stage ? range(20) : (function* () {
        yield* range(10);
        throw failure;
      })();
      const run = stage ? pipeline(source, stage, sink) : pipeline(source, sink);
      assertEquals(await errorOf(run), [failure], name);
      assertEquals([written, events], [range(10), [[10, failure]]], name);
    }
  });
}

test("pipeline waits for the writes of a writer before it aborts it", async () => {
  for (const concurrency of [1, 2, 4]) {
    const written: unknown[] = [];
    const reasons: unknown[] = [];
    const sink = writer(async (n: number) => {
      await turns(1);
      written.push(n);
    }, { concurrency, highWaterMark: 16, abort: (reason) => void reasons.push(reason) });
    assertEquals(await errorOf(pipeline(range(20), map(failsAt<number>(10)), sink)), [failure]);
    assertEquals([written, reasons], [range(10), [failure]], `${concurrency} at a time`);
  }
});

test("a sink's own error is the pipeline's, whatever its queue holds", async () => {
  async function* numbers() {
    yield* [1, 2, 3];
  }
  for (const highWaterMark of [1, 2, 3, 4, 16, Infinity]) {
    for (
      const open of [
        () => [1, 2, 3],
        numbers,
        () => from([1, 2, 3]),
        () => ReadableStream.from([1, 2, 3]),
      ]
    ) {
      for (const stages of [[], [map((n: number) => n)]]) {
        for (const isAsync of [false, true]) {
          const disk = new Error("disk full");
          const sink = new WritableStream<number>({
            write(n) {
              if (n !== 3) return;
              if (isAsync) return Promise.reject(disk);
              throw disk;
            },
          }, { highWaterMark });
          const [error] = await errorOf(
            pipeline(open() as Iterable<number>, ...stages as [], sink),
          ) as [unknown];
          assertStrictEquals(error, disk, `highWaterMark ${highWaterMark}, ${open}`);
        }
      }
    }
  }
});

test("a sink that fails by its controller, in start or in close fails the pipeline with its reason", async () => {
  const later = () => Promise.resolve().then(() => {});
  const sinks: Record<string, () => UnderlyingSink> = {
    "controller in start": () => ({ start: (controller) => controller.error(failure) }),
    "controller later": () => ({
      start: (controller) => void later().then(() => controller.error(failure)),
    }),
    "start rejects": () => ({ start: () => later().then(() => Promise.reject(failure)) }),
    "controller in write": () => ({ write: (_, controller) => controller.error(failure) }),
    "close throws": () => ({
      close() {
        throw failure;
      },
    }),
    "close rejects": () => ({ close: () => later().then(() => Promise.reject(failure)) }),
  };
  for (const [name, sink] of Object.entries(sinks)) {
    for (const highWaterMark of [1, 16]) {
      for (const stages of [[], [map((n: number) => n)]]) {
        const run = pipeline(
          range(3),
          ...stages as [],
          new WritableStream(sink(), { highWaterMark }),
        );
        assertEquals(await errorOf(run), [failure], name);
      }
    }
  }
});

/** Every operator that works ahead, in an order or without; each gives one chunk of each. */
const workers: Record<
  string,
  (fn: (n: number) => Promise<number>, concurrency: number) => Transformer<number, number>
> = {
  parallel: (fn, concurrency) => parallel(fn, { concurrency }),
  "parallel, unordered": (fn, concurrency) => parallel(fn, { concurrency, ordered: false }),
  "parallel, keys": (fn, concurrency) => parallel(fn, { concurrency, key: (n) => n }),
  "attempt of parallel": (fn, concurrency) =>
    attempt(parallel(fn, { concurrency }), { attempts: 1 }),
  "parallel that goes on": (fn, concurrency) => parallel(fn, { concurrency, stopOnError: false }),
  filter: (fn, concurrency) => filter(async (n: number) => await fn(n) >= 0, { concurrency }),
  flatMap: (fn, concurrency) => flatMap(async (n) => [await fn(n)], { concurrency }),
  "flatMap, unordered": (fn, concurrency) =>
    flatMap(async (n) => [await fn(n)], { concurrency, ordered: false }),
  "flatMap, generators": (fn, concurrency) =>
    flatMap(async function* (n) {
      yield fn(n);
    }, { concurrency }),
  // What is found stands for the chunk that it was found by.
  expand: (fn, concurrency) =>
    compose(
      expand(async (n: number) => n < 100 ? [100 + await fn(n)] : [], { concurrency }),
      filter((n) => n >= 100),
      map((n) => n - 100),
    ),
  groupBy: (fn, concurrency) => groupBy(() => 0, () => parallel(fn, { concurrency })),
  "groupBy, a key each": (fn) => groupBy((n) => n, () => map(fn)),
  "groupBy, behind another stage": (fn) =>
    groupBy((n) => n, () => compose(map((n: number) => n), map(fn))),
  "groupBy in groupBy": (fn, concurrency) =>
    groupBy(() => 0, () => groupBy((n: number) => n % 2, () => parallel(fn, { concurrency }))),
  "flatMap in compose": (fn, concurrency) =>
    compose(map((n: number) => n), flatMap(async (n) => [await fn(n)], { concurrency })),
  "a changed copy": (fn, concurrency) => ({
    ...flatMap(async (n: number) => [await fn(n)], { concurrency }),
  }),
};

for (const [name, make] of Object.entries(workers)) {
  for (const way of ["fuse", "pipeline"] as const) {
    for (const where of ["source", "stage"] as const) {
      test(`${name} delivers all that it has begun before its ${where} fails, by ${way}`, async () => {
        for (const waits of [0, 1, 5]) {
          const fn = async (n: number) => {
            for (let wait = 0; wait < waits; wait++) await turns(1);
            return n;
          };
          const sink = keepingSink({ highWaterMark: 1 });
          const source = () =>
            where === "stage" ? from(range(9)) : from((function* () {
              yield* range(4);
              throw failure;
            })());
          const first = map(failsAt<number>(where === "stage" ? 4 : -1));
          const run = way === "pipeline"
            ? pipeline(source(), first, make(fn, 5), sink.writable)
            : source().pipeThrough(fuse(first, make(fn, 5))).pipeTo(sink.writable);
          assertEquals(await errorOf(run), [failure]);
          assertEquals([[...sink.chunks].sort(), sink.abortReasons], [range(4), [failure]]);
        }
      });
    }

    test(`${name} gives up what it has begun when the run is aborted, by ${way}`, async () => {
      const abort = new AbortController();
      const { fn, calls } = held<number>();
      const sink = keepingSink({ highWaterMark: 1 });
      const source = countedSource({ length: 2, atEnd: "stall" }).readable;
      const run = errorOf(
        way === "pipeline"
          ? pipeline(source, make(fn, 5), sink.writable, { signal: abort.signal })
          : source.pipeThrough(fuse(make(fn, 5)))
            .pipeTo(sink.writable, { signal: abort.signal }),
      );
      await turns(5);
      abort.abort(failure);
      await turns(2);
      // A generator is closed once its call has ended.
      for (const call of calls) call.resolve(0);
      assertEquals(await run, [failure]);
      assertEquals([sink.chunks, sink.abortReasons], [[], [failure]]);
    });

    test(`${name} fails with a call in flight that fails after its input, by ${way}`, async () => {
      // A chain of a group fails as a later stage does, but for what works ahead in it.
      if (name.startsWith("groupBy, ") || name.endsWith("goes on")) return;
      const other = new Error("a call in flight");
      const { fn, calls } = held<number>();
      const first = map(failsAt<number>(2));
      const sink = keepingSink({ highWaterMark: 16 });
      const run = errorOf(
        way === "pipeline"
          ? pipeline(range(5), first, make(fn, 5), sink.writable)
          : from(range(5)).pipeThrough(fuse(first, make(fn, 5))).pipeTo(sink.writable),
      );
      for (let turn = 0; calls.length < 2 && turn < 50; turn++) await turns(1);
      await turns(3);
      calls[0]!.resolve(0);
      await turns(2);
      calls[1]!.reject(other);
      assertEquals([await run, sink.chunks, sink.abortReasons], [[other], [0], [other]]);
    });
  }
}

test("flatMap, several at a time, gives all that one at a time gives before a failure", async () => {
  for (const concurrency of [1, 5]) {
    for (const fails of ["source", "stage"]) {
      const sink = keepingSink();
      const source = function* () {
        yield* [1, 2, 3];
        if (fails === "source") throw failure;
        yield 4;
      };
      const first = map(failsAt<number>(3));
      const stage = flatMap((n: number) => [n, n * 10], { concurrency });
      assertEquals(await errorOf(pipeline(source(), first, stage, sink.writable)), [failure]);
      assertEquals(sink.chunks, [1, 10, 2, 20, 3, 30], `${concurrency} at a time`);
    }
  }
});

for (const way of ["fuse", "pipeline"] as const) {
  test(`parallel hands on what it has finished when an earlier stage fails, by ${way}`, async () => {
    for (const [ordered, concurrency] of [[true, 4], [false, 4], [true, 9], [false, 9]] as const) {
      for (const where of ["transform", "flush"] as const) {
        const { fn, calls } = held<number, [number]>();
        const first: Transformer<number, number> = {
          transform(n, controller) {
            if (where === "transform" && n === 4) throw failure;
            controller.enqueue(n);
          },
          flush() {
            throw failure;
          },
        };
        const second = parallel(fn, { concurrency, ordered });
        const sink = keepingSink({ highWaterMark: 16 });
        const source = range(where === "flush" ? 4 : 5);
        const run = way === "pipeline"
          ? pipeline(source, first, second, sink.writable)
          : from(source).pipeThrough(fuse(first, second)).pipeTo(sink.writable);
        const error = errorOf(run);
        for (let settled = 0; settled < 4; settled++) {
          for (let turn = 0; calls.length <= settled && turn < 20; turn++) await turns(1);
          calls[settled]!.resolve(settled);
        }
        assertEquals(await error, [failure]);
        assertEquals(
          sink.chunks,
          range(4),
          `ordered ${ordered}, ${concurrency} at a time, ${where}`,
        );
        assertEquals(sink.abortReasons, [failure]);
      }
    }
  });
}

for (const ordered of [true, false]) {
  test(`a call in flight that fails after its input has failed is what the run fails with, ordered ${ordered}`, async () => {
    const other = new Error("a call in flight");
    for (const way of ["pipeline", "fuse"] as const) {
      const { fn, calls } = held<number>();
      const first = map(failsAt<number>(2));
      const second = parallel(fn, { concurrency: 4, ordered });
      const third = map((n: number) => n);
      const sink = keepingSink({ highWaterMark: 16 });
      const run = way === "pipeline"
        ? pipeline(range(5), first, second, third, sink.writable)
        : from(range(5)).pipeThrough(fuse(first, second, third)).pipeTo(sink.writable);
      const error = errorOf(run);
      for (let turn = 0; calls.length < 2 && turn < 50; turn++) await turns(1);
      await turns(3);
      calls[0]!.resolve(0);
      await turns(1);
      calls[1]!.reject(other);
      assertEquals([await error, sink.chunks, sink.abortReasons], [[other], [0], [other]], way);
    }
  });
}

test("what is written last is not lost when the next call fails before it has settled", async () => {
  const written: number[] = [];
  const run = pipeline(range(9), map(failsAt<number>(3)), async (n: number) => {
    await turns(1);
    written.push(n);
  });
  assertEquals(await errorOf(run), [failure]);
  assertEquals(written, [0, 1, 2]);
});
