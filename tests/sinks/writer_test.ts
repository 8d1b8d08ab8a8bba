import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { channel } from "../../src/sources/channel.ts";
import { pipeline } from "../../src/pipeline/pipeline.ts";
import { writer } from "../../src/sinks/writer.ts";
import type { StageContext } from "../../src/kernels/stage_context.ts";
import type { WriterOptions } from "../../src/sinks/writer_options.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { held } from "../lib/held.ts";
import { turns } from "../lib/turns.ts";

/** A writer whose writes, close and abort are recorded, and settled by hand. */
function open(options: WriterOptions<number> = {}) {
  const { fn, calls } = held<void, [chunk: number, index: number]>();
  const ends: unknown[] = [];
  const writable = writer<number>(fn, {
    close: () => void ends.push("close"),
    abort: (reason) => void ends.push(["abort", reason]),
    ...options,
  });
  return { calls, ends, writable, begun: () => calls.map(({ args: [chunk] }) => chunk) };
}

test("writer() gives chunks and indexes in order, then closes once", async () => {
  const events: unknown[] = [];
  await from(["a", "b"]).pipeTo(writer((chunk: string, index) => void events.push([chunk, index]), {
    close: () => void events.push("close"),
  }));
  assertEquals(events, [["a", 0], ["b", 1], "close"]);
});

test("writer() closes without a chunk", async () => {
  const { ends, writable } = open();
  await from<number>([]).pipeTo(writable);
  assertEquals(ends, ["close"]);
});

test("writer() writes one at a time by default", async () => {
  const { begun, calls, writable } = open();
  const piped = from([0, 1]).pipeTo(writable);
  await turns();
  assertEquals(begun(), [0]);
  calls[0]!.resolve();
  await turns();
  assertEquals(begun(), [0, 1]);
  calls[1]!.resolve();
  await piped;
});

test("writer() begins the next write as soon as any finishes, and closes after all", async () => {
  const { begun, calls, ends, writable } = open({ concurrency: 3 });
  const piped = from([0, 1, 2, 3, 4]).pipeTo(writable);
  await turns();
  assertEquals(begun(), [0, 1, 2]);
  calls[1]!.resolve();
  await turns();
  assertEquals(begun(), [0, 1, 2, 3]);
  calls[3]!.resolve();
  await turns();
  assertEquals(begun(), [0, 1, 2, 3, 4]);
  calls[4]!.resolve();
  calls[2]!.resolve();
  await turns();
  assertEquals(ends, []);
  calls[0]!.resolve();
  await piped;
  assertEquals(ends, ["close"]);
});

test("writer() never has more than concurrency in flight", async () => {
  for (const concurrency of [1, 2, 7, Infinity]) {
    let [inFlight, most] = [0, 0];
    const write = async (chunk: number) => {
      most = Math.max(most, ++inFlight);
      await turns(1 + chunk * 7 % 3);
      inFlight--;
    };
    await from(Array.from({ length: 40 }, (_, index) => index)).pipeTo(
      writer(write, { concurrency }),
    );
    assertEquals([inFlight, most], [0, Math.min(concurrency, 40)]);
  }
});

test("writer() respects backpressure", async () => {
  for (const highWaterMark of [1, 3]) {
    const source = countedSource();
    const { writable, calls, begun } = open({ concurrency: 2, highWaterMark });
    const piped = errorOf(source.readable.pipeTo(writable));
    await turns();
    // The queue counts the chunk that was not answered for: the second in flight.
    assertEquals([begun().length, source.readCount], [2, 1 + highWaterMark]);
    calls[1]!.reject("stop");
    calls[0]!.resolve();
    assertEquals(await piped, ["stop"]);
  }
});

test("writer() counts its queue by size()", () => {
  const { writable } = open({ highWaterMark: 10, size: (chunk) => chunk });
  const defaultWriter = writable.getWriter();
  assertEquals(defaultWriter.desiredSize, 10);
  void defaultWriter.write(4);
  assertEquals(defaultWriter.desiredSize, 6);
});

