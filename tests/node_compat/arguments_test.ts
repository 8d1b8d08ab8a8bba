import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { assertThrows } from "@std/assert";
import { fromNode, reader, toNode, transformer, writer } from "@hosepipe/streams/node";

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
  ]],
};

for (const [name, [make, cases]] of Object.entries(refusals)) {
  test(`${name} refuses what it cannot use`, () => {
    for (const [first, options, message] of cases) {
      assertThrows(() => make(first as never, options as never), Error, message);
    }
  });
}
