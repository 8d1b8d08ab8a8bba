import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { Duplex, PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import { pipeline, reader, toNode, transformer, writer } from "@hosepipe/streams/node";
import { map } from "../../src/stages/map.ts";
import { take } from "../../src/stages/take.ts";
import { reasons, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

const addOne: Transformer<number, number> = {
  transform: (chunk, controller) => controller.enqueue(chunk + 1),
};

test("runs sources, dictionaries, functions and any node stream", async () => {
  const written: number[] = [];
  const sink = (chunk: number): void => void written.push(chunk);
  await pipeline([1, 2], addOne, addOne, sink);
  await pipeline(Readable.from([3]), new PassThrough({ objectMode: true }), writer(sink));
  await pipeline(reader([4]), transformer(addOne), sink, {});
  assertEquals(written, [3, 4, 3, 5]);
});

test("an aborted signal destroys every stream with its reason", async () => {
  for (const reason of [new Error("enough"), "enough", 0]) {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      const told: unknown[] = [];
      if (isEarly) controller.abort(reason);
      const run = rejection(
        pipeline(
          reader((_, { signal }) => {
            signal.addEventListener("abort", () => told.push(signal.reason));
            return new Promise<never>(() => {});
          }),
          { cancel: (value) => void told.push(value) },
          writer(() => {}, { abort: (value) => void told.push(value) }),
          { signal: controller.signal },
        ),
      );
      await settle();
      controller.abort(reason);
      assertStrictEquals((await run).reason, reason);
      // A source that was never asked was never given its signal.
      assertEquals(told, isEarly ? [reason, reason] : [reason, reason, reason]);
    }
  }
});

test("rejects what it cannot use, by its place, before anything is touched", async () => {
  const sink = (): void => {};
  const duplex = new PassThrough();
  const web = new TransformStream();
  const ended = new PassThrough().end();
  const stage = (part: unknown, problem: string): [unknown[], string] => [
    [[1], {}, part, sink],
    `Cannot run pipeline: stage 2 is ${problem}`,
  ];
  const cases: [unknown[], string][] = [
    [[[1]], "Cannot run pipeline: it takes a source and a sink at least"],
    [[], "Cannot run pipeline: it takes a source and a sink at least"],
    [
      [5, sink],
      "Cannot run pipeline: source must be a node Readable or what reader() reads, got 5",
    ],
    [[new Writable(), sink], "source must be a node Readable or what reader() reads"],
    [[[1], 5], "Cannot run pipeline: sink must be a node Writable or a function, got 5"],
    [[[1], {}], "Cannot run pipeline: sink must be a node Writable or a function"],
    [[[1], Readable.from([])], "sink must be a node Writable or a function"],
    [[[1], web.writable], "Cannot run pipeline: sink is a Web stream; use toNode(stream)"],
    [[[1], sink, { abort: 1 }], 'Cannot run pipeline: unknown option "abort"'],
    [[[1], sink, { signal: 1 }], "signal must be an AbortSignal, got 1"],
    [[duplex, duplex, sink], "Cannot run pipeline: a stream stands in it twice"],
    stage((chunk: unknown) => chunk, "a function; wrap it, as in map(fn)"),
    stage(map, "a function; wrap it, as in map(fn)"),
    stage([{}], "an array"),
    [[[1], ended], "Cannot run pipeline: sink has ended and takes no more"],
    [[[1], {}, ended, sink], "Cannot run pipeline: stage 2 has ended and takes no more"],
    [[[1], writer(sink).end().destroy()], "Cannot run pipeline: sink has ended and takes no more"],
    [
      [[1], transformer(take(0)).destroy(), sink],
      "Cannot run pipeline: stage 1 has ended and takes no more",
    ],
    stage("text", '"text", not a stage'),
    stage(null, "null, not a stage"),
    stage(5, "5, not a stage"),
    stage(Promise.resolve({}), "a promise; await it"),
    stage(
      { tranform: sink },
      "an object with tranform; a transformer has start, transform, flush or cancel",
    ),
    stage(web.readable, "a Web stream; use toNode(stream)"),
    stage(web, "a Web stream; use toNode(stream)"),
    stage(Readable.from([]), "a Readable; only the first part is a source"),
    stage(new Writable(), "a Writable; only the last part is a sink"),
  ];
  for (const [parts, message] of cases) {
    let isTouched = false;
    const source = { [Symbol.iterator]: () => (isTouched = true, [][Symbol.iterator]()) };
    const all = Array.isArray(parts[0]) ? [source, ...parts.slice(1)] : parts;
    // A promise also of what cannot begin: to call it never throws.
    const run: Promise<unknown> = (pipeline as (...parts: unknown[]) => Promise<unknown>)(...all);
    await assertRejects(() => run, TypeError, message);
    assertEquals([isTouched, web.readable.locked, web.writable.locked], [false, false, false]);
  }
});

test("a dictionary whose start throws fails the run, and destroys what was made before it", async () => {
  for (const reason of reasons) {
    const told: unknown[] = [];
    const run = pipeline(
      [1],
      { cancel: (value) => void told.push(value) },
      {
        start() {
          throw reason;
        },
      },
      () => {},
    );
    assertStrictEquals((await rejection(run)).reason, reason);
    assertEquals(told, [reason]);
  }
});

test("a signal ends what hangs, within a turn, and tells every stage", async () => {
  const hang = (): Promise<never> => new Promise(() => {});
  const endless = () => new Readable({ objectMode: true, read() {} });
  const shapes: Record<string, Parameters<typeof pipeline>> = {
    "a source function": [hang, () => {}],
    "an async generator": [
      (async function* () {
        yield await hang();
      })(),
      () => {},
    ],
    "a transform": [[1], { transform: hang }, () => {}],
    "a flush": [[1], { flush: hang }, () => {}],
    "a start": [[1], { start: hang }, () => {}],
    "a cancel": [endless(), { cancel: hang }, () => {}],
    "a write": [[1], hang],
    "a close": [[1], writer(() => {}, { close: hang })],
    "an abort": [endless(), writer(() => {}, { abort: hang })],
    "a node destroy": [new Readable({ read() {}, destroy() {} }), () => {}],
    "a node write": [[1], new Writable({ objectMode: true, write() {} })],
    "a Web source": [toNode(new ReadableStream({ pull: hang, cancel: hang })), () => {}],
    "a Web sink": [[1, 2, 3], toNode(new WritableStream({ write: hang, abort: hang }))],
    "a Web pair": [[1], toNode(new TransformStream({ transform: hang })), () => {}],
  };
  for (const [name, parts] of Object.entries(shapes)) {
    const controller = new AbortController();
    const reason = new Error(name);
    let isOver = false;
    const run = rejection(pipeline(...parts, { signal: controller.signal })).then((rejected) => {
      isOver = true;
      return rejected;
    });
    await settle();
    assertEquals(isOver, false, name);
    controller.abort(reason);
    await settle();
    assertEquals(isOver, true, name);
    assertStrictEquals((await run).reason, reason, name);
  }
});

test("only the sides that are piped count: a Duplex is a source or a sink by one of them", async () => {
  const source = new PassThrough({ objectMode: true, allowHalfOpen: true });
  const half = new Duplex({
    objectMode: true,
    read() {
      this.push(1);
      this.push(null);
    },
    write: (_chunk, _encoding, done) => done(),
  });
  const written: unknown[] = [];
  await pipeline(half, (chunk) => void written.push(chunk));
  assertEquals([written, half.writableEnded], [[1], false]);
  const sink = new Duplex({
    objectMode: true,
    read() {},
    write: (chunk, _encoding, done) => {
      written.push(chunk);
      done();
    },
  });
  await pipeline([2], sink);
  assertEquals([written, sink.readableEnded], [[1, 2], false]);
  for (const stream of [source, half, sink]) stream.destroy();
});

test("a stage that ended before it began is a success, and a readable that has ended is a source", async () => {
  const written: unknown[] = [];
  const sink = (chunk: unknown): void => void written.push(chunk);
  await pipeline([1, 2], transformer(take(0)), sink);
  const ended = new PassThrough({ objectMode: true });
  ended.end(3);
  await pipeline(ended, sink);
  assertEquals(written, [3]);
});

test("it waits for both sides of a stage, and the first failure is the run's", async () => {
  let isFinal = false;
  const early = new Duplex({
    objectMode: true,
    read() {
      this.push(null);
    },
    write: (_chunk, _encoding, done) => done(),
    final(done) {
      settle().then(() => {
        isFinal = true;
        done();
      });
    },
  });
  await pipeline([1], early, () => {});
  assertEquals(isFinal, true);
  const failing = new Writable({
    objectMode: true,
    write: (_chunk, _encoding, done) => done(),
    destroy: (_error, done) => done(new Error("clean-up")),
  });
  const run = pipeline(
    [1],
    {
      transform() {
        throw "first";
      },
    },
    failing,
  );
  assertEquals((await rejection(run)).reason, "first");
});

test("a source that never says that it is closed is given up by a stage that needs no more", async () => {
  for (const emitClose of [true, false]) {
    const source = new Readable({ objectMode: true, emitClose, read() {} });
    source.push(1);
    const written: unknown[] = [];
    await pipeline(source, transformer(take(1)), (chunk) => void written.push(chunk));
    assertEquals([written, source.destroyed], [[1], true]);
  }
});

test("a stage that others end fails the run, also where its source stands still", async () => {
  const stage = new PassThrough({ objectMode: true });
  const run = pipeline(new Readable({ objectMode: true, read() {} }), stage, () => {});
  await settle();
  stage.end();
  const { reason } = await rejection(run);
  assertEquals((reason as { code: string }).code, "ERR_STREAM_PREMATURE_CLOSE");
});