for (const error of [new Error("broken"), undefined]) {
  for (const way of ["throws", "rejects"] as const) {
    test(`writer() fails when a write ${way}, with that very value: ${error}`, async () => {
      const write = () => {
        if (way === "throws") throw error;
        return Promise.reject(error);
      };
      const ends: string[] = [];
      const writable = writer(write, { close: () => void ends.push("close") });
      const defaultWriter = writable.getWriter();
      assertEquals(await errorOf(defaultWriter.write(1)), [error]);
      assertEquals(await errorOf(defaultWriter.closed), [error]);
      assertEquals(ends, []);
    });
  }
}

test("writer() fails with the first error once the others have settled, and calls nothing after", async () => {
  const { begun, calls, ends, writable } = open({ concurrency: 3 });
  const source = countedSource();
  let hasFailed = false;
  const piped = errorOf(source.readable.pipeTo(writable)).finally(() => hasFailed = true);
  await turns();
  calls[1]!.reject("first");
  await turns();
  calls[0]!.reject("second");
  await turns();
  assertEquals([hasFailed, begun()], [false, [0, 1, 2]]);
  calls[2]!.resolve();
  assertEquals(await piped, ["first"]);
  await turns();
  assertEquals([begun(), ends, source.cancelReasons], [[0, 1, 2], [], ["first"]]);
});

test("writer() fails while it waits for chunks", async () => {
  const { calls, ends, writable } = open({ concurrency: 3 });
  const defaultWriter = writable.getWriter();
  await Promise.all([defaultWriter.write(0), defaultWriter.write(1)]);
  calls[0]!.reject(undefined);
  await turns();
  calls[1]!.resolve();
  assertEquals(await errorOf(defaultWriter.closed), [undefined]);
  assertEquals(ends, []);
});

test("writer() fails by a throw only once those in flight have settled", async () => {
  const { fn, calls } = held<void>();
  const writable = writer((chunk: number) => {
    if (chunk === 1) throw "thrown";
    return fn(chunk);
  }, { concurrency: 3 });
  const defaultWriter = writable.getWriter();
  await defaultWriter.write(0);
  let hasFailed = false;
  const failed = errorOf(defaultWriter.write(1)).finally(() => hasFailed = true);
  const closed = errorOf(defaultWriter.closed);
  await turns();
  assertEquals(hasFailed, false);
  calls[0]!.resolve();
  assertEquals([await failed, await closed, calls.length], [["thrown"], ["thrown"], 1]);
});

test("writer() fails in close() with a write still in flight, or in close itself", async () => {
  const { calls, ends, writable } = open({ concurrency: 2 });
  const defaultWriter = writable.getWriter();
  await defaultWriter.write(0);
  const closed = [errorOf(defaultWriter.close()), errorOf(defaultWriter.closed)];
  await turns();
  calls[0]!.reject("late");
  assertEquals(await Promise.all(closed), [["late"], ["late"]]);
  assertEquals(ends, []);
  const unclosable = writer(() => {}, { close: () => Promise.reject(undefined) });
  assertEquals(await errorOf(from([1]).pipeTo(unclosable)), [undefined]);
});

test("writer() aborts once, after the writes in flight have settled", async () => {
  const { begun, calls, ends, writable } = open({ concurrency: 2, highWaterMark: 5 });
  const defaultWriter = writable.getWriter();
  const writes = [0, 1, 2].map((chunk) => errorOf(defaultWriter.write(chunk)));
  const closed = errorOf(defaultWriter.closed);
  await turns();
  const aborted = defaultWriter.abort("stop");
  await turns();
  assertEquals(ends, []);
  calls[0]!.resolve();
  await turns();
  assertEquals(ends, []);
  calls[1]!.reject("ignored");
  await aborted;
  assertEquals([begun(), ends, await closed], [[0, 1], [["abort", "stop"]], ["stop"]]);
  await Promise.all(writes);
});

test("writer() aborts with undefined, and when idle", async () => {
  const { ends, writable } = open();
  await writable.abort(undefined);
  assertEquals(ends, [["abort", undefined]]);
});

test("writer() that is aborted while close waits for writes aborts instead, and is not closed", async () => {
  const { calls, ends, writable } = open({ concurrency: 2 });
  const defaultWriter = writable.getWriter();
  await defaultWriter.write(0);
  const closed = [errorOf(defaultWriter.close()), errorOf(defaultWriter.closed)];
  await turns();
  // The standard answers both alike.
  closed.push(errorOf(defaultWriter.abort("stop")));
  await turns();
  assertEquals(ends, []);
  calls[0]!.resolve();
  assertEquals(await Promise.all(closed), [["stop"], ["stop"], ["stop"]]);
  assertEquals(ends, [["abort", "stop"]]);
});

