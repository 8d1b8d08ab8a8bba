import { EventEmitter, on } from "node:events";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline as pipeNode } from "node:stream/promises";
import {
  compose,
  count,
  drop,
  every,
  filter,
  find,
  flatMap,
  fromEvents,
  iterate,
  map,
  parallel,
  pipeline,
  reduce,
  some,
  take,
  toArray,
  writer,
} from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { type Row, row, type Source, through } from "./_row.ts";

const read = (source: Source) => Readable.from(source);

async function* double(source: AsyncIterable<number>) {
  for await (const n of source) yield n * 2;
}

/** Collects what a sink is given, and gives that. */
async function gather(run: (write: (n: number) => void) => Promise<unknown>): Promise<number[]> {
  const got: number[] = [];
  await run((n) => void got.push(n));
  return got;
}

const emit = (emitter: EventEmitter) =>
  queueMicrotask(() => {
    for (const n of [1, 2, 3]) emitter.emit("data", n);
    emitter.emit("end");
  });

export const rowsOfNode: readonly Row[] = [
  row("`Readable.from(iterable)`", "the iterable itself, or `reader(iterable)`", {
    theirs: (source) => read(source),
    ours: (source) => source,
  }),
  row("`readable.map(fn)`", "`map(fn)`", {
    theirs: (source, fn) => read(source).map((n) => fn(n) + 1),
    ours: (source, fn) => through(source, map((n: number) => fn(n) + 1)),
  }),
  row("`readable.map(fn, { concurrency })`", "`parallel(fn, { concurrency })`", {
    theirs: (source, fn) => read(source).map(async (n) => await fn(n), { concurrency: 2 }),
    ours: (source, fn) =>
      through(source, parallel(async (n: number) => await fn(n), { concurrency: 2 })),
  }),
  row("`readable.filter(fn)`", "`filter(fn)`", {
    theirs: (source, fn) => read(source).filter((n) => fn(n) > 1),
    ours: (source, fn) => through(source, filter((n: number) => fn(n) > 1)),
  }),
  row("`readable.flatMap(fn)`", "`flatMap(fn)`", {
    theirs: (source, fn) => read(source).flatMap((n) => [fn(n), n * 10]),
    ours: (source, fn) => through(source, flatMap((n: number) => [fn(n), n * 10])),
  }),
  row("`readable.flatMap(fn, { concurrency })`", "`flatMap(fn, { concurrency })`", {
    theirs: (source, fn) => read(source).flatMap((n) => from([fn(n), n * 10]), { concurrency: 2 }),
    ours: (source, fn) =>
      through(source, flatMap((n: number) => from([fn(n), n * 10]), { concurrency: 2 })),
  }),
  row("`readable.take(n)`", "`take(n)`", {
    theirs: (source) => read(source).take(3),
    ours: (source) => through(source, take(3)),
  }),
  row("`readable.drop(n)`", "`drop(n)`", {
    theirs: (source) => read(source).drop(3),
    ours: (source) => through(source, drop(3)),
  }),
  row("`readable.toArray()`", "`toArray(source)`", {
    theirs: (source) => read(source).toArray(),
    ours: (source) => toArray(source),
  }),
  row("`readable.filter(fn, { concurrency })`", "`filter(fn, { concurrency })`", {
    theirs: (source, fn) => read(source).filter(async (n) => await fn(n) > 1, { concurrency: 2 }),
    ours: (source, fn) =>
      through(source, filter(async (n: number) => await fn(n) > 1, { concurrency: 2 })),
  }),
  row(
    "`readable.forEach(fn, { concurrency })`",
    "`pipeline(source, writer(fn, { concurrency }))`",
    {
      theirs: (source, fn) =>
        gather((write) =>
          read(source).forEach(async (n) => write(await fn(n)), { concurrency: 2 })
        ),
      ours: (source, fn) =>
        gather((write) =>
          pipeline(source, writer(async (n: number) => write(await fn(n)), { concurrency: 2 }))
        ),
    },
  ),
  row("`readable.forEach(fn)`", "`pipeline(source, fn)`", {
    theirs: (source, fn) => gather((write) => read(source).forEach((n) => write(fn(n)))),
    ours: (source, fn) => gather((write) => pipeline(source, (n) => write(fn(n)))),
  }),
  row("`readable.reduce(fn, seed)`", "`reduce(source, fn, seed)`", {
    theirs: (source, fn) => read(source).reduce((sum: number, n) => sum + fn(n), 10),
    ours: (source, fn) => reduce(source, (sum, n) => sum + fn(n), 10),
  }),
  row("`readable.some(fn)`", "`some(source, fn)`", {
    theirs: (source, fn) => read(source).some((n) => fn(n) === 6),
    ours: (source, fn) => some(source, (n) => fn(n) === 6),
  }),
  row("`readable.every(fn)`", "`every(source, fn)`", {
    theirs: (source, fn) => read(source).every((n) => fn(n) < 9),
    ours: (source, fn) => every(source, (n) => fn(n) < 9),
  }),
  row(
    "`readable.some(fn, { concurrency })`; `every`, `find`",
    "`some(source, fn, { concurrency })`; `every`, `find`, in order",
    {
      theirs: (source, fn) => read(source).some(async (n) => await fn(n) === 6, { concurrency: 2 }),
      ours: (source, fn) => some(source, async (n) => await fn(n) === 6, { concurrency: 2 }),
    },
  ),
  row("`readable.find(fn)`", "`find(source, fn)`", {
    theirs: (source, fn) => read(source).find((n) => fn(n) === 6),
    ours: (source, fn) => find(source, (n) => fn(n) === 6),
  }),
  row(
    "`for await (const x of readable.map(fn))`",
    "`for await (const x of iterate(source, map(fn)))`",
    {
      theirs: (source, fn) => read(source).map((n) => fn(n)),
      ours: (source, fn) => iterate(source, map((n) => fn(n))),
    },
  ),
  row("`readable.compose(generator)`", "the generator, wherever stages go", {
    theirs: (source) => read(source).compose(double),
    ours: (source) => through(source, double),
  }, { hangs: { "source fails": "in Deno 2.9" } }),
  row("`stream.compose(a, b)`", "`compose(a, b)`, or `fuse(a, b)` for a pair of streams", {
    theirs: (source, fn) => read(source).map(fn).map((n) => n * 2),
    ours: (source, fn) => through(source, compose(map((n: number) => fn(n)), map((n) => n * 2))),
  }),
  row("`pipeline(a, transform, b)` of `stream/promises`", "`pipeline(a, stage, b)`", {
    theirs: (source, fn) =>
      gather((write) =>
        pipeNode(
          read(source),
          new Transform({
            objectMode: true,
            transform(n, _, done) {
              try {
                done(null, fn(n) + 1);
              } catch (error) {
                done(error as Error);
              }
            },
          }),
          new Writable({ objectMode: true, write: (n, _, done) => (write(n), done()) }),
        )
      ),
    ours: (source, fn) =>
      gather((write) =>
        pipeline(source, {
          transform(n: number, controller: TransformStreamDefaultController<number>) {
            controller.enqueue(fn(n) + 1);
          },
        }, (n: number) => write(n))
      ),
  }),
  row("`pipeline(a, generator, b)`", "the same", {
    theirs: (source) =>
      gather((write) =>
        pipeNode(
          read(source),
          double,
          new Writable({ objectMode: true, write: (n, _, done) => (write(n), done()) }),
        )
      ),
    ours: (source) => gather((write) => pipeline(source, double, write)),
  }),
  row("`(await readable.toArray()).length`", "`count(source)`", {
    theirs: (source) => read(source).toArray().then(({ length }) => length),
    ours: (source) => count(source),
  }),
  row("`events.on(emitter, name)`", "`fromEvents(emitter, name)`", {
    theirs: () => {
      const emitter = new EventEmitter();
      const events = on(emitter, "data", { close: ["end"] } as never);
      emit(emitter);
      return toArray(events as AsyncIterable<[number]>, map(([n]) => n));
    },
    ours: () => {
      const emitter = new EventEmitter();
      const events = fromEvents(emitter, "data", { until: "end" });
      emit(emitter);
      return toArray(events, map(([n]) => n));
    },
  }),
];
