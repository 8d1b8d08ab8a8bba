import { assertEquals } from "@std/assert";
import { Readable, Transform, Writable } from "node:stream";
import { test } from "node:test";
import type { ProbeBuffer } from "@hosepipe/streams/inspect";
import { probe } from "@hosepipe/streams/node";
import { addObserver } from "../../src/inspect/observe.ts";
import { recorderOf } from "../../src/inspect/recorder.ts";
import { noChunk } from "../../src/inspect/stage_record.ts";
import { loads, shown } from "../inspect/_by_hand.ts";
import { settle } from "./virtual_clock.ts";

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
  const ends: Record<string, (look: ReturnType<typeof probe>) => void> = {
    reader: (look) => {
      const source = new Readable({ objectMode: true, highWaterMark: 2, read() {} });
      look.reader(source);
      for (const chunk of [1, 2, 3]) source.push(chunk);
    },
    writer: (look) => {
      const sink = new Writable({ objectMode: true, highWaterMark: 4, write() {} });
      look.writer(sink);
      for (const chunk of [1, 2, 3]) sink.write(chunk);
    },
  };
  const shown: Record<string, unknown> = {};
  for (const [name, make] of Object.entries(ends)) {
    const look = probe();
    make(look);
    await settle();
    const [{ count, size, highWaterMark, desiredSize }] = look.buffers() as [ProbeBuffer];
    const { readerOut, writerIn, writing } = look.occupancy();
    shown[name] = { count, size, highWaterMark, desiredSize, readerOut, writerIn, writing };
  }
  assertEquals(shown, {
    reader: {
      ...{ count: 3, size: 3, highWaterMark: 2, desiredSize: -1 },
      ...{ readerOut: 3, writerIn: 0, writing: 0 },
    },
    writer: {
      ...{ count: 2, size: 2, highWaterMark: 4, desiredSize: 1 },
      ...{ readerOut: 0, writerIn: 2, writing: 1 },
    },
  });
});

test("node streams: a quick write that is not measured has its times, too", async () => {
  const { now: real } = performance;
  performance.now = () => 100;
  try {
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
  } finally {
    performance.now = real;
  }
});