test("writer() that has failed already tells its error to who aborts it", async () => {
  const { calls, ends, writable } = open({ concurrency: 3 });
  const defaultWriter = writable.getWriter();
  const closed = errorOf(defaultWriter.closed);
  await Promise.all([defaultWriter.write(0), defaultWriter.write(1)]);
  calls[0]!.reject("first");
  await turns();
  const aborted = errorOf(defaultWriter.abort("stop"));
  calls[1]!.resolve();
  assertEquals([await aborted, ends], [["first"], []]);
  await closed;
});

test("writer() refuses bad arguments", () => {
  const write = (): void => {};
  const cases: [make: () => unknown, type: typeof TypeError, message: string][] = [
    [() => writer(1 as never), TypeError, "write must be a function, got 1"],
    [
      () => writer(write, { concurrency: 0 }),
      RangeError,
      "concurrency must be a positive integer, got 0",
    ],
    [
      () => writer(write, { highWaterMark: NaN }),
      RangeError,
      "highWaterMark must be a non-negative number, got NaN",
    ],
    [() => writer(write, { size: 1 as never }), TypeError, "size must be a function, got 1"],
    [() => writer(write, { close: 1 as never }), TypeError, "close must be a function, got 1"],
    [() => writer(write, { abort: 1 as never }), TypeError, "abort must be a function, got 1"],
    [
      () => writer(write, { closed: 1 } as never),
      TypeError,
      'unknown option "closed"; did you mean "close"?',
    ],
  ];
  for (const [make, type, message] of cases) {
    assertThrows(make, type, `Cannot create writer: ${message}`);
  }
});

for (const isLate of [false, true]) {
  /** A writer whose ends are recorded, and fail if they are named; late ones are over a turn later. */
  const releasing = (...failing: string[]) => {
    const events: string[] = [];
    const end = (name: string) => async () => {
      events.push(name);
      if (isLate) await turns(1);
      if (failing.includes(name)) throw name;
      events.push(`${name} done`);
    };
    const endNow = (name: string) => () => {
      events.push(name);
      if (failing.includes(name)) throw name;
      events.push(`${name} done`);
    };
    const make = isLate ? end : endNow;
    const { fn, calls } = held<void, [chunk: number]>();
    const writable = writer<number>((chunk) => chunk < 0 ? make("write")() : fn(chunk), {
      ...{ concurrency: 3, close: make("close"), abort: make("abort"), release: make("release") },
    });
    return { calls, events, defaultWriter: writable.getWriter() };
  };
  const when = isLate ? "later" : "at once";

  test(`writer() releases last and once, after close or abort, and the first failure counts, ${when}`, async () => {
    for (const name of ["close", "abort"] as const) {
      for (const failing of [[], [name], ["release"], [name, "release"]]) {
        const { calls, events, defaultWriter } = releasing(...failing);
        defaultWriter.closed.catch(() => {});
        await defaultWriter.write(1);
        const ended = errorOf(defaultWriter[name]("why" as never));
        await turns(2);
        assertEquals(events, []);
        calls[0]!.resolve();
        assertEquals(await ended, failing.length === 0 ? "none" : [failing[0]]);
        assertEquals(events, [
          ...[name, ...(failing.includes(name) ? [] : [`${name} done`])],
          ...["release", ...(failing.includes("release") ? [] : ["release done"])],
        ]);
      }
    }
  });

  test(`writer() releases before it fails by a write, and neither closes nor aborts, ${when}`, async () => {
    for (const failing of [["write"], ["write", "release"]]) {
      const { events, defaultWriter } = releasing(...failing);
      const closed = errorOf(defaultWriter.closed);
      defaultWriter.write(-1).catch(() => {});
      assertEquals(await closed, ["write"]);
      assertEquals(events, [
        ...["write", "release", ...(failing.length > 1 ? [] : ["release done"])],
      ]);
      const again = releasing(...failing);
      const closedAgain = errorOf(again.defaultWriter.closed);
      for (const chunk of [1, 2]) again.defaultWriter.write(chunk).catch(() => {});
      await turns();
      again.calls[1]!.reject("second");
      await turns();
      assertEquals(again.events, []);
      again.calls[0]!.reject("first");
      assertEquals(await closedAgain, ["second"]);
      assertEquals(again.events, ["release", ...(failing.length > 1 ? [] : ["release done"])]);
    }
  });
}

