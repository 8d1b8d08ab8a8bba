import { map, writer } from "@hosepipe/streams";
import { fromNode } from "@hosepipe/streams/node";
import type {
  CheckedSink,
  CheckSinkOptions,
  MadeFrom,
  WatchedWrites,
} from "@hosepipe/streams/testing";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";

/** A sink, and the law that it breaks, if it breaks one. */
export interface PlantedSink {
  readonly name: string;
  readonly law?: string;
  readonly make: (context: MadeFrom<WatchedWrites>) => CheckedSink;
  readonly options?: CheckSinkOptions;
}

/** An underlying sink that does what it should, but for what is given. */
const over = (underlying: WatchedWrites, faults: Partial<WatchedWrites> = {}): WatchedWrites => ({
  write: (chunk) => underlying.write(chunk),
  close: () => underlying.close(),
  abort: (reason) => underlying.abort(reason),
  ...faults,
});

let shared: unknown[] = [];
const ignore = () => {};

/** Sinks with a fault, each with the law that it breaks. */
export const faultySinks: readonly PlantedSink[] = [
  {
    name: "does not close what it writes to",
    law: "ends",
    make: ({ underlying }) => over(underlying, { close: async () => {} }),
  },
  {
    name: "asks by setImmediate without end whether it may write",
    law: "ends",
    make: () => ({
      write: () =>
        new Promise<void>(() => {
          const ask = () => void setImmediate(ask);
          ask();
        }),
    }),
  },
  {
    name: "closes twice",
    law: "ends",
    make: ({ underlying }) =>
      over(underlying, {
        async close() {
          await underlying.close();
          await underlying.close();
        },
      }),
  },
  {
    name: "hangs in close",
    law: "ends",
    make: ({ underlying }) => over(underlying, { close: () => new Promise(ignore) }),
  },
  {
    name: "aborts at its end",
    law: "ends",
    make: ({ underlying }) =>
      over(underlying, {
        async close() {
          await underlying.close();
          await underlying.abort();
        },
      }),
  },
  {
    name: "drops the last chunk",
    law: "output",
    make({ underlying }) {
      const kept: unknown[] = [];
      return over(underlying, {
        write: (chunk) => kept.push(chunk) > 1 ? underlying.write(kept.shift()) : Promise.resolve(),
      });
    },
    options: { writeAhead: 1 },
  },
  {
    name: "writes the first chunk twice",
    law: "output",
    make({ underlying }) {
      let n = 0;
      return over(underlying, {
        async write(chunk) {
          if (n++ === 0) await underlying.write(chunk);
          await underlying.write(chunk);
        },
      });
    },
  },
  {
    name: "takes undefined for nothing",
    law: "output",
    make: ({ underlying }) =>
      over(underlying, {
        write: (chunk) => chunk === undefined ? Promise.resolve() : underlying.write(chunk),
      }),
    options: { chunks: [1, undefined, 2] },
  },
  {
    name: "drops what comes while it is busy",
    law: "pace",
    make({ underlying }) {
      let isBusy = false;
      return over(underlying, {
        async write(chunk) {
          if (isBusy) return;
          isBusy = true;
          void underlying.write(chunk).catch(ignore).then(() => isBusy = false);
          await undefined;
          await undefined;
          await undefined;
          await undefined;
        },
      });
    },
  },
  {
    name: "has one buffer for all that are made",
    law: "fresh",
    make: ({ underlying }) =>
      over(underlying, {
        write(chunk) {
          shared.push(chunk);
          return Promise.resolve();
        },
        async close() {
          const list = shared;
          shared = [];
          for (const chunk of list) await underlying.write(chunk);
          await underlying.close();
        },
        abort(reason) {
          shared = [];
          return underlying.abort(reason);
        },
      }),
    options: { writeAhead: 8 },
  },
  {
    name: "writes without waiting for the write before",
    law: "oneAtATime",
    make({ underlying }) {
      const writes: Promise<void>[] = [];
      return over(underlying, {
        async write(chunk) {
          const write = underlying.write(chunk);
          write.catch(ignore);
          writes.push(write);
          if (writes.length > 1) await writes.shift();
        },
        async close() {
          await Promise.all(writes);
          await underlying.close();
        },
      });
    },
  },
  {
    name: "closes before its last write has settled",
    law: "oneAtATime",
    make: ({ underlying }) =>
      over(underlying, {
        write(chunk) {
          void underlying.write(chunk).catch(ignore);
          return Promise.resolve();
        },
      }),
  },
  {
    name: "does not wait for its writes",
    law: "backpressure",
    make({ underlying }) {
      let last = Promise.resolve();
      return over(underlying, {
        write(chunk) {
          last = last.then(() => underlying.write(chunk));
          last.catch(ignore);
          return Promise.resolve();
        },
        async close() {
          await last;
          await underlying.close();
        },
      });
    },
  },
  {
    name: "is a function that does not wait",
    law: "backpressure",
    make: ({ underlying }) => (chunk) => void underlying.write(chunk).catch(ignore),
  },
  {
    name: "has a queue of six",
    law: "backpressure",
    make: ({ underlying }) => new WritableStream(over(underlying), { highWaterMark: 6 }),
  },
  {
    name: "does not pass an abort on",
    law: "abort",
    make: ({ underlying }) => over(underlying, { abort: async () => {} }),
  },
  {
    name: "closes when it is aborted",
    law: "abort",
    make: ({ underlying }) =>
      over(underlying, {
        async abort(reason) {
          await underlying.close();
          await underlying.abort(reason);
        },
      }),
  },
  {
    name: "aborts with a reason of its own",
    law: "sourceError",
    make: ({ underlying }) =>
      over(underlying, { abort: (reason) => underlying.abort(reason ?? new Error("none given")) }),
  },
  {
    name: "swallows undefined errors of its writes",
    law: "writeError",
    make: ({ underlying }) =>
      over(underlying, {
        async write(chunk) {
          try {
            await underlying.write(chunk);
          } catch (error) {
            if (error) throw error;
          }
        },
      }),
  },
  {
    name: "wraps errors of its writes",
    law: "writeError",
    make: ({ underlying }) =>
      over(underlying, {
        write: (chunk) =>
          underlying.write(chunk).catch((cause) => {
            throw new Error("wrapped", { cause });
          }),
      }),
  },
  {
    name: "tries a write again",
    law: "writeError",
    make: ({ underlying }) =>
      over(underlying, {
        write: (chunk) => underlying.write(chunk).catch(() => underlying.write(chunk)),
      }),
  },
  {
    name: "hides a failed close",
    law: "closeError",
    make: ({ underlying }) => over(underlying, { close: () => underlying.close().catch(ignore) }),
  },
  {
    name: "hides errors of its own",
    law: "ownError",
    make: ({ underlying }) => over(underlying),
    options: { makeFailing: () => ({ write: () => {} }) },
  },
  {
    name: "leaves a timer",
    law: "leaks",
    make({ underlying }) {
      const timer = setInterval(ignore, 1_000);
      return over(underlying, {
        close() {
          clearInterval(timer);
          return underlying.close();
        },
      });
    },
  },
  {
    name: "leaves a listener",
    law: "leaks",
    make({ underlying, signal }) {
      signal.addEventListener("abort", () => {});
      return over(underlying);
    },
  },
  {
    name: "writes on after its end",
    law: "idleAfterEnd",
    make: ({ underlying }) =>
      over(underlying, {
        close() {
          setTimeout(() => void underlying.write("more"), 5_000);
          return underlying.close();
        },
      }),
  },
];

