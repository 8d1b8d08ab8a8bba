import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { interval, map, pipeline } from "@hosepipe/streams";
import {
  type TestSink,
  testSink,
  type TestSinkOptions,
  type TestSource,
  testSource,
  type TestSourceOptions,
  virtualTime,
} from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";

function assertSame(error: Awaited<ReturnType<typeof errorOf>>, reason: unknown): void {
  assertStrictEquals(error[0], reason);
}

/** The source in each of its forms, as an async iterator. */
const forms: Record<string, (source: TestSource<string>) => AsyncIterator<string>> = {
  web: (source) => source.readable[Symbol.asyncIterator](),
  iterable: (source) => source[Symbol.asyncIterator](),
  node: (source) => source.toNode(Readable)[Symbol.asyncIterator](),
};

for (const [form, open] of Object.entries(forms)) {
  test(`testSource() as ${form} gives each chunk when it is asked, and says how often it was`, async () => {
    await using time = virtualTime();
    const source = testSource<string>();
    source.give("early");
    const iterator = open(source);
    const first = iterator.next();
    await source.pulled(1);
    assertEquals(await first, { done: false, value: "early" });
    await source.pulled(form === "node" ? 2 : 1);
    const second = iterator.next();
    await source.pulled(2);
    await time.advance(1000);
    source.give("late", "last");
    source.end();
    assertEquals(await second, { done: false, value: "late" });
    assertEquals(await iterator.next(), { done: false, value: "last" });
    assertEquals(await iterator.next(), { done: true, value: undefined });
    assertEquals(source.state, "ended");
  });

  test(`testSource() as ${form} fails behind what it holds, with the very error`, async () => {
    const source = testSource<string>();
    const iterator = open(source);
    const reason = new Error("broken");
    source.give("last");
    const first = iterator.next();
    assertEquals(await first, { done: false, value: "last" });
    source.fail(reason);
    assertSame(await errorOf(iterator.next()), reason);
    assertEquals(source.state, "failed");
    assertThrows(() => source.give("more"), Error, "Cannot give: the source has failed");
  });

  test(`testSource() as ${form} tells of a cancel, and runs its own`, async () => {
    await using _time = virtualTime();
    const seen: unknown[] = [];
    const source = testSource<string>({ cancel: (reason) => void seen.push(reason) });
    const iterator = open(source);
    source.give("first");
    await iterator.next();
    await iterator.return!();
    await source.cancelled;
    assertEquals([source.state, seen.length], ["cancelled", 1]);
    assertThrows(() => source.end(), Error, "Cannot end: the source has been cancelled");
  });
}

test("testSource() keeps errors that are undefined, and the reason of a cancel", async () => {
  const web = testSource<string>();
  const read = web.readable.getReader().read();
  web.fail(undefined);
  assertEquals(await errorOf(read), [undefined]);

  const iterable = testSource<string>();
  const iterator = iterable[Symbol.asyncIterator]();
  const [first, second] = [iterator.next(), iterator.next()];
  iterable.fail(undefined);
  assertEquals(await errorOf(first), [undefined]);
  assertEquals(await second, { done: true, value: undefined });

  const cancelled = testSource<string>();
  await cancelled.readable.cancel("enough");
  assertEquals(await cancelled.cancelled, "enough");

  const node = testSource<string>();
  node.toNode(Readable);
  assertThrows(() => node.fail(undefined), TypeError, "a Node stream fails with an Error only");
  assertEquals(node.state, "open");
});

test("testSource() fills a queue up to its mark, by size", async () => {
  await using _time = virtualTime();
  const source = testSource<string>({ highWaterMark: 5, size: (text) => text.length });
  source.give("ab", "cde", "fg");
  const defaultReader = source.readable.getReader();
  await source.pulled(2);
  await source.expectNothing();
  await defaultReader.read();
  await source.pulled(3);
  await source.expectNothing();
  assertEquals(
    source.toString().split("\n").slice(1).map((line) => line.trim()),
    ["holds    ||", 'queue    |"cde"|"fg"| (mark 5 by size)', 'gave     |"ab"|'],
  );
});

