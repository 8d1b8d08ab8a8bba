import { assertEquals, assertThrows } from "@std/assert";
import { Readable, Transform, Writable } from "node:stream";
import { test } from "node:test";
import { probe, reader, transformer, writer } from "@hosepipe/streams/node";
import { assertConserved, loads, shown } from "../inspect/_by_hand.ts";
import { settle, VirtualClock } from "./virtual_clock.ts";
import type { ProbeBuffer } from "@hosepipe/streams/inspect";
import { addObserver } from "../../src/inspect/observe.ts";
import { recorderOf } from "../../src/inspect/create_output.ts";
import { noChunk } from "../../src/inspect/stage_record.ts";
import { reasons } from "./errors.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

test("overlapping writes are seen by the function, the buffer by the stream made of it", async () => {
  const clock = new VirtualClock();
  const look = probe();
  const source = look.reader(reader([1, 2, 3, 4, 5, 6, 7], { highWaterMark: 2 }));
  let closed = 0;
  const sink = look.writer({ write: () => clock.sleep(5), close: () => void closed++ });
  const stream = look.writer(writer(sink.write, {
    highWaterMark: 2,
    concurrency: 3,
    close: sink.close,
  }));
  source.pipe(stream);
  await settle();
  assertEquals([look.occupancy().writing, look.occupancy().writerIn], [3, 1]);
  assertEquals(look.buffers()[1], {
    ...{ stage: "writer", kind: "writerIn", count: 1, size: 1, highWaterMark: 2 },
    desiredSize: 0,
  });
  await clock.run();
  assertEquals(assertConserved(look.events()), 7);
  assertEquals([look.occupancy().written, closed], [7, 1]);
  assertEquals(look.events().at(-1)!.event, "final");
});

test("what a node stream that is destroyed still has is nowhere", async () => {
  for (const hasEnded of [false, true]) {
    const look = probe();
    const source = look.reader(
      new Readable({ objectMode: true, highWaterMark: 5, read() {} }),
    );
    for (let n = 0; n < 4; n++) source.push(n);
    if (hasEnded) source.push(null);
    const sink = look.writer(
      new Writable({ objectMode: true, highWaterMark: 5, write: () => {} }),
    );
    for (let n = 0; n < 3; n++) sink.write(n);
    await settle();
    const waiting = () => look.buffers().map(({ count }) => count);
    assertEquals(waiting(), [4, 2]);
    assertEquals(look.occupancy().writerIn, 2);
    source.destroy();
    sink.destroy();
    await settle();
    assertEquals(waiting(), [0, 0]);
    assertEquals([look.occupancy().readerOut, look.occupancy().writerIn], [0, 0]);
  }
});

test("what is no node stream is refused", () => {
  const message = "must be a node Readable, got an object";
  assertThrows(
    () => probe().reader({} as never),
    TypeError,
    `Cannot probe reader: the stage ${message}`,
  );
  assertThrows(() => probe().transformer(new Writable() as never), TypeError, "a node Transform");
  assertThrows(() => probe().writer({} as never), TypeError, "a node Writable, a function");
  assertThrows(
    () => probe().writer(new Writable(), { nam: 1 } as never),
    TypeError,
    "unknown option",
  );
});

type Done = (error?: Error | null, value?: unknown) => void;

/** Node streams in a probe that do nothing by themselves, and a clock that goes when it is asked to. */
function driven() {
  let nowMs = 100;
  const look = probe({ now: () => nowMs, identify: (chunk) => `<${chunk}>` });
  const transforms: Done[] = [];
  const writes: Done[] = [];
  const flushes: Done[] = [];
  const finals: Done[] = [];
  const source = look.reader(new Readable({ objectMode: true, highWaterMark: 2, read() {} }));
  const stage = look.transformer(
    new Transform({
      objectMode: true,
      ...{ writableHighWaterMark: 2, readableHighWaterMark: 1 },
      transform: (_chunk, _encoding, done) => void transforms.push(done),
      flush: (done) => void flushes.push(done),
    }),
  );
  const sink = look.writer(
    new Writable({
      ...{ objectMode: true, highWaterMark: 2 },
      write: (_chunk, _encoding, done) => void writes.push(done),
      final: (done) => void finals.push(done),
    }),
  );
  return {
    ...{ look, source, stage, sink, transforms, writes, flushes, finals },
    work: (ms: number) => void (nowMs += ms),
  };
}