const folder = join(tmpdir(), "");
const paths = new WeakMap<object, string>();

/** The numbers in a file that a sink has written, which is then removed. */
const readNumbers = (sink: CheckedSink): number[] => {
  const path = paths.get(sink)!;
  const text = readFileSync(path, "utf8");
  rmSync(join(path, ".."), { recursive: true });
  return text === "" ? [] : text.trimEnd().split("\n").map(Number);
};

function remember<Sink extends CheckedSink & object>(make: (path: string) => Sink): Sink {
  const path = join(mkdtempSync(join(folder, "hosepipe-sink-")), "numbers");
  appendFileSync(path, "");
  const sink = make(path);
  paths.set(sink, path);
  return sink;
}

const nodeOver = (underlying: WatchedWrites) =>
  new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (chunk, _, callback) => void underlying.write(chunk).then(() => callback(), callback),
    final: (callback) => void underlying.close().then(() => callback(), callback),
    destroy(error, callback) {
      if (error === null) return callback(null);
      underlying.abort(error).then(() => callback(error), callback);
    },
  });

/** Sinks that break no law. */
export const rightSinks: readonly PlantedSink[] = [
  { name: "an underlying sink", make: ({ underlying }) => over(underlying) },
  { name: "a WritableStream", make: ({ underlying }) => new WritableStream(over(underlying)) },
  {
    name: "a WritableStream with a queue of four",
    make: ({ underlying }) => new WritableStream(over(underlying), { highWaterMark: 4 }),
    options: { writeAhead: 4 },
  },
  { name: "a function", make: ({ underlying }) => (chunk) => underlying.write(chunk) },
  {
    name: "a sink that fails by itself",
    make: ({ underlying }) => over(underlying),
    options: {
      makeFailing: (reason) => ({
        write() {
          throw reason;
        },
      }),
    },
  },
  {
    name: "writer",
    make: ({ underlying }) =>
      writer((chunk: unknown) => underlying.write(chunk), {
        close: () => underlying.close(),
        abort: (reason) => underlying.abort(reason),
      }),
  },
  {
    name: "the writable end of a TransformStream",
    make({ underlying }) {
      const { readable, writable } = new TransformStream(map((n: number) => n * 2));
      void readable.pipeTo(new WritableStream(over(underlying))).catch(ignore);
      return writable;
    },
    options: {
      expected: (chunks) => chunks.map((n) => Number(n) * 2),
      writeAhead: 2,
      skip: {
        backpressure: "its close does not wait for the other end",
        ends: "its close does not wait for the other end",
        output: "its close does not wait for the other end",
        pace: "its close does not wait for the other end",
        closeError: "its close does not wait for the other end",
      },
    },
  },
  {
    name: "a file that is opened for each chunk",
    make: () =>
      remember((path) => ({
        async write(chunk: unknown) {
          const file = await open(path, "a");
          await file.appendFile(`${chunk}\n`);
          await file.close();
        },
      })),
    options: { written: readNumbers, io: true },
  },
  {
    name: "a function that appends to a file",
    make: () => remember((path) => (chunk: unknown) => appendFileSync(path, `${chunk}\n`)),
    options: { written: readNumbers },
  },
  {
    name: "fromNode of a Writable",
    make: ({ underlying }) => fromNode(nodeOver(underlying), { as: "writable" }),
    options: {
      writeAhead: 1,
      skip: {
        sourceError: "Node's streams cannot fail with undefined",
        writeError: "Node's streams cannot fail with undefined",
        closeError: "Node's streams cannot fail with undefined",
      },
    },
  },
];
