import { assertEquals } from "@std/assert";
import fastCheck from "fast-check";
import { Readable, Transform, type TransformCallback, Writable } from "node:stream";
import { test } from "node:test";
import { type NodeProbe, probe, reader, transformer, writer } from "@hosepipe/streams/node";
import { assertConserved } from "../inspect/_by_hand.ts";
import { sinkWritable } from "../../node_compat/sink_side.ts";
import { lastAdmittingSink } from "../../scenarios/concurrency/last_admitting_sink.ts";
import { VirtualClock } from "./virtual_clock.ts";
import { draws } from "../lib/thorough.ts";

interface Program {
  messages: number;
  batchSize: number;
  /** Of reader, transformer in, transformer out and writer. */
  highWaterMarks: [number, number, number, number];
  readDelay: number;
  transformDelay: number;
  writeDelay: number;
  /** How many chunks a transform gives for one. */
  expansion: number;
  hasWriter: boolean;
  concurrency: number;
  admit: "any" | "last";
  /** Whether a transform by hand gives its chunk with the callback. */
  givesByCallback?: boolean;
  /** Whether a sink by hand takes all that waits at once. */
  writesMany?: boolean;
}

interface Streams {
  reader: Readable;
  transformer: Transform;
  writer: Writable;
}

const delays = [7, 3, 11, 2, 19, 5, 13, 1, 17, 4];

/** The work of every stage, the same for both ways of writing it. A delay of 0 is synchronous. */
class Work {
  readonly log: string[] = [];
  readonly clock = new VirtualClock();
  inFlight = 0;
  #read = 0;
  #written = 0;
  readonly program: Program;

  constructor(program: Program) {
    this.program = program;
  }

