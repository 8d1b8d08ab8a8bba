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
import type { Faults, Planted } from "./_test_planted.ts";

type PlantedSink = Planted<(context: MadeFrom<WatchedWrites>) => CheckedSink, CheckSinkOptions>;

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
export const faultySinks: Faults<PlantedSink> = {
  ends: {
    "does not close what it writes to": ({ underlying }) =>
      over(underlying, { close: async () => {} }),
    "asks by setImmediate without end whether it may write": () => ({
      write: () =>
        new Promise<void>(() => {
          const ask = () => void setImmediate(ask);
          ask();
        }),
    }),
    "closes twice": ({ underlying }) =>
      over(underlying, {
        async close() {
          await underlying.close();
          await underlying.close();
        },
      }),
    "hangs in close": ({ underlying }) => over(underlying, { close: () => new Promise(ignore) }),
    "aborts at its end": ({ underlying }) =>
      over(underlying, {
        async close() {
          await underlying.close();
          await underlying.abort();
        },
      }),
  },
  output: {
    "drops the last chunk": [({ underlying }) => {
      const kept: unknown[] = [];
      return over(underlying, {
        write: (chunk) => kept.push(chunk) > 1 ? underlying.write(kept.shift()) : Promise.resolve(),
      });
    }, { writeAhead: 1 }],
    "takes undefined for nothing": [({ underlying }) =>
      over(underlying, {
        write: (chunk) => chunk === undefined ? Promise.resolve() : underlying.write(chunk),
      }), { chunks: [1, undefined, 2] }],
  },
  pace: {
    "drops what comes while it is busy"({ underlying }) {
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
  fresh: {
    "has one buffer for all that are made": [({ underlying }) =>
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
      }), { writeAhead: 8 }],
  },
  oneAtATime: {
    "writes without waiting for the write before"({ underlying }) {
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
    "closes before its last write has settled": ({ underlying }) =>
      over(underlying, {
        write(chunk) {
          void underlying.write(chunk).catch(ignore);
          return Promise.resolve();
        },
      }),
  },
  backpressure: {
    "does not wait for its writes"({ underlying }) {
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
    "is a function that does not wait": ({ underlying }) => (chunk) =>
      void underlying.write(chunk).catch(ignore),
    "has a queue of six": ({ underlying }) =>
      new WritableStream(over(underlying), { highWaterMark: 6 }),
  },
  abort: {
    "does not pass an abort on": ({ underlying }) => over(underlying, { abort: async () => {} }),
    "closes when it is aborted": ({ underlying }) =>
      over(underlying, {
        async abort(reason) {
          await underlying.close();
          await underlying.abort(reason);
        },
      }),
  },
  sourceError: {
    "aborts with a reason of its own": ({ underlying }) =>
      over(underlying, { abort: (reason) => underlying.abort(reason ?? new Error("none given")) }),
  },
  writeError: {
    "swallows undefined errors of its writes": ({ underlying }) =>
      over(underlying, {
        async write(chunk) {
          try {
            await underlying.write(chunk);
          } catch (error) {
            if (error) throw error;
          }
        },
      }),
    "wraps errors of its writes": ({ underlying }) =>
      over(underlying, {
        write: (chunk) =>
          underlying.write(chunk).catch((cause) => {
            throw new Error("wrapped", { cause });
          }),
      }),
    "tries a write again": ({ underlying }) =>
      over(underlying, {
        write: (chunk) => underlying.write(chunk).catch(() => underlying.write(chunk)),
      }),
  },
  closeError: {
    "hides a failed close": ({ underlying }) =>
      over(underlying, { close: () => underlying.close().catch(ignore) }),
  },
  ownError: {
    "hides errors of its own": [({ underlying }) => over(underlying), {
      makeFailing: () => ({ write: () => {} }),
    }],
  },
  leaks: {
    "leaves a timer"({ underlying }) {
      const timer = setInterval(ignore, 1_000);
      return over(underlying, {
        close() {
          clearInterval(timer);
          return underlying.close();
        },
      });
    },
    "leaves a listener"({ underlying, signal }) {
      signal.addEventListener("abort", () => {});
      return over(underlying);
    },
  },
  idleAfterEnd: {
    "writes on after its end": ({ underlying }) =>
      over(underlying, {
        close() {
          setTimeout(() => void underlying.write("more"), 5_000);
          return underlying.close();
        },
      }),
  },
};

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
export const rightSinks: Readonly<Record<string, PlantedSink>> = {
  "an underlying sink": ({ underlying }) => over(underlying),
  "a WritableStream": ({ underlying }) => new WritableStream(over(underlying)),
  "a WritableStream with a queue of four": [
    ({ underlying }) => new WritableStream(over(underlying), { highWaterMark: 4 }),
    { writeAhead: 4 },
  ],
  "a function": ({ underlying }) => (chunk) => underlying.write(chunk),
  "a sink that fails by itself": [({ underlying }) => over(underlying), {
    makeFailing: (reason) => ({
      write() {
        throw reason;
      },
    }),
  }],
  "writer": ({ underlying }) =>
    writer((chunk: unknown) => underlying.write(chunk), {
      close: () => underlying.close(),
      abort: (reason) => underlying.abort(reason),
    }),
  "the writable end of a TransformStream": [({ underlying }) => {
    const { readable, writable } = new TransformStream(map((n: number) => n * 2));
    void readable.pipeTo(new WritableStream(over(underlying))).catch(ignore);
    return writable;
  }, {
    expected: (chunks) => chunks.map((n) => Number(n) * 2),
    writeAhead: 2,
    skip: {
      backpressure: "its close does not wait for the other end",
      ends: "its close does not wait for the other end",
      output: "its close does not wait for the other end",
      pace: "its close does not wait for the other end",
      closeError: "its close does not wait for the other end",
    },
  }],
  "a file that is opened for each chunk": [() =>
    remember((path) => ({
      async write(chunk: unknown) {
        const file = await open(path, "a");
        await file.appendFile(`${chunk}\n`);
        await file.close();
      },
    })), { written: readNumbers, io: true }],
  "a function that appends to a file": [
    () => remember((path) => (chunk: unknown) => appendFileSync(path, `${chunk}\n`)),
    { written: readNumbers },
  ],
  "fromNode of a Writable": [
    ({ underlying }) => fromNode(nodeOver(underlying), { as: "writable" }),
    {
      writeAhead: 1,
      skip: {
        sourceError: "Node's streams cannot fail with undefined",
        writeError: "Node's streams cannot fail with undefined",
        closeError: "Node's streams cannot fail with undefined",
      },
    },
  ],
};
