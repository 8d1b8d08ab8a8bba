import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { Readable, type Writable } from "node:stream";
import { test } from "node:test";
import { reader, toNode, transformer, writer } from "@hosepipe/streams/node";
import { sourceReadable } from "../../node_compat/source_side.ts";
import { errorOf, reasons } from "./errors.ts";
import { settle } from "./virtual_clock.ts";
import { sinkWritable } from "../../node_compat/sink_side.ts";

type Controller = ReadableStreamDefaultController<unknown>;

/** Gives 1, 2, 3 and so on, `perPull` at a time, and counts. */
function counter(perPull: number, end = Infinity, wait?: () => Promise<void>) {
  const record = { pulls: 0, atOnce: 0, most: 0, given: 0, told: [] as unknown[] };
  return {
    record,
    source: {
      pull(controller: Controller): void | Promise<void> {
        record.pulls++;
        record.most = Math.max(record.most, ++record.atOnce);
        const give = (): void => {
          record.atOnce--;
          for (let count = 0; count < perPull; count++) {
            if (record.given === end) return controller.close();
            controller.enqueue(++record.given);
          }
        };
        return wait === undefined ? give() : wait().then(give);
      },
      cancel: (reason: unknown) => void record.told.push(reason),
    },
  };
}

test("every chunk arrives once and in order, whatever the mark, the burst and the way of reading", async () => {
  for (const highWaterMark of [0, 1, 2, 16]) {
    for (const perPull of [1, 2, 7]) {
      for (const wait of [undefined, () => Promise.resolve(), settle]) {
        const open = () => {
          const { source, record } = counter(perPull, 30, wait);
          return { stream: sourceReadable(source, highWaterMark), record };
        };
        const expected = Array.from({ length: 30 }, (_, index) => index + 1);
        const iterated = open();
        assertEquals(await iterated.stream.toArray(), expected);
        assertEquals(iterated.record.most, 1, "one pull at a time");
        const flowing = open();
        const chunks: unknown[] = [];
        flowing.stream.on("data", (chunk) => {
          chunks.push(chunk);
          // Read within: Node may ask for more in the midst of a burst.
          if (chunk % 3 === 0) {
            const more = flowing.stream.read();
            if (more !== null) assertEquals(chunks.at(-1), more);
          }
        });
        await new Promise((resolve) => flowing.stream.on("end", resolve));
        assertEquals([chunks, flowing.record.most], [expected, 1]);
      }
    }
  }
});

test("what is asked for in the midst of a burst is answered by the burst", async () => {
  const { source, record } = counter(3);
  const stream = sourceReadable(source, 16);
  const { push } = stream;
  stream.push = (chunk) => {
    const wantsMore = push.call(stream, chunk);
    if (record.given === 1) stream.read(0);
    return wantsMore;
  };
  stream.read(0);
  assertEquals([record.pulls, stream.readableLength], [1, 3]);
  await settle();
  assertEquals([record.pulls, stream.readableLength], [6, 18]);
  stream.destroy();
});

test("what is asked for while a pull ends is not forgotten", async () => {
  let pulls = 0;
  const stream = sourceReadable({
    async pull(controller) {
      controller.enqueue(++pulls);
      // The chunk is there and the pull still runs: Node asks again meanwhile.
      await settle();
      if (pulls === 3) controller.close();
    },
  }, 2);
  assertEquals(await stream.toArray(), [1, 2, 3]);
});

test("nothing is pulled before start has finished, and start may enqueue", async () => {
  const log: string[] = [];
  const stream = sourceReadable({
    async start(controller) {
      log.push("start");
      controller.enqueue(0);
      await settle();
      log.push("started");
    },
    pull(controller) {
      log.push("pull");
      controller.close();
    },
  }, 4);
  assertEquals(await stream.toArray(), [0]);
  assertEquals(log, ["start", "started", "pull"]);
});

test("a source that gives nothing when pulled may give when it likes", async () => {
  let controller!: Controller;
  const stream = sourceReadable({ start: (given) => void (controller = given) }, 2);
  const all = stream.toArray();
  await settle();
  assertEquals(controller.desiredSize, 2);
  for (const chunk of [1, 2, 3]) controller.enqueue(chunk);
  await settle();
  controller.enqueue(4);
  controller.close();
  assertEquals(controller.desiredSize, 0);
  assertThrows(() => controller.enqueue(5), TypeError, "Cannot enqueue: the stream has ended");
  assertEquals(await all, [1, 2, 3, 4]);
});