test("testSource() answers an iterator that is asked several times at once, in order", async () => {
  const source = testSource<number>();
  const iterator = source[Symbol.asyncIterator]();
  const reads = [iterator.next(), iterator.next(), iterator.next()];
  assertEquals(source.pulls, 3);
  source.give(1, 2);
  source.end();
  assertEquals(await Promise.all(reads), [
    { done: false, value: 1 },
    { done: false, value: 2 },
    { done: true, value: undefined },
  ]);
  assertEquals(await iterator.next(), { done: true, value: undefined });
});

test("an iterator of testSource() that is returned while it is asked is done", async () => {
  const source = testSource<number>();
  const iterator = source[Symbol.asyncIterator]();
  const read = iterator.next();
  assertEquals(await iterator.return!("over"), { done: true, value: "over" });
  assertEquals(await read, { done: true, value: undefined });
  assertEquals(await source.cancelled, undefined);
});

test("waits of testSource() at once are each met at their time", async () => {
  await using time = virtualTime();
  const source = testSource<number>();
  const seen: string[] = [];
  const waits = [2, 1, 3].map((count) => source.pulled(count).then(() => seen.push(`${count}`)));
  const run = pipeline(source.readable, (n) => void seen.push(`n${n}`));
  for (const n of [1, 2]) {
    await source.pulled(n);
    source.give(n);
  }
  await Promise.all(waits);
  source.end();
  await time.run(run);
  assertEquals(seen, ["1", "n1", "2", "n2", "3"]);
});

test("a wait of testSource() fails in no real time, with a diagram and what waits", async () => {
  await using time = virtualTime();
  const source = testSource<number>();
  const controller = new AbortController();
  const run = pipeline(source.readable, function save() {
    return new Promise(() => {});
  }, { signal: controller.signal });
  source.give(1, 2);
  await time.advance(250);
  const error = await assertRejects(() => source.pulled(3), Error);
  const [first, ...lines] = error.message.split("\n");
  assertEquals(
    first,
    "Expected pull 3 of the source, but nothing can move any more: no timer is set",
  );
  assertEquals(lines.slice(0, 5), [
    "source, a ReadableStream: open, asked once",
    "  holds    |2|",
    "  queue    || (mark 0)",
    "  gave     |1|",
    "  events   give 1 at 0 ms, give 2 at 0 ms, pull 1 at 0 ms",
  ]);
  assert(lines.includes("  sink, save: its write 1 has not settled"), error.message);
  controller.abort("over");
  assertEquals(await source.cancelled, "over");
  await errorOf(run);
});

test("a wait of testSource() says that timers are set, and a run of the clock goes on for it", async () => {
  await using time = virtualTime();
  const source = testSource<number>();
  const defaultReader = source.readable.getReader();
  setTimeout(() => void defaultReader.read(), 300);
  await assertRejects(
    () => source.pulled(1),
    Error,
    "but nothing moves until the clock does: a timer is set",
  );
  await time.run(source.pulled(1));
  assertEquals(time.now, 300);
  const error = await assertRejects(() => time.run(source.pulled(2)), Error);
  assert(error.message.startsWith("Expected pull 2 of the source"), error.message);
  source.end();
});

test("a wait of testSource() ends in real time, too, without virtual time", async () => {
  const source = testSource<number>({ limitMs: 5 });
  await assertRejects(() => source.pulled(1), Error, "pull 1 of the source, but not within 5 ms");
});

test("what cannot come any more fails at once", async () => {
  const failed = testSource<number>({ limitMs: 1e9 });
  failed.readable;
  failed.fail("reason");
  await assertRejects(() => failed.pulled(1), Error, "pull 1 of the source, but it has failed");
  await assertRejects(() => failed.cancelled, Error, "cancelled, but it has failed");

  const cancelled = testSource<number>({ limitMs: 1e9 });
  const wait = cancelled.pulled(2);
  await cancelled.readable.cancel(7);
  await assertRejects(() => wait, Error, "but it has been cancelled with 7");
});

test("expectNothing of testSource() notices reading ahead, and a cancel", async () => {
  await using _time = virtualTime();
  const source = testSource<number>({ highWaterMark: 1 });
  source.give(1);
  source.readable;
  await assertRejects(
    () => source.expectNothing(),
    Error,
    "it was asked once, and the test waited for 0",
  );
  await source.pulled(1);
  await source.expectNothing();
  await source.readable.cancel("why");
  await assertRejects(() => source.expectNothing(), Error, 'it was cancelled with "why"');
  await source.cancelled;
  await source.expectNothing();
});

