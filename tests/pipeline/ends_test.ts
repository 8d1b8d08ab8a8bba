import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { map } from "../../src/stages/map.ts";
import { pipeline } from "../../src/pipeline/pipeline.ts";

// The rows of the table "How a stream ends" in docs/errors.md.

type Controller = TransformStreamDefaultController<number>;

/** Three stages between a source and a sink of streams; everything that hears of an end says so. */
function logged(failing: {
  source?: number;
  stage?: (chunk: number, controller: Controller) => void;
  sink?: number;
  writeMs?: number;
}) {
  const log: string[] = [];
  const nameOf = (reason: unknown) =>
    reason instanceof TypeError ? "TypeError" : (reason as Error)?.message ?? String(reason);
  let next = 0;
  const source = new ReadableStream<number>({
    pull(controller) {
      if (next === failing.source) throw new Error("source");
      if (next < 5) controller.enqueue(next++);
      else controller.close();
    },
    cancel: (reason) => void log.push(`source cancel ${nameOf(reason)}`),
  }, { highWaterMark: 0 });
  const stage = (name: string, transform = (chunk: number, controller: Controller) => {
    controller.enqueue(chunk);
  }) => ({
    transform,
    flush: () => void log.push(`${name} flush`),
    cancel: (reason: unknown) => void log.push(`${name} cancel ${nameOf(reason)}`),
  });
  const sink = new WritableStream<number>({
    async write(chunk) {
      if (failing.writeMs) await new Promise((resolve) => setTimeout(resolve, failing.writeMs));
      if (chunk === failing.sink) throw new Error("sink");
      log.push(`write ${chunk}`);
    },
    close: () => void log.push("sink close"),
    abort: (reason) => void log.push(`sink abort ${nameOf(reason)}`),
  }, { highWaterMark: 4 });
  const run = (options = {}) =>
    pipeline(source, stage("a"), stage("b", failing.stage), stage("c"), sink, options);
  const ends = () => log.filter((entry) => !entry.startsWith("write"));
  const written = () => log.filter((entry) => entry.startsWith("write")).length;
  const free = () => [source.locked, sink.locked];
  return { run, ends, written, free };
}

test("pipeline flushes its stages one after the other, then closes the sink", async () => {
  const { run, ends, written, free } = logged({});
  await run();
  assertEquals([written(), ends()], [5, ["a flush", "b flush", "c flush", "sink close"]]);
  assertEquals(free(), [false, false]);
});

test("pipeline gives a source's failure to the stages one after the other, then to the sink", async () => {
  const { run, ends, written, free } = logged({ source: 3, writeMs: 2 });
  await assertRejects(run, Error, "source");
  assertEquals(written(), 3);
  assertEquals(ends(), [
    "a cancel source",
    "b cancel source",
    "c cancel source",
    "sink abort source",
  ]);
  assertEquals(free(), [false, false]);
});

test("pipeline gives a stage's failure to both sides, once what was made before is written", async () => {
  const { run, ends, written, free } = logged({
    writeMs: 2,
    stage(chunk, controller) {
      if (chunk === 2) throw new Error("stage");
      controller.enqueue(chunk);
    },
  });
  await assertRejects(run, Error, "stage");
  assertEquals(written(), 2);
  assertEquals(ends().toSorted(), [
    "a cancel stage",
    "c cancel stage",
    "sink abort stage",
    "source cancel stage",
  ]);
  assertEquals(free(), [false, false]);
});

test("pipeline cancels what is before a stage that ends early, and flushes what is after it", async () => {
  const { run, ends, written, free } = logged({
    writeMs: 2,
    stage(chunk, controller) {
      controller.enqueue(chunk);
      if (chunk === 1) controller.terminate();
    },
  });
  await run();
  assertEquals(written(), 2);
  assertEquals(ends().toSorted(), [
    "a cancel TypeError",
    "c flush",
    "sink close",
    "source cancel TypeError",
  ]);
  assertEquals(free(), [false, false]);
});

test("pipeline gives a sink's failure to the stages, the last first, then to the source", async () => {
  const { run, ends, free } = logged({ sink: 1 });
  await assertRejects(run, Error, "sink");
  assertEquals(ends(), ["c cancel sink", "b cancel sink", "a cancel sink", "source cancel sink"]);
  assertEquals(free(), [false, false]);
});

test("pipeline gives a signal's reason to all at once", async () => {
  const { run, ends, free } = logged({ writeMs: 2 });
  const stop = new AbortController();
  const result = run({ signal: stop.signal });
  stop.abort(new Error("signal"));
  await assertRejects(() => result, Error, "signal");
  assertEquals(ends().toSorted(), [
    "a cancel signal",
    "b cancel signal",
    "c cancel signal",
    "sink abort signal",
    "source cancel signal",
  ]);
  assertEquals(free(), [false, false]);
});