type AnyController = Controller | TransformStreamDefaultController;
interface Kept {
  readonly start: (controller: AnyController) => void;
  readonly work: (controller: AnyController) => void;
  readonly cancel: (reason: unknown) => void;
}
/** What keeps its controller. */
const keepers: Record<string, (kept: Kept) => Readable> = {
  source: ({ start, work, cancel }) => sourceReadable({ start, pull: work, cancel }, 1),
  transformer: ({ start, work, cancel }) =>
    transformer({ start, transform: (_, controller) => work(controller), cancel }),
};
const finish = (controller: AnyController): void =>
  "close" in controller ? controller.close() : controller.terminate();
/** How it ends. */
const ends: Record<string, (controller: AnyController, stream: Readable) => void> = {
  "is over": finish,
  "has failed": (controller) => controller.error(new Error("boom")),
  "is destroyed": (_controller, stream) => void stream.destroy(),
  "has failed at work"() {
    throw new Error("boom");
  },
};

for (const [kind, make] of Object.entries(keepers)) {
  for (const [how, end] of Object.entries(ends)) {
    test(`a ${kind} that ${how}: nothing is enqueued, asked for or told after that`, async () => {
      let controller!: AnyController;
      let works = 0;
      const told: unknown[] = [];
      const stream = make({
        start: (given) => void (controller = given),
        work(given) {
          works++;
          end(given, stream);
        },
        cancel: (reason) => void told.push(reason),
      }).on("error", () => {});
      stream.resume();
      if ("write" in stream) (stream as Readable & Writable).write(1);
      await settle();
      const isTransformer = kind === "transformer";
      const hasRoom = isTransformer && how !== "is over" ? null : 0;
      assertEquals([controller.desiredSize, works], [hasRoom, 1]);
      assertThrows(() => controller.enqueue(1), TypeError, "has ended or failed");
      controller.error(new Error("later"));
      finish(controller);
      stream.read();
      stream.destroy(new Error("later still"));
      await settle();
      assertEquals([works, stream.closed], [1, true]);
      assertEquals(told, how === "is destroyed" ? [undefined] : []);
      assertEquals(stream.errored?.message, how.startsWith("has failed") ? "boom" : undefined);
    });
  }
}

test("destroyed by who hears of a chunk, in the midst of a burst, it gives no more than by hand", async () => {
  const heardOf = async (stream: Readable): Promise<unknown[]> => {
    const chunks: unknown[] = [];
    stream.on("data", (chunk) => {
      chunks.push(chunk);
      if (chunk === 3) stream.destroy();
    });
    await new Promise((resolve) => stream.on("close", resolve));
    await settle();
    return chunks;
  };
  for (const wait of [undefined, settle]) {
    const { source, record } = counter(10, Infinity, wait);
    const chunks = await heardOf(sourceReadable(source, 1));
    const byHand = new Readable({
      objectMode: true,
      highWaterMark: 1,
      read() {
        const give = () => {
          for (let chunk = 1; chunk <= 10; chunk++) this.push(chunk);
        };
        if (wait === undefined) give();
        else wait().then(give);
      },
    });
    assertEquals([chunks, record.told.length], [await heardOf(byHand), 1]);
  }
});

test("null, which would be the end, fails a stream, whose source is given up; undefined is carried", async () => {
  assertEquals(await reader([undefined, 0, ""]).toArray(), [undefined, 0, ""]);
  let givenUp = 0;
  const cancel = () => void givenUp++;
  const source = function* () {
    try {
      yield null;
    } finally {
      cancel();
    }
  };
  const pull = (controller: Controller) => controller.enqueue(null);
  const actions = {
    read: [reader(source()), reader(() => [null]), toNode(new ReadableStream({ pull, cancel }))],
    enqueue: [transformer({ transform: (_, controller) => controller.enqueue(null) })],
  };
  for (const [action, streams] of Object.entries(actions)) {
    for (const stream of streams) {
      const error = errorOf(stream);
      if ("end" in stream) stream.end(1);
      stream.resume();
      const message = `Cannot ${action}: a node stream cannot carry null, which is its end`;
      assertEquals(String(await error), `TypeError: ${message}`);
    }
  }
  await settle();
  assertEquals(givenUp, 2);
});

