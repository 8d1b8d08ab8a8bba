import { countedSignal } from "../lib/counted_signal.ts";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { Duplex, PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import {
  fromNode,
  pipeline,
  reader,
  StageError,
  toNode,
  transformer,
  writer,
} from "@hosepipe/streams/node";
import { settle } from "./virtual_clock.ts";
import { EventEmitter } from "node:events";
import { destroyStream } from "../../src/source/node_stream_end.ts";
import { reasons, rejection } from "./errors.ts";
import { toError, toReason } from "../../src/source/stage_error.ts";

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
  // Others end in tests/laws/foreign_ends_test.ts.
  const ends: Record<string, () => [AnyStream, () => Promise<unknown>]> = {
    "over before"() {
      const stream = readable();
      stream.destroy();
      return [stream, () => fromNode(stream).getReader().read().catch(() => {})];
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

type Destroy = Readable["_destroy"];
const makers: Record<string, (destroy?: Destroy, options?: object) => AnyStream> = {
  readable: (destroy, options) => new Readable({ read() {}, destroy, ...options }),
  writable: (destroy, options) => new Writable({ write() {}, destroy, ...options }),
  "stream of a library that shows no state": (destroy) =>
    new class extends EventEmitter {
      destroyed = false;

      destroy(error: Error | null = null): void {
        this.destroyed = true;
        const end = (failure?: Error | null): void => {
          if (failure) this.emit("error", failure);
          this.emit("close");
        };
        if (destroy === undefined) end(error);
        else destroy.call(this as never, error, end);
      }
    }() as never,
};

for (const [kind, make] of Object.entries(makers)) {
  test(`a ${kind} is destroyed with the error, which is no failure; waits until it is closed`, async () => {
    for (const reason of reasons) {
      let close!: () => void;
      const given: unknown[] = [];
      const error = reason === undefined ? undefined : toError(reason);
      const stream = make((error, callback) => {
        given.push(error);
        close = () => callback(error);
      });
      let isOver = false;
      const over = destroyStream(stream, error).then(() => isOver = true);
      await settle();
      assertEquals([given, isOver], [[error ?? null], false]);
      close();
      await over;
      assertEquals(stream.listenerCount("error") + stream.listenerCount("close"), 0);
    }
  });

  test(`a ${kind}'s clean-up that fails is the failure`, async () => {
    const failure = new Error("clean-up");
    for (const error of [undefined, new Error("why")]) {
      const stream = make((_error, callback) => callback(failure));
      assertStrictEquals((await rejection(destroyStream(stream, error))).reason, failure);
    }
  });

  test(`a ${kind} that is closed already, or never tells that it is, is not waited for`, async () => {
    for (const options of [{}, { emitClose: false }, { closed: undefined }]) {
      const stream = make(undefined, options);
      if ("closed" in options) Object.defineProperty(stream, "closed", { value: undefined });
      await destroyStream(stream);
      await destroyStream(stream, new Error("later"));
      assertEquals([stream.destroyed, stream.errored ?? null], [true, null]);
    }
  });
}

test("what node takes for no error is wrapped by name, with its value; all else is passed on", () => {
  for (const reason of reasons) {
    const error = toError(reason);
    assertStrictEquals(toReason(error), reason);
    if (reason) assertStrictEquals(error, reason);
    else {
      assertEquals([error instanceof StageError, error.name], [true, "StageError"]);
      assertEquals(error.message, `A stage failed with ${reason === "" ? '""' : String(reason)}`);
      assertStrictEquals((error as StageError).reason, reason);
    }
  }
});