test("node streams: each event of a run by hand, what it learned, and where every chunk was then", async () => {
  const { look, source, stage, sink, transforms, writes, flushes, finals, work } = driven();
  work(2);
  source.push(1);
  source.push(2);
  await settle();
  stage.write(source.read());
  await settle();
  work(3);
  transforms.shift()!(null, 10);
  await settle();
  work(7);
  stage.write(source.read());
  await settle();
  sink.write(stage.read());
  await settle();
  work(5);
  writes.shift()!();
  await settle();
  source.push(null);
  source.read();
  await settle();
  work(1);
  transforms.shift()!();
  await settle();
  stage.end();
  await settle();
  flushes.shift()!();
  await settle();
  sink.end();
  await settle();
  finals.shift()!();
  await settle();
  assertEquals(shown(look), [
    "2 reader read, <1>, room 1, goes on, 1000000",
    "2 reader read, <2>, room 0, waits, 2000000",
    "2 reader backpressure, 2000000",
    "2 reader drain, 2000000",
    "2 transformer transform, <1>, room 0, waits, took 3, 1010000",
    "5 transformer backpressure, 1001000",
    // A stage whose outgoing buffer is full takes no chunk in hand until it is read from.
    "12 transformer drain, 0101000",
    "12 transformer transform, <2>, took 6, 0011000",
    "12 writer write, <10>, took 5, 0010010",
    "17 writer written, <10>, 0010001",
    "17 reader end, 0010001",
    "18 transformer final, 0000001",
    "18 writer final, 0000001",
  ]);
  // There is room for three chunks before the stage, and for two before the sink.
  assertEquals(loads(look, 18 * 6), [
    "reader worked 0, before it none, after it 20",
    "transformer worked 54, before it 20, after it 21",
    "writer worked 30, before it 21, after it none",
  ]);
});

test("node streams: a transform or write that fails is over, and so is what calls back at once", async () => {
  const reason = new Error("why");
  for (const isLate of [false, true]) {
    for (const failure of [undefined, null, reason]) {
      let nowMs = 0;
      const look = probe({ now: () => nowMs });
      const answer = (done: Done) => {
        const finish = () => {
          nowMs += 2;
          done(failure, failure ? undefined : 1);
        };
        if (isLate) setImmediate(finish);
        else finish();
      };
      const stage = look.transformer(
        new Transform({ objectMode: true, transform: (_chunk, _encoding, done) => answer(done) }),
      );
      const sink = look.writer(
        new Writable({ objectMode: true, write: (_chunk, _encoding, done) => answer(done) }),
      );
      for (const stream of [stage, sink]) {
        stream.on("error", () => {});
        stream.write(1);
        await settle();
      }
      nowMs += 4;
      const { transforming, transformerOut, writing } = look.occupancy();
      assertEquals([transforming, transformerOut, writing], [0, failure ? 0 : 1, 0]);
      const names = look.events().filter(({ event }) => event !== "backpressure").map((
        { stage, event, durationMs },
      ) => `${stage} ${event} ${durationMs ?? ""}`.trim());
      assertEquals(names, [
        ...["transformer transform 2", ...(failure ? ["transformer error"] : [])],
        ...["writer write 2", failure ? "writer error" : "writer written"],
      ]);
      // What failed is over; what has not may go on, and has rested for 4 ms.
      assertEquals(loads(look, failure ? 4 : 8), [
        "transformer worked 2, before it none, after it 0",
        "writer worked 2, before it 0, after it none",
      ]);
    }
  }
});

test("node streams: a flush that fails or gives a last chunk is passed on, and one that ends is the end", async () => {
  for (const failure of [null, new Error("why")]) {
    const look = probe();
    const stage = look.transformer(
      new Transform({
        objectMode: true,
        flush: (done) => done(failure, failure ? undefined : "last"),
      }),
    );
    const errors: unknown[] = [];
    const chunks: unknown[] = [];
    stage.on("error", (error) => errors.push(error)).on("data", (chunk) => chunks.push(chunk));
    stage.end();
    await settle();
    assertEquals([errors, chunks], failure ? [[failure], []] : [[], ["last"]]);
    assertEquals(look.events().map(({ event }) => event), [failure ? "error" : "final"]);
  }
});