/** A sink whose calls are logged and, if `isHeld`, settled by hand. */
function logging(isHeld = false) {
  const log: unknown[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const answer = (): void | Promise<void> => {
    if (!isHeld) return;
    const call = Promise.withResolvers<void>();
    held.push(call);
    return call.promise;
  };
  let controller!: WritableStreamDefaultController;
  return {
    log,
    held,
    signal: () => controller.signal,
    controller: () => controller,
    sink: {
      start: (given: WritableStreamDefaultController) => void (controller = given),
      write(chunk: unknown) {
        log.push(chunk);
        return answer();
      },
      close() {
        log.push("close");
        return answer();
      },
      abort(reason: unknown) {
        log.push(["abort", reason]);
      },
    },
  };
}

test("writes one at a time, in order, then closes, whatever the mark and the burst", async () => {
  for (const highWaterMark of [0, 1, 2, 16]) {
    for (const isHeld of [false, true]) {
      const { log, held, sink, signal } = logging(isHeld);
      const stream = sinkWritable(sink, highWaterMark);
      for (let chunk = 0; chunk < 20; chunk++) stream.write(chunk);
      stream.end();
      const closed = new Promise((resolve) => stream.on("close", resolve));
      while (isHeld && !stream.closed) {
        assertEquals(held.length <= 1, true);
        held.pop()?.resolve();
        await settle();
      }
      await closed;
      assertEquals(log, [...Array(20).keys(), "close"]);
      stream.destroy();
      await settle();
      assertEquals([log.length, signal().aborted], [21, false]);
    }
  }
});

test("nothing is written or closed before start has finished", async () => {
  const log: unknown[] = [];
  const stream = sinkWritable({
    start: () => settle().then(() => void log.push("started")),
    write: (chunk) => void log.push(chunk),
    close: () => void log.push("close"),
  }, 1);
  stream.end(1);
  await new Promise((resolve) => stream.on("close", resolve));
  assertEquals(log, ["started", 1, "close"]);
  const started = sinkWritable({ start: settle, write: (chunk) => void log.push(chunk) }, 1);
  for (let turn = 0; turn < 2; turn++) await settle();
  started.write(2);
  assertEquals(log.at(-1), 2, "at once");
  started.destroy();
});

for (const act of ["write", "close"] as const) {
  const then = act === "write" ? "aborts after that, once, with the reason" : "aborts nothing";
  test(`destroyed while a ${act} runs, it waits for that, and ${then}; the signal aborts at once`, async () => {
    for (const reason of [new Error("enough"), undefined]) {
      for (const isFailing of [false, true]) {
        const { log, held, sink, signal } = logging(true);
        const stream = sinkWritable(sink, 4).on("error", () => {});
        if (act === "close") stream.end();
        else for (const chunk of [1, 2]) stream.write(chunk);
        await settle();
        stream.destroy(reason);
        const called = act === "close" ? "close" : 1;
        assertEquals([log, signal().aborted], [[called], true]);
        if (reason !== undefined) assertStrictEquals(signal().reason, reason);
        await settle();
        assertEquals([log, stream.closed], [[called], false]);
        if (isFailing) held[0]!.reject("ignored");
        else held[0]!.resolve();
        await settle();
        assertEquals(log, act === "close" ? ["close"] : [1, ["abort", reason]]);
        const lateFailure = act === "write" && isFailing ? "ignored" : null;
        assertEquals([stream.closed, stream.errored], [true, reason ?? lateFailure]);
      }
    }
  });
}

test("a thenable that answers twice counts once", async () => {
  const log: unknown[] = [];
  const stream = sinkWritable({
    write: (chunk) => {
      log.push(chunk);
      return {
        then(resolve: () => void) {
          resolve();
          resolve();
        },
      } as Promise<void>;
    },
  }, 4);
  for (const chunk of [1, 2, 3]) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.on("close", resolve));
  assertEquals([log, stream.errored], [[1, 2, 3], null]);
});

type CleanUp = (reason?: unknown) => void | Promise<void>;

/** What is destroyed, with its clean-up. */
const destroyed: Readonly<Record<string, (cleanUp: CleanUp) => Readable | Writable>> = {
  "a readable": (cancel) =>
    toNode(new ReadableStream({ pull: () => new Promise(() => {}), cancel })).resume(),
  "a writable": (abort) => toNode(new WritableStream({ abort })),
  "a pair's readable": (cancel) =>
    toNode({ readable: new ReadableStream({ cancel }), writable: new WritableStream() }),
  "a pair's writable": (abort) =>
    toNode({ readable: new ReadableStream(), writable: new WritableStream({ abort }) }),
  "a source": (cancel) => sourceReadable({ cancel }, 1),
  "a sink": (abort) => sinkWritable({ abort }, 1),
  "a transformer": (cancel) => transformer({ cancel }).resume(),
  "a writer": (abort) => writer(() => {}, { abort }),
};