test("testSource() is one stream", () => {
  const source = testSource<number>();
  assertStrictEquals(source.readable, source.readable);
  assertThrows(
    () => source[Symbol.asyncIterator](),
    TypeError,
    "Cannot open test source as an async iterable: it is a ReadableStream",
  );
});

test("testSource() fails when the size of a chunk cannot be had", async () => {
  const reason = new Error("no size");
  const source = testSource<number>({
    highWaterMark: 1,
    size: () => {
      throw reason;
    },
  });
  const { readable } = source;
  await source.pulled(1);
  assertSame([assertThrows(() => source.give(1))], reason);
  assertSame(await errorOf(readable.getReader().read()), reason);
  await assertRejects(() => source.pulled(2), Error, "it has failed");
});

test("testSource() checks what it is given", async () => {
  const refused: [options: unknown, kind: typeof TypeError | typeof RangeError, words: string][] = [
    [null, TypeError, "options must be an object, got null"],
    [{ highwatermark: 1 }, TypeError, 'did you mean "highWaterMark"?'],
    [{ highWaterMark: "1" }, TypeError, 'highWaterMark must be a non-negative number, got "1"'],
    [{ highWaterMark: NaN }, RangeError, "highWaterMark must be a non-negative number, got NaN"],
    [{ size: 1 }, TypeError, "size must be a function, got 1"],
    [{ cancel: {} }, TypeError, "cancel must be a function, got an object"],
    [{ limitMs: 0 }, RangeError, "limitMs must be a positive integer, got 0"],
  ];
  for (const [options, kind, words] of refused) {
    assertThrows(() => testSource(options as TestSourceOptions<unknown>), kind, words);
  }
  const source = testSource({ size: () => 1 });
  assertThrows(() => source.toNode(Readable), TypeError, "size is not supported by node:stream");
  await assertRejects(
    async () => await source.pulled(0),
    RangeError,
    "count must be a positive integer, got 0",
  );
});

/** What writes to the sink in one of its sinkForms. */
interface Writer {
  write(chunk: string): void;
  close(): void;
  abort(reason: Error): void;
}

const ignore = () => {};

const sinkForms: Record<string, (sink: TestSink<string>) => Writer> = {
  web: (sink) => {
    const writer = sink.writable.getWriter();
    writer.closed.catch(ignore);
    return {
      write: (chunk) => void writer.write(chunk).catch(ignore),
      close: () => void writer.close().catch(ignore),
      abort: (reason) => void writer.abort(reason),
    };
  },
  reader: (sink) => {
    const source = testSource<string>();
    sink.readFrom(source.readable);
    return {
      write: (chunk) => source.give(chunk),
      close: () => source.end(),
      abort: (reason) => source.fail(reason),
    };
  },
  iterable: (sink) => {
    const source = testSource<string>();
    sink.readFrom(source);
    return {
      write: (chunk) => source.give(chunk),
      close: () => source.end(),
      abort: (reason) => source.fail(reason),
    };
  },
  node: (sink) => {
    const writable = sink.toNode(Writable).on("error", ignore);
    return {
      write: (chunk) => void writable.write(chunk),
      close: () => void writable.end(),
      abort: (reason) => void writable.destroy(reason),
    };
  },
};