test("node streams: where chunks are watched, the last of each stage is remembered, and times are noted", async () => {
  const { look, source, stage, sink, work } = driven();
  const recorder = recorderOf("test", look);
  const unwatched = driven();
  unwatched.source.push("a");
  unwatched.stage.write(unwatched.source.read());
  unwatched.sink.write("a");
  for (const { lastChunk } of recorderOf("test", unwatched.look).stages) {
    assertEquals(lastChunk, noChunk);
  }
  recorder.chunkWatchers = 1;
  const seen: string[] = [];
  const note = (kind: string) => ({ name }: { name: string }, ms: number) =>
    void seen.push(`${name} ${kind} ${ms}`);
  const stop = addObserver(recorder, { waited: note("waited"), worked: note("worked") });
  source.push("a");
  work(3);
  stage.write(source.read());
  stage.push("b");
  work(4);
  sink.write(stage.read());
  await settle();
  assertEquals(recorder.stages.map(({ lastChunk }) => lastChunk), [
    "a",
    "a",
    "b",
  ]);
  assertEquals(seen.filter((text) => text.includes("waited")), [
    "transformer waited 3",
    "writer waited 4",
  ]);
  // What was given while the times were noted may be begun when they no longer are.
  stage.push("c");
  stop();
  sink.write(stage.read());
  assertEquals(recorder.stages.at(-1)!.lastChunk, "b");
});

test("node streams: the buffers of one that is watched alone are read off it", async () => {
  const looks = [probe(), probe()] as const;
  const source = new Readable({ objectMode: true, highWaterMark: 2, read() {} });
  const sink = new Writable({ objectMode: true, highWaterMark: 4, write() {} });
  looks[0].reader(source);
  looks[1].writer(sink);
  for (const chunk of [1, 2, 3]) {
    source.push(chunk);
    sink.write(chunk);
  }
  await settle();
  const shown = looks.map((look) => {
    const [{ count, size, highWaterMark, desiredSize }] = look.buffers() as [ProbeBuffer];
    const { readerOut, writerIn, writing } = look.occupancy();
    return [count, size, highWaterMark, desiredSize, readerOut, writerIn, writing];
  });
  assertEquals(shown, [[3, 3, 2, -1, 3, 0, 0], [2, 2, 4, 1, 0, 2, 1]]);
});

test("node streams: a quick write that is not measured has its times, too", () =>
  withStoppedClock(async () => {
    const look = probe();
    const sink = look.writer(
      new Writable({ objectMode: true, write: (_chunk, _encoding, done) => done() }),
    );
    for (const chunk of [1, 2, 3]) sink.write(chunk);
    await settle();
    assertEquals(
      look.events().map(({ event, timeMs, durationMs }) => [event, timeMs, durationMs]),
      // The first of all is measured.
      [0, undefined, undefined].flatMap((durationMs) => [
        ["write", 0, durationMs],
        ["written", 0, undefined],
      ]),
    );
  }));

type Look = ReturnType<typeof probe>;

function eventsOf(look: Look, ...names: string[]): string[] {
  return look.events()
    .filter(({ event }) => names.includes(event))
    .map(({ stage, event, reason }) =>
      reason === undefined ? `${stage} ${event}` : `${stage} ${event} ${reason}`
    );
}

test("a sink that is watched by its function and its stream drains, too", async () => {
  const clock = new VirtualClock();
  const look = probe();
  const sink = look.writer({ write: () => clock.sleep(1) });
  const stream = look.writer(writer(sink.write, { highWaterMark: 1, concurrency: 2 }));
  reader([1, 2, 3, 4, 5]).pipe(stream);
  await clock.run();
  const events = eventsOf(look, "backpressure", "drain");
  // The last one is told to pause, and then to end.
  assertEquals(events, [
    ...Array(3).fill(["writer backpressure", "writer drain"]).flat(),
    "writer backpressure",
  ]);
});

