import { countedSignal } from "../lib/counted_signal.ts";
import { assertEquals } from "@std/assert";
import { Duplex, PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import { fromNode, pipeline, reader, toNode, transformer, writer } from "@hosepipe/streams/node";
import { settle } from "./virtual_clock.ts";

const runs = 1000;

type AnyStream = Readable | Writable;

/** The names of the events a stream has listeners for, once for each. */
function listenersOf(stream: AnyStream): string[] {
  return stream.eventNames().flatMap((name) =>
    Array<string>(stream.listenerCount(name as string)).fill(String(name))
  ).sort();
}

const readable = (): Readable => new Readable({ objectMode: true, read() {} });
const writable = (): Writable =>
  new Writable({ objectMode: true, write: (_chunk, _encoding, done) => done() });
const duplex = (): Duplex =>
  new Duplex({ objectMode: true, read() {}, write: (_chunk, _encoding, done) => done() });

test(`${runs} runs that succeed or fail leave no listener on their signal or their streams`, async () => {
  const { signal, listeners } = countedSignal();
  for (let run = 0; run < runs; run++) {
    const streams = [
      Readable.from([1, 2]),
      new PassThrough({ objectMode: true }),
      writable(),
    ] as const;
    const before = streams.map(listenersOf);
    const parts = run % 2 === 0 ? streams : [
      streams[0],
      {
        transform() {
          throw undefined;
        },
      },
      streams[2],
    ] as const;
    await pipeline(...(parts as typeof streams), { signal }).catch(() => {});
    if (run % 100 > 1) continue;
    await settle();
    if (run % 2 === 0) assertEquals(streams.map(listenersOf), before);
    assertEquals(listeners(), 0);
  }
});

test(`${runs} adapters, however they end, leave no listener on the node stream`, async () => {
  const ends: Record<string, () => [AnyStream, () => Promise<unknown>]> = {
    "read to the end"() {
      const stream = readable();
      stream.push(1);
      stream.push(null);
      return [stream, () => Array.fromAsync(fromNode(stream))];
    },
    "cancelled"() {
      const stream = readable();
      return [stream, () => fromNode(stream).cancel(new Error("enough"))];
    },
    "cancelled while reading"() {
      const stream = readable();
      return [stream, () => {
        const defaultReader = fromNode(stream).getReader();
        defaultReader.read();
        return defaultReader.cancel();
      }];
    },
    "destroyed"() {
      const stream = readable();
      return [stream, () => {
        const read = fromNode(stream).getReader().read();
        stream.destroy(new Error("enough"));
        return read.catch(() => {});
      }];
    },
    "over before"() {
      const stream = readable();
      stream.destroy();
      return [stream, () => fromNode(stream).getReader().read().catch(() => {})];
    },
    "written to and closed"() {
      const stream = writable();
      return [
        stream,
        () => ReadableStream.from([1, 2]).pipeTo(fromNode(stream, { as: "writable" })),
      ];
    },
    "aborted"() {
      const stream = writable();
      return [stream, () => fromNode(stream, { as: "writable" }).abort(0)];
    },
    "aborted while it is full"() {
      const stream = new Writable({ objectMode: true, highWaterMark: 1, write() {} });
      return [stream, async () => {
        const defaultWriter = fromNode(stream, { as: "writable" }).getWriter();
        defaultWriter.closed.catch(() => {});
        defaultWriter.write(1).catch(() => {});
        await settle();
        await defaultWriter.abort("enough");
      }];
    },
    "aborted while it closes"() {
      const stream = new Writable({ objectMode: true, final() {} });
      return [stream, async () => {
        const defaultWriter = fromNode(stream, { as: "writable" }).getWriter();
        const closed = Promise.allSettled([defaultWriter.close(), defaultWriter.closed]);
        await settle();
        await defaultWriter.abort("enough").catch(() => {});
        await closed;
      }];
    },
    "a pair"() {
      const stream = duplex();
      return [stream, async () => {
        const pair = fromNode(stream, { as: "pair" });
        await pair.writable.close();
        stream.push(null);
        await Array.fromAsync(pair.readable);
      }];
    },
    "a pair, cancelled"() {
      const stream = duplex();
      return [stream, () => fromNode(stream, { as: "pair" }).readable.cancel()];
    },
  };
  for (const [name, make] of Object.entries(ends)) {
    for (let run = 0; run < runs / 10; run++) {
      const [stream, end] = make();
      const before = listenersOf(stream);
      await end();
      if (run % 10 > 0) continue;
      await settle();
      assertEquals(listenersOf(stream), before, name);
    }
  }
});

test("a stream that is piped on and off again and again has the listeners it had", async () => {
  const source = reader(() => settle().then(() => [1]));
  const before = listenersOf(source);
  const stages = [transformer({}), toNode(new TransformStream()), writer(() => {})];
  const counts = stages.map(listenersOf);
  for (let run = 0; run < runs; run++) {
    for (const stage of stages) {
      source.pipe(stage);
      source.unpipe(stage);
    }
  }
  await settle();
  assertEquals([listenersOf(source), stages.map(listenersOf)], [before, counts]);
  for (const stream of [source, ...stages]) stream.destroy();
});

test("a stream that is unpiped and piped again goes on where it was", async () => {
  const makers = [() => transformer({}), () => toNode(new TransformStream())];
  for (const make of makers) {
    let next = 0;
    const source = reader(() => next < 30 ? [next++] : null);
    const stage = make();
    const chunks: unknown[] = [];
    stage.on("data", (chunk) => {
      chunks.push(chunk);
      if (chunk % 5 !== 0 || chunk === 0) return;
      source.unpipe(stage);
      settle().then(() => source.pipe(stage));
    });
    source.pipe(stage);
    await new Promise((resolve) => stage.on("end", resolve));
    assertEquals(chunks, Array.from({ length: 30 }, (_, index) => index));
  }
});

test("ended or destroyed more than once, a stream ends once", async () => {
  const told: unknown[] = [];
  const tell = (what: string) => (reason?: unknown) => void told.push([what, reason]);
  const makers: Record<string, () => AnyStream> = {
    reader: () =>
      reader((_, { signal }) => {
        signal.addEventListener("abort", () => told.push(["abort", signal.reason]));
        return new Promise<never>(() => {});
      }),
    transformer: () => transformer({ flush: () => tell("flush")(), cancel: tell("cancel") }),
    writer: () => writer(() => {}, { close: () => tell("close")(), abort: tell("abort") }),
    "web readable": () => toNode(new ReadableStream({ cancel: tell("cancel") })),
    "web writable": () =>
      toNode(new WritableStream({ close: () => tell("close")(), abort: tell("abort") })),
  };
  for (const [name, make] of Object.entries(makers)) {
    for (const endsFirst of [false, true]) {
      told.length = 0;
      const stream = make().on("error", () => {});
      if (stream instanceof Readable || name === "transformer") (stream as Readable).resume();
      await settle();
      if (endsFirst && "end" in stream) {
        stream.end();
        stream.end();
        await new Promise((resolve) => stream.once("close", resolve));
      }
      for (const reason of ["first", "second"]) stream.destroy(reason as unknown as Error);
      await settle();
      assertEquals(stream.closed, true, name);
      const isDone = endsFirst && "end" in stream;
      const [expected] = isDone
        ? [name === "transformer" ? ["flush", undefined] : ["close", undefined]]
        : [[
          name === "reader" || name.endsWith("writable") || name === "writer" ? "abort" : "cancel",
          "first",
        ]];
      assertEquals(told, [expected], `${name}, ends first: ${endsFirst}`);
    }
  }
});