test("pipeline leaves open what it is asked to leave open, and lets go of it", async () => {
  const failing = logged({ source: 1 });
  await assertRejects(() => failing.run({ preventAbort: true }), Error, "source");
  assertEquals(failing.ends(), ["a cancel source", "b cancel source", "c cancel source"]);
  const ending = logged({});
  await ending.run({ preventClose: true });
  assertEquals(ending.ends(), ["a flush", "b flush", "c flush"]);
  const refused = logged({ sink: 1 });
  await assertRejects(() => refused.run({ preventCancel: true }), Error, "sink");
  assertEquals(refused.ends(), ["c cancel sink", "b cancel sink", "a cancel sink"]);
  assertEquals([failing, ending, refused].map(({ free }) => free()), [
    [false, false],
    [false, false],
    [false, false],
  ]);
});

test("a start that throws fails the run and closes no sink, though it ended its stream before", async () => {
  for (const endsBefore of [0, 1]) {
    const seen: string[] = [];
    const stages = [
      { start: (controller: Controller) => controller.terminate() },
      {
        start(controller: Controller) {
          if (endsBefore === 0) controller.terminate();
          throw new Error("no start");
        },
      },
    ].slice(1 - endsBefore);
    const source = new ReadableStream({ cancel: (reason) => void seen.push(`cancel ${reason}`) });
    const sink = new WritableStream({
      close: () => void seen.push("close"),
      abort: (reason) => void seen.push(`abort ${reason}`),
    });
    await assertRejects(() => pipeline(source, ...stages as [], sink), Error, "no start");
    assertEquals(seen.at(-1), "abort Error: no start");
    assertEquals([seen.length, source.locked, sink.locked], [2, false, false]);
  }
});

test("a sink that refuses what a start gives is what the run fails with", async () => {
  const failure = new Error("refused");
  const written: number[] = [];
  const sink = (n: number) => {
    written.push(n);
    throw failure;
  };
  for (const before of [[], [{}]]) {
    const stages = [...before, { start: (controller: Controller) => controller.enqueue(0) }];
    const run = () => pipeline([1], ...stages as unknown as [], sink);
    assertEquals(await assertRejects(run), failure);
  }
  assertEquals(written, [0, 0]);
});

test("a stage whose start threw can give nothing afterwards, and hears so", async () => {
  const controllers: Controller[] = [];
  const keep = { start: (controller: Controller) => void controllers.push(controller) };
  const failing = {
    start(controller: Controller) {
      controllers.push(controller);
      throw new Error("no start");
    },
  };
  const written: number[] = [];
  const run = () => pipeline([1], keep, failing, keep, (n: number) => void written.push(n));
  await assertRejects(run, Error, "no start");
  assertEquals(controllers.length, 2);
  for (const controller of controllers) {
    assertThrows(() => controller.enqueue(2), TypeError, "Cannot enqueue");
  }
  assertEquals(written, []);
});

test("a sink's failure ends a run whose generator hangs in its next, and waits for no return", async () => {
  let fail: (reason: unknown) => void = () => {};
  const sink = new WritableStream<number>({
    start: (controller) => void (fail = (reason) => controller.error(reason)),
    write: (n) => {
      if (n === 1) setTimeout(() => fail(new Error("full")), 0);
    },
  });
  async function* numbers() {
    yield 1;
    await new Promise(() => {});
    yield 2;
  }
  await assertRejects(() => pipeline(numbers(), sink), Error, "full");
  assertEquals(sink.locked, false);
});

test("an iterator that has failed is not closed: it has ended by itself", async () => {
  for (const isAsync of [false, true]) {
    for (const stages of [[], [map((n: number) => n)]]) {
      let returns = 0;
      const reason = new Error("why");
      const iterator = {
        next() {
          if (isAsync) return Promise.reject(reason);
          throw reason;
        },
        return: () => ({ done: true, value: ++returns }),
      };
      const key = isAsync ? Symbol.asyncIterator : Symbol.iterator;
      const source = { [key]: () => iterator } as unknown as Iterable<number>;
      const ends = [() => {}, () => new WritableStream<number>()] as const;
      for (const sink of [ends[0], ends[1]()]) {
        const run = pipeline(source, ...stages as [], sink as () => void);
        assertEquals(await run.catch((error) => error), reason);
      }
      assertEquals(returns, 0, `asynchronous: ${isAsync}, ${stages.length} stages`);
    }
  }
});