for (const [what, make] of Object.entries(destroyed)) {
  test(`${what} that is destroyed is told the reason, once, and waited for; at its end nothing`, async () => {
    for (const reason of [new Error("enough"), "enough", undefined]) {
      const told: unknown[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const tell: CleanUp = (value) => {
        told.push(value);
        return promise;
      };
      const stream = make(tell).on("error", () => {});
      await settle();
      for (const error of [reason, "later"]) stream.destroy(error as Error);
      await settle();
      assertEquals([told, stream.closed], [[reason], false]);
      resolve();
      await settle();
      assertEquals([told, stream.closed], [[reason], true]);
      const other = make(tell);
      if (!("end" in other) || what.startsWith("a pair")) continue;
      other.end();
      other.end();
      await settle();
      other.destroy(reason as Error);
      await settle();
      assertEquals([told.length, other.closed, other.errored], [1, true, null]);
    }
  });

  test(`${what} whose clean-up fails: that is the error of a destroy without one`, async () => {
    // The sides of a pair that is one fail each with what the other was given.
    for (const reason of what.startsWith("a pair") ? ["clean-up"] : reasons) {
      const fail = () => {
        throw reason;
      };
      for (const cleanUp of [fail, () => Promise.reject(reason)]) {
        for (const first of [undefined, new Error("first")]) {
          const stream = make(cleanUp);
          const error = errorOf(stream);
          stream.destroy(first);
          assertStrictEquals(await error, first ?? reason);
        }
      }
    }
  });
}

test("a start that throws is thrown on", () => {
  for (const reason of reasons) {
    const start = () => {
      throw reason;
    };
    for (const make of [sourceReadable, sinkWritable, transformer]) {
      let caught: unknown[] = [];
      try {
        (make as typeof sinkWritable)({ start }, make === transformer ? undefined as never : 1);
      } catch (error) {
        caught = [error];
      }
      assertEquals([caught.length, caught[0] === reason], [1, true]);
    }
  }
});

type Fail = (...args: unknown[]) => never;
/** How a method fails; the controller is its last argument, if it has any. */
const failures: Record<string, (reason: unknown) => (...args: unknown[]) => unknown> = {
  "throws": (reason) => () => {
    throw reason;
  },
  "rejects": (reason) => () => Promise.reject(reason),
  "fails its controller": (reason) => (...args) => (args.at(-1) as Controller).error(reason),
  "fails its controller, and hangs": (reason) => (...args) => {
    for (const one of [reason, "later"]) (args.at(-1) as Controller).error(one);
    return new Promise(() => {});
  },
};

/** What fails in one of its methods; the others tell if they are called after that. */
const failing: Record<string, (fail: Fail, tell: () => void) => Readable | Writable> = {
  "a source's start": (fail, tell) =>
    sourceReadable({ start: (given) => settle().then(() => fail(given)), pull: tell }, 1),
  "a source's pull": (pull, cancel) => sourceReadable({ pull, cancel }, 1),
  "a sink's start": (fail, tell) =>
    sinkWritable({
      start: (given) => settle().then(() => fail(given)),
      ...{ write: tell, close: tell, abort: tell },
    }, 1),
  "a sink's write": (write, tell) => sinkWritable({ write, close: tell, abort: tell }, 1),
  "a sink's close()": (close, abort) => sinkWritable({ close, abort }, 1),
  "a transformer's start": (fail, tell) =>
    transformer({
      start: (given) => settle().then(() => fail(given)),
      ...{ transform: tell, flush: tell, cancel: tell },
    }),
  "a transformer's transform": (transform, tell) =>
    transformer({ transform, flush: tell, cancel: tell }),
  "a transformer's flush": (flush, cancel) => transformer({ flush, cancel }),
  "a reader's function()": (read) => reader(read),
  "a writer's function()": (write, tell) => writer(write, { close: tell, abort: tell }),
  "a writer's close()": (close, abort) => writer(() => {}, { close, abort }),
  "the pull of a Web stream": (pull, cancel) => toNode(new ReadableStream({ pull, cancel })),
  "the start of a Web stream": (fail, tell) =>
    toNode(
      new WritableStream({
        start: (given) => settle().then(() => fail(given)),
        ...{ write: tell, close: tell, abort: tell },
      }),
    ),
  "the write of a Web stream": (write, tell) =>
    toNode(new WritableStream({ write, close: tell, abort: tell })),
  "the close() of a Web stream": (close, abort) => toNode(new WritableStream({ close, abort })),
};

for (const [what, make] of Object.entries(failing)) {
  for (const [how, failure] of Object.entries(failures)) {
    const hasController = !what.includes("()");
    const isWeb = what.includes("Web");
    if (how.includes("controller") && !hasController || how.includes("hangs") && isWeb) continue;
    test(`${what} that ${how} destroys it with the very value, and no other method is called`, async () => {
      for (const reason of reasons) {
        for (const isUsed of what.includes("start") ? [false, true] : [true]) {
          let calls = 0;
          const stream = make(failure(reason) as Fail, () => void calls++);
          const error = errorOf(stream);
          if ("resume" in stream) stream.resume();
          if (isUsed && "end" in stream) stream.end(1);
          assertStrictEquals(await error, reason);
          await settle();
          const { closed, writableFinished } = stream as Writable;
          assertEquals([calls, closed, writableFinished ?? false], [0, true, false]);
        }
      }
    });
  }
}