for (const [form, open] of Object.entries(sinkForms)) {
  test(`testSink() as ${form} takes what is requested, and gives it in order`, async () => {
    await using time = virtualTime();
    const sink = testSink<string>();
    const writer = open(sink);
    for (const chunk of ["a", "b", "c", "d"]) writer.write(chunk);
    await time.advance(0);
    assertEquals(sink.taken, []);
    sink.request(2);
    await time.advance(0);
    assertEquals(sink.taken, ["a", "b"]);
    assertEquals([await sink.next(), await sink.next()], ["a", "b"]);
    assertEquals(await Promise.all([sink.next(), sink.next()]), ["c", "d"]);
    writer.close();
    sink.request(1);
    await sink.closed;
    assertEquals([sink.state, sink.taken.length], ["closed", 4]);
    await sink.expectNothing();
  });

  test(`testSink() as ${form} that is aborted gives the very reason, and says so to what waits`, async () => {
    await using _time = virtualTime();
    const seen: unknown[] = [];
    const sink = testSink<string>({ abort: (reason) => void seen.push(reason) });
    const writer = open(sink);
    const reason = new Error("broken");
    writer.write("a");
    assertEquals(await sink.next(), "a");
    const next = sink.next();
    await Promise.resolve();
    writer.abort(reason);
    await assertRejects(() => next, Error, "chunk 2 at the sink, but it is aborted with Error: br");
    assertStrictEquals(await sink.aborted, reason);
    assertEquals(seen, [reason]);
    await assertRejects(() => sink.closed, Error, "to be closed, but it is aborted");
    assertThrows(() => sink.request(1), Error, "Cannot request: the sink is aborted");
  });

  test(`testSink() as ${form} has failed if what is to be done when it is closed fails`, async () => {
    await using _time = virtualTime();
    const reason = new Error("no room");
    const fail = () => Promise.reject(reason);
    const sink = testSink<string>({ requested: 5, close: fail, abort: fail });
    const writer = open(sink);
    writer.write("a");
    writer.close();
    await assertRejects(() => sink.closed, Error, "but it has failed with Error: no room");
    assertEquals([sink.state, sink.taken], ["failed", ["a"]]);
  });

  test(`testSink() as ${form} does what is to be done when it is closed`, async () => {
    await using _time = virtualTime();
    let closes = 0;
    const sink = testSink<string>({ requested: Infinity, close: () => void closes++ });
    const writer = open(sink);
    writer.write("a");
    writer.close();
    await sink.closed;
    assertEquals([closes, sink.taken], [1, ["a"]]);
    await assertRejects(() => sink.aborted, Error, "to be aborted, but it is closed");
    await assertRejects(
      async () => [await sink.next(), await sink.next()],
      Error,
      "but it is closed",
    );
  });
}

test("testSink() that fails fails the write that waits and the stream, undefined included", async () => {
  for (const reason of [undefined, new Error("full")]) {
    const sink = testSink<number>();
    const source = testSource<number>();
    const run = pipeline(source.readable, sink.writable);
    source.give(1, 2);
    await sink.next();
    await source.pulled(2);
    sink.fail(reason);
    assertEquals(await errorOf(run), [reason]);
    assertEquals(await source.cancelled, reason);
    assertEquals(sink.state, "failed");
    assertThrows(() => sink.fail(reason), Error, "Cannot fail: the sink has failed with");
  }
});

test("testSink() that fails cancels what it reads, also while it reads", async () => {
  const sink = testSink<number>();
  const source = testSource<number>();
  sink.readFrom(source.readable);
  sink.request(1);
  await source.pulled(1);
  sink.fail("enough");
  assertEquals(await source.cancelled, "enough");
  assertEquals(source.readable.locked, false);
});

test("testSink() as a Node stream fails with errors only, and destroys the stream", async () => {
  const sink = testSink<number>();
  const writable = sink.toNode(Writable);
  const reason = new Error("full");
  assertThrows(() => sink.fail(undefined), TypeError, "a Node stream fails with an Error only");
  assertEquals(sink.state, "open");
  const failed = new Promise((resolve) => writable.once("error", resolve));
  writable.write(1);
  sink.fail(reason);
  assertStrictEquals(await failed, reason);
});

test("testSink() reads nothing that is not requested", async () => {
  await using _time = virtualTime();
  const source = testSource<number>();
  const sink = testSink<number>();
  source.give(1, 2, 3);
  sink.readFrom(source);
  await source.expectNothing();
  sink.request(2);
  await source.pulled(2);
  await source.expectNothing();
  assertEquals(sink.taken, [1, 2]);
});

test("testSink() reads synchronous iterables and aborts where they throw", async () => {
  const reason = new Error("third");
  const sink = testSink<number>({ requested: 5 });
  sink.readFrom(function* () {
    yield* [1, 2];
    throw reason;
  }());
  assertStrictEquals(await sink.aborted, reason);
  assertEquals(sink.taken, [1, 2]);
});

test("testSink() ends between a chain of Node streams as well", async () => {
  const source = testSource<string>();
  const sink = testSink<string>({ requested: Infinity });
  source.toNode(Readable).pipe(sink.toNode(Writable));
  source.give("a", "b");
  source.end();
  await sink.closed;
  assertEquals(sink.taken, ["a", "b"]);
});

test("testSink() lets an abort through while a write waits", async () => {
  await using _time = virtualTime();
  const sink = testSink<number>();
  const writer = sink.writable.getWriter();
  const write = errorOf(writer.write(1));
  await sink.expectNothing().then(() => assert(false), ignore);
  await writer.abort("over");
  assertEquals(await sink.aborted, "over");
  assertEquals(await write, ["over"]);
  writer.closed.catch(ignore);
});