test("writer() without anything to release ends as well", async () => {
  for (const name of ["close", "abort"] as const) {
    const { calls, ends, writable } = open({ concurrency: 2 });
    const defaultWriter = writable.getWriter();
    defaultWriter.closed.catch(() => {});
    await defaultWriter.write(1);
    const ended = defaultWriter[name]("why" as never);
    calls[0]!.resolve();
    await ended;
    assertEquals(ends.length, 1);
  }
});

test("writer() tells the writes in flight at once that the stream is aborted, or that another failed", async () => {
  for (const asksEarly of [true, false]) {
    const contexts: StageContext[] = [];
    const { fn, calls } = held<void>();
    const writable = writer<number>((_chunk, _index, context) => {
      contexts.push(context);
      if (asksEarly) assertEquals(context.signal.aborted, false);
      return fn();
    }, { concurrency: 3 });
    const defaultWriter = writable.getWriter();
    defaultWriter.closed.catch(() => {});
    await Promise.all([defaultWriter.write(0), defaultWriter.write(1)]);
    const aborted = defaultWriter.abort("why");
    assertEquals([contexts[0]!.signal.aborted, contexts[0]!.signal.reason], [true, "why"]);
    for (const { resolve } of calls) resolve(undefined);
    await aborted;

    const failing = writer<number>((_chunk, _index, context) => {
      contexts.push(context);
      if (asksEarly) assertEquals(context.signal.aborted, false);
      return fn();
    }, { concurrency: 3 }).getWriter();
    const closed = errorOf(failing.closed);
    await Promise.all([failing.write(0), failing.write(1)]);
    calls[2]!.reject("first");
    await turns();
    assertEquals([contexts[3]!.signal.aborted, contexts[3]!.signal.reason], [true, "first"]);
    calls[3]!.resolve(undefined);
    assertEquals(await closed, ["first"]);
  }
});

test("writer() that fails by a write in flight says so when it has released", async () => {
  for (const isReleased of [true, false]) {
    const { fn, calls } = held<void, [chunk: number]>();
    const released = Promise.withResolvers<void>();
    const stream = writer(fn, { concurrency: 2, release: () => released.promise });
    const defaultWriter = stream.getWriter();
    await defaultWriter.write(1);
    let isOver = false;
    const failure = errorOf(defaultWriter.closed).finally(() => isOver = true);
    calls[0]!.reject("why");
    await turns();
    assertEquals(isOver, false);
    if (isReleased) released.resolve();
    else released.reject("later");
    assertEquals(await failure, ["why"]);
  }
});

test("writer() that is aborted while it releases after a failure releases no second time", async () => {
  const { fn, calls } = held<void, [chunk: number]>();
  const released = Promise.withResolvers<void>();
  let releases = 0;
  const release = () => {
    releases++;
    return released.promise;
  };
  const defaultWriter = writer(fn, { concurrency: 2, release }).getWriter();
  const closed = errorOf(defaultWriter.closed);
  await defaultWriter.write(1);
  calls[0]!.reject("why");
  await turns(1);
  assertEquals(releases, 1);
  const aborted = errorOf(defaultWriter.abort("enough"));
  await turns(1);
  released.resolve();
  assertEquals(await aborted, ["why"]);
  await closed;
  assertEquals(releases, 1);
});

test("writer() says of a write that it failed though the stream was being aborted, and aborts anyway", async () => {
  for (const isLate of [true, false]) {
    const { calls, ends, writable } = open();
    const defaultWriter = writable.getWriter();
    defaultWriter.closed.catch(() => {});
    const written = errorOf(defaultWriter.write(1));
    await turns(1);
    const aborted = errorOf(defaultWriter.abort("enough"));
    if (isLate) calls[0]!.reject("late");
    else calls[0]!.resolve();
    assertEquals([await written, await aborted], [isLate ? ["late"] : "none", "none"]);
    assertEquals(ends, [["abort", "enough"]]);
  }
});