/** What is watched, of which a method may fail. */
const makers: Record<string, (look: Look, method?: () => never) => Readable | Writable> = {
  reader: (look, read) => look.reader(reader(read ?? (() => [1]))),
  transformer: (look, transform) => look.transformer(transformer({ transform })),
  writer: (look, write) => look.writer(writer(write ?? (() => {}))),
};

for (const [name, make] of Object.entries(makers)) {
  test(`a ${name} that fails or is given up says so once, with the very reason where there is one`, async () => {
    for (const reason of reasons) {
      const failing = probe();
      const stream = make(failing, () => {
        throw reason;
      }).on("error", () => {});
      if ("write" in stream) stream.write(1);
      else stream.resume();
      await settle();
      assertEquals(eventsOf(failing, "cancel", "error"), [`${name} error ${String(reason)}`]);
      // Node takes a falsy reason for none.
      const given = reason ? reason as Error : undefined;
      const look = probe();
      make(look).on("error", () => {}).destroy(given).destroy(new Error("later"));
      await settle();
      const event = given === undefined ? "cancel" : "error";
      assertEquals(eventsOf(look, "cancel", "error"), [`${name} ${event} ${given}`]);
    }
  });
}

test("a stream that has ended has neither failed nor been given up", async () => {
  const look = probe();
  const source = look.reader(reader([1, 2]));
  const stage = look.transformer(transformer({}));
  const sink = look.writer(writer(() => {}));
  source.pipe(stage).pipe(sink);
  await new Promise((resolve) => sink.on("close", resolve));
  assertEquals(eventsOf(look, "cancel", "error", "end", "final"), [
    "reader end",
    "transformer final",
    "writer final",
  ]);
  for (const stream of [source, stage, sink]) stream.destroy();
  await settle();
  assertEquals(eventsOf(look, "cancel", "error"), []);
});

test("watching adds no listener that outlasts the stream, and runs before the stream's own", async () => {
  const look = probe();
  const order: string[] = [];
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void setImmediate(done),
  });
  stream.on("drain", () => order.push(`drain, told ${eventsOf(look, "drain").length}`));
  stream.on("finish", () => order.push(`finish, told ${eventsOf(look, "final").length}`));
  look.writer(stream);
  stream.write(1);
  await new Promise((resolve) => stream.once("drain", resolve));
  stream.end();
  await new Promise((resolve) => stream.once("close", resolve));
  assertEquals(order, ["drain, told 1", "finish, told 1"]);
  assertEquals(["finish", "error", "close"].map((event) => stream.listenerCount(event)), [1, 0, 0]);
});

test("many writes that last are work from their begin to their callback", async () => {
  let nowMs = 0;
  let finish: Done = () => {};
  const look = probe({ now: () => nowMs });
  const stream = look.writer(
    new Writable({
      objectMode: true,
      write: (_chunk, _encoding, done) => finish = done,
      writev: (_chunks: unknown, done: Done) => finish = done,
    }),
  );
  for (let round = 0; round < 2; round++) {
    for (const chunk of [1, 2, 3]) stream.write(chunk);
    // The first by itself, the others together.
    for (let calls = 0; calls < 2; calls++) {
      nowMs += 15;
      finish();
      await settle();
    }
    nowMs += 10;
  }
  assertEquals(look.occupancy().written, 6);
  assertEquals(look.bottleneck().stages[0]!.busyShare, 60 / 80);
});

test("a writer that ends by a function of its own has ended when that calls back, unless it fails", async () => {
  for (const failure of [undefined, new Error("why")]) {
    const look = probe();
    let finish: Done = () => {};
    const stream = look.writer(
      new Writable({ write: (_chunk, _encoding, done) => done(), final: (done) => finish = done }),
    ).on("error", () => {});
    const ends = () => eventsOf(look, "final", "error");
    let then: string[] = [];
    stream.on("prefinish", () => then = ends());
    stream.end();
    await settle();
    assertEquals(ends(), []);
    finish(failure);
    await settle();
    if (failure === undefined) assertEquals(then, ["writer final"]);
    assertEquals(ends(), [failure === undefined ? "writer final" : "writer error Error: why"]);
  }
});
