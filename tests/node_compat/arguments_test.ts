import { Duplex, type DuplexOptions, PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { fromNode, pipeline, reader, toNode, transformer, writer } from "@hosepipe/streams/node";
import { hostilePromises, throwingGetter } from "../lib/hostile.ts";
import { reasons } from "../lib/reasons.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

/** What each refuses: its arguments, and what it says. */
const refusals: Record<string, [(...args: never[]) => unknown, [unknown, unknown, string][]]> = {
  reader: [reader, [
    [
      5,
      {},
      "Cannot create reader: source must be an iterable, an async iterable or a function, got 5",
    ],
    [[], { size: () => 1 }, "Cannot create reader: size is not supported by node:stream"],
    [[], { batch: 1 }, 'Cannot create reader: unknown option "batch"'],
    [[], { batchSize: 0 }, "Cannot create reader: batchSize must be a positive integer, got 0"],
    [
      [],
      { highWaterMark: -1 },
      "Cannot create reader: highWaterMark must be a non-negative integer",
    ],
  ]],
  transformer: [transformer, [
    [null, {}, "Cannot create transformer: dictionary must be a transformer, got null"],
    [{ flush: 5 }, {}, "Cannot create transformer: flush must be a function, got 5"],
    [{ readableType: "bytes" }, {}, "Cannot create transformer: readableType must be undefined"],
    [{}, { size: 1 }, 'Cannot create transformer: unknown option "size"'],
    [{}, { readableHighWaterMark: -1 }, "readableHighWaterMark must be a non-negative integer"],
  ]],
  writer: [writer, [
    [5, {}, "Cannot create writer: write must be a function, got 5"],
    [
      () => {},
      { concurrency: 0 },
      "Cannot create writer: concurrency must be a positive integer, got 0",
    ],
    [() => {}, { size: () => 1 }, "Cannot create writer: size is not supported by node:stream"],
    [() => {}, { admit: "last" }, 'Cannot create writer: unknown option "admit"'],
    [() => {}, { close: 1 }, "Cannot create writer: close must be a function, got 1"],
    [() => {}, { release: 1 }, "Cannot create writer: release must be a function, got 1"],
    [() => {}, { hwm: 1 }, 'Cannot create writer: unknown option "hwm"'],
  ]],
  toNode: [toNode, [
    [{}, {}, "Cannot convert to node: stream must be a ReadableStream, a WritableStream or a pair"],
    [null, {}, "Cannot convert to node: stream must be"],
    [undefined, {}, "Cannot convert to node: stream must be"],
    [() => {}, {}, "got a function"],
    [new PassThrough(), {}, "got a Node stream"],
    [{ readable: new ReadableStream() }, {}, "or a pair of them, got an object"],
    [new ReadableStream(), { size: 1 }, 'Cannot convert to node: unknown option "size"'],
    [new ReadableStream(), { highWaterMark: "1" }, "highWaterMark must be a non-negative integer"],
  ]],
  fromNode: [fromNode, [
    [{}, {}, "Cannot convert from node: stream must be a node stream, got an object"],
    [
      Readable.from([]),
      { highWaterMark: -1 },
      "highWaterMark must be a non-negative integer, got -1",
    ],
    [
      new Writable(),
      {},
      'the stream has no readable side; use fromNode(stream, { as: "writable" })',
    ],
    [
      new Duplex({ read() {}, writable: false } as DuplexOptions),
      { as: "pair" },
      'the stream has no writable side; use fromNode(stream, { as: "readable" })',
    ],
    [new PassThrough(), { as: "both" }, 'as must be "readable", "writable" or "pair", got both'],
  ]],
};

for (const [name, [make, cases]] of Object.entries(refusals)) {
  test(`${name} refuses what it cannot use`, () => {
    for (const [first, options, message] of cases) {
      assertThrows(() => make(first as never, options as never), Error, message);
    }
  });
}

// deno-lint-ignore no-explicit-any -- the places differ in what they take
type Any = any;

const pass = () => transformer({});
const iterable = (next: () => unknown): Any => ({ [Symbol.asyncIterator]: () => ({ next }) });
const one = (): Any => [1, 2];

// What a method of a part answers in place of a promise.
const places: Record<string, (answer: () => unknown) => Promise<void>> = {
  "a source's next": (next) => pipeline(iterable(next), () => {}),
  "a source's next before a stage": (next) => pipeline(reader(iterable(next)), pass(), () => {}),
  "a function that reads": (read) => pipeline(reader(read as Any), () => {}),
  "start": (start) => pipeline(one(), transformer({ start }), () => {}),
  "transform": (transform) => pipeline(one(), transformer({ transform } as Any), () => {}),
  "flush": (flush) => pipeline(one(), transformer({ flush } as Any), () => {}),
  "a sink": (write) => pipeline(one(), write),
  "a sink after a stage": (write) => pipeline(one(), pass(), writer(write)),
  "a sink with concurrency": (write) => pipeline(one(), writer(write, { concurrency: 2 })),
  "close": (close) => pipeline(one(), writer(() => {}, { close } as Any)),
  "release": (release) => pipeline(one(), writer(() => {}, { release } as Any)),
};

for (const hostile of hostilePromises) {
  for (const [place, run] of Object.entries(places)) {
    test(`node: ${hostile.name} from ${place} is what the run fails with`, async () => {
      for (const { name, reason } of reasons) {
        const unhandled = await unhandledDuring(async () => {
          const standing = await settledWithin(run(() => hostile.make(reason)), 50);
          assertEquals(standing, { state: "rejected", reason }, name);
          await turns(1);
        });
        assertEquals(unhandled, [], name);
      }
    });
  }
}

for (const [member, rest] of [["done", { value: 1 }], ["value", { done: false }]] as const) {
  test(`node: a getter of ${member} that throws in a source's result is what the run fails with`, async () => {
    for (const { name, reason } of reasons) {
      const next = () => Promise.resolve(throwingGetter(member, reason, { ...rest }));
      const standing = await settledWithin(pipeline(iterable(next), pass(), () => {}), 50);
      assertEquals(standing, { state: "rejected", reason }, name);
    }
  });
}