  next(): string | undefined {
    if (this.#read === this.program.messages) return undefined;
    this.log.push(`read ${++this.#read}`);
    return String(this.#read);
  }

  batch(): string[] | undefined {
    const batch: string[] = [];
    while (batch.length < this.program.batchSize) {
      const chunk = this.next();
      if (chunk === undefined) break;
      batch.push(chunk);
    }
    return batch.length === 0 ? undefined : batch;
  }

  later(delay: number): Promise<void> | undefined {
    return delay === 0 ? undefined : this.clock.sleep(delay);
  }

  transform(chunk: string, push: (chunk: string) => void): Promise<void> | undefined {
    this.log.push(`transform ${chunk}`);
    const give = () => {
      for (let copy = 0; copy < this.program.expansion; copy++) push(`${chunk}.${copy}`);
    };
    const wait = this.later(this.program.transformDelay);
    if (wait === undefined) give();
    return wait?.then(give);
  }

  write(chunk: string): Promise<void> | undefined {
    const { writeDelay } = this.program;
    this.log.push(`write ${chunk}, ${++this.inFlight} in flight`);
    const finish = () => {
      this.log.push(`written ${chunk}, ${--this.inFlight} in flight`);
    };
    if (writeDelay === 0) finish();
    else {
      const delay = writeDelay * delays[this.#written++ % delays.length];
      return new Promise((resolve) => this.clock.after(delay, () => resolve(finish())));
    }
  }
}

function byHand(work: Work): Streams {
  const { program } = work;
  const [readerMark, inMark, outMark, writerMark] = program.highWaterMarks;
  let release: ((error?: Error) => void) | undefined;
  let started = 0;
  let final: (() => void) | undefined;
  const streams: Streams = {
    reader: new class extends Readable {
      override _read() {
        const wait = work.later(program.readDelay);
        if (wait === undefined) {
          for (let count = 0; count < program.batchSize; count++) {
            const chunk = work.next();
            if (chunk === undefined) {
              this.push(null);
              return;
            }
            this.push(chunk);
          }
          return;
        }
        wait.then(() => work.batch()).then((batch) => {
          if (batch === undefined) this.push(null);
          else for (const chunk of batch) this.push(chunk);
        });
      }
    }({ objectMode: true, highWaterMark: readerMark }),
    transformer: new class extends Transform {
      override _transform(chunk: string, _encoding: string, callback: TransformCallback) {
        let given: string | undefined;
        const give = (result: string) => {
          if (program.givesByCallback) given = result;
          else this.push(result);
        };
        const wait = work.transform(chunk, give);
        if (wait === undefined) callback(null, given);
        else wait.then(() => callback(null, given));
      }
      override _flush(callback: () => void) {
        work.log.push("flush");
        callback();
      }
    }({ objectMode: true, writableHighWaterMark: inMark, readableHighWaterMark: outMark }),
    writer: new class extends Writable {
      override _write(chunk: string, _encoding: string, callback: () => void) {
        const wait = work.write(chunk);
        if (wait === undefined) return callback();
        const number = ++started;
        wait.then(() => {
          if (work.inFlight === 0) final?.();
          if (release === undefined || (program.admit === "last" && number !== started)) return;
          const next = release;
          release = undefined;
          next();
        });
        if (work.inFlight < program.concurrency) callback();
        else release = callback;
      }
      override _final(callback: () => void) {
        const end = () => {
          work.log.push("close");
          callback();
        };
        if (work.inFlight === 0) end();
        else final = end;
      }
    }({ objectMode: true, highWaterMark: writerMark }),
  };
  if (program.writesMany) {
    streams.writer._writev = (chunks, callback) => {
      work.log.push(`write ${chunks.length} at once`);
      const wait = work.later(program.writeDelay);
      if (wait === undefined) callback();
      else wait.then(() => callback());
    };
  }
  return streams;
}

function byTwins(work: Work): Streams {
  const { program } = work;
  const [readerMark, inMark, outMark, writerMark] = program.highWaterMarks;
  const chunks = {
    [Symbol.iterator]: () => ({
      next: (): IteratorResult<string> => {
        const value = work.next();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
    }),
  };
  const write = (chunk: string) => work.write(chunk);
  const close = () => void work.log.push("close");
  const batch = () => work.later(program.readDelay)?.then(() => work.batch());
  return {
    reader: reader<string>(program.readDelay === 0 ? chunks : batch, {
      highWaterMark: readerMark,
      ...(program.readDelay === 0 ? { batchSize: program.batchSize } : {}),
    }),
    transformer: transformer<string, string>({
      transform: (chunk, controller) =>
        work.transform(chunk, (result) => controller.enqueue(result)),
      flush: () => void work.log.push("flush"),
    }, { writableHighWaterMark: inMark, readableHighWaterMark: outMark }),
    writer: program.admit === "any"
      ? writer(write, { concurrency: program.concurrency, highWaterMark: writerMark, close })
      : sinkWritable(lastAdmittingSink(write, program.concurrency, close), writerMark),
  };
}

async function run(
  program: Program,
  build: (work: Work) => Streams,
  look?: NodeProbe,
): Promise<string[]> {
  const work = new Work(program);
  const streams = build(work);
  for (const [name, stream] of Object.entries(streams) as [string, Readable][]) {
    for (const event of ["end", "finish", "close", "drain", "pause", "resume"]) {
      stream.on(event, () => work.log.push(`${name} ${event}`));
    }
    const { push } = stream;
    if (push === undefined) continue;
    stream.push = (chunk) => {
      const wantsMore = push.call(stream, chunk);
      work.log.push(`${name} push ${chunk} ${wantsMore} ${stream.readableLength}`);
      return wantsMore;
    };
  }
  look?.reader(streams.reader);
  look?.transformer(streams.transformer);
  if (program.hasWriter) look?.writer(streams.writer);
  streams.reader.pipe(streams.transformer);
  if (program.hasWriter) streams.transformer.pipe(streams.writer);
  await work.clock.run();
  return work.log;
}

const slow = { writeDelay: 1, readDelay: 0, transformDelay: 0, expansion: 1, hasWriter: true };
/** The demos, and what a random program seldom is. */
const examples = [
  { ...slow, marks: 2, batchSize: 1, concurrency: 1, writeDelay: 0 },
  { ...slow, marks: 5, batchSize: 1, concurrency: 1, hasWriter: false },
  { ...slow, marks: 2, batchSize: 1, concurrency: 1 },
  { ...slow, marks: 4, batchSize: 5, concurrency: 1 },
  { ...slow, marks: 2, batchSize: 1, concurrency: 10 },
  { ...slow, marks: 2, batchSize: 1, concurrency: 10, admit: "last" as const },
].map(({ marks, ...rest }): [Program] => [{
  messages: 20,
  admit: "any",
  highWaterMarks: [marks, marks, marks, marks],
  ...rest,
}]);

const mark = fastCheck.integer({ min: 0, max: 5 });
const delay = fastCheck.constantFrom<number>(0, 0, 1, 8);
const drawn = {
  messages: fastCheck.integer({ min: 0, max: 12 }),
  batchSize: fastCheck.integer({ min: 1, max: 5 }),
  highWaterMarks: fastCheck.tuple(mark, mark, mark, mark),
  readDelay: delay,
  transformDelay: delay,
  writeDelay: delay,
  expansion: fastCheck.integer({ min: 0, max: 3 }),
  hasWriter: fastCheck.boolean(),
  concurrency: fastCheck.integer({ min: 1, max: 5 }),
  admit: fastCheck.constantFrom<Program["admit"]>("any", "last"),
};

test("any program has the events that it has by hand, in their order", async () => {
  await fastCheck.assert(
    fastCheck.asyncProperty(
      fastCheck.record<Program>(drawn),
      async (program) => assertEquals(await run(program, byTwins), await run(program, byHand)),
    ),
    { numRuns: draws(60), examples },
  );
});

test("looking at hand-written streams changes nothing, and every event conserves chunks", async () => {
  await fastCheck.assert(
    fastCheck.asyncProperty(
      fastCheck.record({
        ...drawn,
        expansion: fastCheck.constant(1),
        concurrency: fastCheck.constant(1),
        givesByCallback: fastCheck.boolean(),
        writesMany: fastCheck.boolean(),
      }),
      async (program) => {
        const look = probe();
        const log = await run(program, byHand, look);
        assertEquals(log, await run(program, byHand));
        const pushes = log.filter((line) => /^reader push \d/.test(line));
        assertEquals(assertConserved(look.events()), pushes.length);
        if (program.hasWriter) assertEquals(look.occupancy().written, program.messages);
        assertEquals(
          look.buffers().map(({ highWaterMark }) => highWaterMark),
          program.highWaterMarks.slice(0, program.hasWriter ? 4 : 3),
        );
      },
    ),
    { numRuns: 120 },
  );
});
