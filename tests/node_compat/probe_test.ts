import { assertEquals, assertThrows } from "@std/assert";
import fastCheck from "fast-check";
import { Readable, Transform, Writable } from "node:stream";
import { test } from "node:test";
import { probe, reader, writer } from "@hosepipe/streams/node";
import { assertConserved } from "../inspect/_conservation.ts";
import { settle, VirtualClock } from "./virtual_clock.ts";

interface Program {
  messages: number;
  batchSize: number;
  /** Of reader, transformer in, transformer out and writer. */
  marks: [number, number, number, number];
  transformDelay: number;
  writeDelay: number;
  givesByCallback: boolean;
  writesMany: boolean;
  hasWriter: boolean;
  isProbed: boolean;
}

type Callback = (error?: Error | null, value?: unknown) => void;

/** Runs hand-written streams; logs what they do by themselves, and the events of a probe. */
async function run(program: Program) {
  const { marks: [readerMark, inMark, outMark, writerMark], messages, batchSize } = program;
  const log: string[] = [];
  const clock = new VirtualClock();
  const later = (delay: number, then: () => void) =>
    delay === 0 ? then() : clock.after(delay, then);
  let read = 0;

  class Reader extends Readable {
    override _read() {
      for (let count = 0; count < batchSize; count++) {
        if (read === messages) return void this.push(null);
        log.push(`push ${++read}`);
        log.push(`${this.push(read)}`);
      }
    }
  }
  class Stage extends Transform {
    override _transform(chunk: number, _encoding: string, callback: Callback) {
      log.push(`transform ${chunk}`);
      later(program.transformDelay, () => {
        if (program.givesByCallback) return callback(null, chunk);
        log.push(`gave ${chunk} ${this.push(chunk)}`);
        callback();
      });
    }
  }
  const write = (chunk: number, callback: Callback) => {
    log.push(`write ${chunk}`);
    later(program.writeDelay, () => {
      log.push(`written ${chunk}`);
      callback();
    });
  };
  const source = new Reader({ objectMode: true, highWaterMark: readerMark });
  const stage = new Stage({
    objectMode: true,
    writableHighWaterMark: inMark,
    readableHighWaterMark: outMark,
  });
  const sink = new Writable({
    objectMode: true,
    highWaterMark: writerMark,
    write: (chunk, _encoding, callback) => write(chunk, callback),
    ...(program.writesMany
      ? {
        writev: (chunks: { chunk: unknown }[], callback: Callback) => {
          log.push(`write ${chunks.length} at once`);
          later(program.writeDelay, callback);
        },
      }
      : {}),
  });
  for (const [name, stream] of Object.entries({ source, stage, sink })) {
    for (const event of ["end", "finish", "close", "drain", "pause", "resume"]) {
      stream.on(event, () => log.push(`${name} ${event}`));
    }
  }
  const look = probe();
  if (program.isProbed) {
    look.reader(source);
    look.transformer(stage);
    if (program.hasWriter) look.writer(sink);
  }
  source.pipe(stage);
  if (program.hasWriter) stage.pipe(sink);
  await clock.run();
  return { log, look };
}

test("looking at hand-written streams changes nothing, and every event conserves chunks", async () => {
  const mark = fastCheck.integer({ min: 0, max: 4 });
  const delay = fastCheck.constantFrom(0, 3, 7);
  await fastCheck.assert(
    fastCheck.asyncProperty(
      fastCheck.record({
        messages: fastCheck.integer({ min: 0, max: 12 }),
        batchSize: fastCheck.integer({ min: 1, max: 5 }),
        marks: fastCheck.tuple(mark, mark, mark, mark),
        transformDelay: delay,
        writeDelay: delay,
        givesByCallback: fastCheck.boolean(),
        writesMany: fastCheck.boolean(),
        hasWriter: fastCheck.boolean(),
      }),
      async (program) => {
        const bare = await run({ ...program, isProbed: false });
        const { log, look } = await run({ ...program, isProbed: true });
        assertEquals(log, bare.log);
        assertEquals(
          assertConserved(look.events()),
          log.filter((l) => l.startsWith("push")).length,
        );
        if (program.hasWriter) assertEquals(look.occupancy().written, program.messages);
        assertEquals(look.buffers().map(({ highWaterMark }) => highWaterMark), [
          ...program.marks.slice(0, program.hasWriter ? 4 : 3),
        ]);
      },
    ),
    { numRuns: 120 },
  );
});

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
