import { on } from "node:events";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline as pipeNode } from "node:stream/promises";
import { iterate, map } from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { double, emitting, gather, type Programs, type Source, twice } from "./_ours.ts";

const read = (source: Source) => Readable.from(source);
const two = { concurrency: 2 };

/** Collects what a writable is given. */
const into = (write: (n: number) => void) =>
  new Writable({ objectMode: true, write: (n, _, done) => (write(n), done()) });

export const programsOfNode: Programs = {
  "Readable.from(iterable)": read,
  "readable.map(fn)": (source, fn) => read(source).map((n) => fn(n) + 1),
  "readable.map(fn, { concurrency })": (source, fn) =>
    read(source).map(async (n) => await fn(n), two),
  "readable.filter(fn)": (source, fn) => read(source).filter((n) => fn(n) > 1),
  "readable.flatMap(fn)": (source, fn) => read(source).flatMap((n) => twice(fn(n))),
  "readable.flatMap(fn, { concurrency })": (source, fn) =>
    read(source).flatMap((n) => from(twice(fn(n))), two),
  "readable.take(n)": (source) => read(source).take(3),
  "readable.drop(n)": (source) => read(source).drop(2),
  "readable.toArray()": (source) => read(source).toArray(),
  "readable.filter(fn, { concurrency })": (source, fn) =>
    read(source).filter(async (n) => await fn(n) > 1, two),
  "readable.forEach(fn, { concurrency })": (source, fn) =>
    gather((write) => read(source).forEach(async (n) => write(await fn(n)), two)),
  "readable.forEach(fn)": (source, fn) =>
    gather((write) => read(source).forEach((n) => write(fn(n)))),
  "readable.reduce(fn, seed)": (source, fn) =>
    read(source).reduce((sum: number, n) => sum + fn(n), 10),
  "readable.some(fn)": (source, fn) => read(source).some((n) => fn(n) === 6),
  "readable.every(fn)": (source, fn) => read(source).every((n) => fn(n) < 9),
  "readable.some(fn, { concurrency })": (source, fn) =>
    read(source).some(async (n) => await fn(n) === 6, two),
  "readable.find(fn)": (source, fn) => read(source).find((n) => fn(n) === 6),
  "for await (const x of readable.map(fn))": (source, fn) => read(source).map((n) => fn(n)),
  "readable.compose(generator)": {
    theirs: (source) => read(source).compose(double),
    hangs: { "source fails": "in Deno 2.9" },
  },
  "stream.compose(a, b)": (source, fn) => read(source).map(fn).map((n) => n * 2),
  "pipeline(a, transform, b)": (source, fn) =>
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
        into(write),
      )
    ),
  "pipeline(a, generator, b)": (source) =>
    gather((write) => pipeNode(read(source), double, into(write))),
  "(await readable.toArray()).length": (source) =>
    read(source).toArray().then(({ length }) => length),
  "events.on(emitter, name)": () => {
    const events = on(emitting(), "data", { close: ["end"] } as never);
    return iterate(events as AsyncIterable<[number]>, map(([n]) => n));
  },
};