test("writer() fails by a write in flight at once, after another had waited for room, too", async () => {
  const { calls, writable } = open({ concurrency: 2 });
  const defaultWriter = writable.getWriter();
  const closed = errorOf(defaultWriter.closed);
  const written = [1, 2].map((chunk) => defaultWriter.write(chunk));
  await turns(1);
  calls[0]!.resolve();
  await Promise.all(written);
  calls[1]!.reject("why");
  assertEquals(await closed, ["why"]);
});

test("an abort reaches the signals of the calls in flight before they have settled", async () => {
  const signals: AbortSignal[] = [];
  const gate = Promise.withResolvers<void>();
  const sink = writer((_chunk, _index, { signal }) => {
    signals.push(signal);
    return gate.promise;
  }, { concurrency: 2 });
  const output = sink.getWriter();
  output.closed.catch(() => {});
  const writes = [output.write(1), output.write(2)].map((write) => write.catch(() => {}));
  await turns(2);
  const aborted = output.abort("why");
  assertEquals(signals.map(({ aborted, reason }) => [aborted, reason]), [
    [true, "why"],
    [true, "why"],
  ]);
  gate.resolve();
  await Promise.all([aborted, ...writes]);
});

test("writer() releases after a promise whose then() throws, as after one that is rejected", async () => {
  const broken = Object.defineProperty({}, "then", {
    value() {
      throw "broken";
    },
  });
  for (const concurrency of [1, 2]) {
    let released = 0;
    const release = (): void => void released++;
    const defaultWriter = writer(() => broken, { concurrency, release }).getWriter();
    const closed = errorOf(defaultWriter.closed);
    defaultWriter.write(1).catch(() => {});
    assertEquals([await closed, released], [["broken"], 1]);
  }
});

test("writer() that still releases when its source ends, or gives more, fails the run and does not commit", async () => {
  for (const chunks of [[1], [1, 2, 3]]) {
    for (const concurrency of [1, 2, 3]) {
      for (const isSlow of [true, false]) {
        const log: string[] = [];
        const sink = writer<number>(() => Promise.reject(undefined), {
          concurrency,
          close: () => void log.push("commit"),
          release: () => {
            log.push("release");
            return isSlow ? turns(2) : undefined;
          },
        });
        assertEquals(await errorOf(pipeline(chunks, sink)), [undefined]);
        assertEquals(log, ["release"]);
      }
    }
  }
});

/** Five chunks; the source fails after them if that is what the option is about. */
async function* fiveThen(option: string) {
  yield* [0, 1, 2, 3, 4];
  if (option === "preventAbort") throw "source";
}

test("pipeline waits for all writes of a writer that it leaves open, and fails if one does", async () => {
  for (const concurrency of [1, 2, 4, 8]) {
    for (const highWaterMark of [1, 3]) {
      for (const failing of [0, 1, 4, 5]) {
        for (const option of ["preventClose", "preventAbort"] as const) {
          const log: string[] = [];
          const sink = writer<number>(async (chunk) => {
            await turns(chunk + 1);
            if (chunk === failing) throw "disk full";
            log.push(`${chunk}`);
          }, {
            concurrency,
            highWaterMark,
            release: () => turns(1).then(() => void log.push("end")),
          });
          const outcome = await pipeline(fiveThen(option), sink, { [option]: true }).then(
            ({ chunksWritten }) => chunksWritten,
            (reason) => reason,
          );
          const rest = option === "preventClose" ? 5 : "source";
          assertEquals(outcome, failing === 5 ? rest : "disk full");
          assertEquals(log.at(-1), failing === 5 ? "4" : "end");
          assertEquals(sink.locked, false);
        }
      }
    }
  }
});

test("a channel's flushNow waits for all writes of a writer", async () => {
  for (const fails of [false, true]) {
    const { fn, calls } = held<void>();
    const input = channel<number>();
    const running = errorOf(pipeline(input.readable, writer(fn, { concurrency: 4 })));
    await input.send(1);
    await input.send(2);
    let isFlushed = false;
    const flushed = errorOf(input.flushNow().then(() => void (isFlushed = true)));
    await turns();
    assertEquals([calls.length, isFlushed], [2, false]);
    calls[0]!.resolve();
    await turns();
    assertEquals(isFlushed, false);
    if (fails) calls[1]!.reject("why");
    else calls[1]!.resolve();
    assertEquals(await flushed, fails ? ["why"] : "none");
    input.close();
    assertEquals(await running, fails ? ["why"] : "none");
  }
});