test("testSink() has marks of any size", async () => {
  await using time = virtualTime();
  const sink = testSink<string>({ highWaterMark: 6, size: (text) => text.length });
  const writer = sink.writable.getWriter();
  const { desiredSize } = writer;
  writer.write("abcd");
  assertEquals([desiredSize, writer.desiredSize], [6, 2]);
  await sink.next();
  await time.advance(0);
  assertEquals(writer.desiredSize, 6);
});

test("testSink() waits for a chunk as long as the clock moves, and fails in no real time", async () => {
  await using time = virtualTime();
  const controller = new AbortController();
  const sink = testSink<number>();
  const run = pipeline(interval(60_000), map((n) => n * 2), sink.writable, {
    signal: controller.signal,
  });
  assertEquals([await time.run(sink.next()), await time.run(sink.next())], [0, 2]);
  assertEquals(time.now, 120_000);
  const next = sink.next();
  await time.advance(60_000);
  assertEquals(await next, 4);
  await sink.expectNothing();
  controller.abort("over");
  assertEquals(await sink.aborted, "over");
  await errorOf(run);
  const error = await assertRejects(() => sink.next(), Error);
  assertEquals(error.message.split("\n"), [
    'Expected chunk 4 at the sink, but it is aborted with "over"',
    'sink, a WritableStream, mark 1: is aborted with "over", 0 requested',
    "  waits    ||",
    "  took     |0|2|4|",
    "  events   request 1 at 0 ms, write 0 at 60000 ms, request 1 at 60000 ms, " +
    "write 2 at 120000 ms, request 1 at 120000 ms, write 4 at 180000 ms, " +
    'aborted with "over" at 180000 ms',
  ]);
});

test("a call of next() that failed takes nothing from the next one", async () => {
  await using _time = virtualTime();
  const sink = testSink<number>();
  const source = testSource<number>();
  sink.readFrom(source);
  await assertRejects(() => sink.next(), Error, "chunk 1 at the sink, but nothing can move");
  source.give(1, 2);
  assertEquals([await sink.next(), await sink.next()], [1, 2]);
  assertEquals(source.pulls, 2);
});

test("expectNothing of testSink() notices what came, was not requested, or ended", async () => {
  await using _time = virtualTime();
  const sink = testSink<string>();
  const writer = sink.writable.getWriter();
  writer.write("a");
  await assertRejects(() => sink.expectNothing(), Error, 'but "a" waits to be requested');
  sink.request(1);
  await assertRejects(() => sink.expectNothing(), Error, 'but it took |"a"|');
  await sink.next();
  await sink.expectNothing();
  await writer.close();
  await assertRejects(() => sink.expectNothing(), Error, "but it is closed");
});

test("testSink() is one stream, and checks what it is given", async () => {
  const refused: [options: unknown, kind: typeof TypeError | typeof RangeError, words: string][] = [
    [5, TypeError, "options must be an object, got 5"],
    [{ request: 1 }, TypeError, 'unknown option "request"'],
    [{ requested: -1 }, RangeError, "requested must be a non-negative integer, got -1"],
    [{ highWaterMark: -1 }, RangeError, "highWaterMark must be a non-negative number, got -1"],
    [{ abort: 1 }, TypeError, "abort must be a function, got 1"],
    [{ limitMs: "1" }, TypeError, 'limitMs must be a positive integer, got "1"'],
  ];
  for (const [options, kind, words] of refused) {
    assertThrows(() => testSink(options as TestSinkOptions<unknown>), kind, words);
  }
  const sink = testSink<number>();
  assertThrows(
    () => sink.readFrom(5 as never),
    TypeError,
    "source must be a stream or an iterable",
  );
  assertThrows(() => sink.fail("early"), TypeError, "Cannot fail: nothing has the sink yet");
  assertThrows(
    () => sink.toNode(null as never),
    TypeError,
    "Writable must be a function, got null",
  );
  assertStrictEquals(sink.writable, sink.writable);
  assertThrows(() => sink.readFrom([]), TypeError, "as a reader: it is a WritableStream");
  assertThrows(() => sink.request(0), RangeError, "count must be a positive integer, got 0");
  await sink.writable.close();
});
