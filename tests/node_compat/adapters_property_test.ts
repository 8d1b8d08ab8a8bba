import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fastCheck from "fast-check";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { test } from "node:test";
import { fuse, map } from "@hosepipe/streams";
import { fromNode, pipeline, reader, toNode, transformer, writer } from "@hosepipe/streams/node";
import { reasons, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";
import { draws } from "../lib/thorough.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

type NodeStream = Readable | Writable;

const sourceKinds = [
  "iterable",
  "async iterable",
  "batches",
  "web stream",
  "there and back",
] as const;
const stageKinds = ["dictionary", "transform stream", "fused", "pass-through", "late"] as const;
const sinkKinds = ["function", "writer", "web stream", "there and back"] as const;
const places = ["source", "stage", "sink", "close", "signal", "destroy", "nowhere"] as const;

interface Program {
  source: typeof sourceKinds[number];
  stages: (typeof stageKinds[number])[];
  sink: typeof sinkKinds[number];
  highWaterMark: number;
  batchSize: number;
  concurrency: number;
  isSlow: boolean;
  chunks: number;
  place: typeof places[number];
  /** The chunk at which it fails. */
  at: number;
  /** Which of the streams is destroyed. */
  victim: number;
  reason: unknown;
}

/** One run: what was written, who was told what, and every stream of it. */
class Run {
  readonly written: number[] = [];
  readonly told: { source: unknown[]; sink: unknown[] } = { source: [], sink: [] };
  readonly nodeStreams: NodeStream[] = [];
  readonly webStreams: (ReadableStream | WritableStream)[] = [];
  readonly controller = new AbortController();
  readonly program: Program;
  closed = 0;

  constructor(program: Program) {
    this.program = program;
  }

  #keep<Stream extends NodeStream>(stream: Stream): Stream {
    this.nodeStreams.push(stream);
    return stream;
  }

  /** Does at chunk `at` what the program wants to happen there. */
  #reach(place: Program["place"], chunk: number): void {
    const { program } = this;
    if (program.at !== chunk) return;
    if (program.place === place) throw program.reason;
    if (place !== "sink") return;
    if (program.place === "signal") this.controller.abort(program.reason);
    if (program.place === "destroy") {
      const victim = this.nodeStreams[program.victim % this.nodeStreams.length]!;
      victim.destroy(program.reason as Error);
    }
  }

  source(): Readable {
    const { source, chunks, batchSize, highWaterMark } = this.program;
    const cancel = (reason: unknown): void => void this.told.source.push(reason);
    let next = 0;
    const take = (): number | undefined => {
      if (next === chunks) return undefined;
      this.#reach("source", next);
      return next++;
    };
    const options = { highWaterMark, batchSize };
    const readable = (): ReadableStream => {
      const stream = new ReadableStream({
        pull(controller) {
          const chunk = take();
          if (chunk === undefined) controller.close();
          else controller.enqueue(chunk);
        },
        cancel,
      }, { highWaterMark });
      this.webStreams.push(stream);
      return stream;
    };
    const iterator = {
      next: () => {
        const value = take();
        return value === undefined ? { done: true as const, value } : { done: false, value };
      },
      return: (reason: unknown) => {
        cancel(reason);
        return { done: true as const, value: undefined };
      },
    };
    switch (source) {
      case "iterable":
        return reader({ [Symbol.iterator]: () => iterator } as Iterable<number>, options);
      case "async iterable":
        return reader({
          [Symbol.asyncIterator]: () => ({
            next: () => Promise.resolve().then(iterator.next),
            return: (reason: unknown) => Promise.resolve(iterator.return(reason)),
          }),
        } as AsyncIterable<number>, options);
      case "batches": {
        let isListening = false;
        return reader((size, { signal }) => {
          if (!isListening) {
            signal.addEventListener("abort", () => {
              // A signal takes `undefined` for no reason.
              cancel(this.program.reason === undefined ? undefined : signal.reason);
            });
          }
          isListening = true;
          const batch: number[] = [];
          for (let chunk; batch.length < size && (chunk = take()) !== undefined;) batch.push(chunk);
          return batch.length === 0 ? null : batch;
        }, options);
      }
      case "web stream":
        return toNode(readable(), { highWaterMark });
      case "there and back":
        return toNode(fromNode(this.#keep(toNode(readable())), { highWaterMark }));
    }
  }

  stage(kind: Program["stages"][number]): Transformer | NodeStream {
    const { highWaterMark } = this.program;
    const transform = (chunk: number): number => {
      this.#reach("stage", chunk);
      return chunk;
    };
    const dictionary: Transformer<number, number> = {
      transform: (chunk, controller) => controller.enqueue(transform(chunk)),
    };
    switch (kind) {
      case "dictionary":
        return dictionary;
      case "late":
        return this.#keep(transformer<number, number>({
          async transform(chunk, controller) {
            await settle();
            controller.enqueue(transform(chunk));
          },
        }, { highWaterMark }));
      case "transform stream":
        return this.#keep(toNode(new TransformStream(dictionary), { highWaterMark }));
      case "fused":
        return this.#keep(
          toNode(fuse(map(transform), map((chunk: number) => chunk)), { highWaterMark }),
        );
      case "pass-through":
        return this.#keep(new PassThrough({ objectMode: true, highWaterMark }));
    }
  }

  sink(): NodeStream | ((chunk: number) => unknown) {
    const { sink, isSlow, concurrency, highWaterMark } = this.program;
    const write = (chunk: number): void | Promise<void> => {
      const finish = (): void => {
        this.#reach("sink", chunk);
        this.written.push(chunk);
      };
      return isSlow ? settle().then(finish) : finish();
    };
    const abort = (reason: unknown): void => void this.told.sink.push(reason);
    const close = (): void => {
      this.closed++;
      if (this.program.place === "close") throw this.program.reason;
    };
    const options = { concurrency, highWaterMark, close, abort };
    switch (sink) {
      case "function":
        return write;
      case "writer":
        return this.#keep(writer(write, options));
      case "web stream": {
        const writable = new WritableStream({ write, close, abort }, {
          highWaterMark: Math.max(1, highWaterMark),
        });
        this.webStreams.push(writable);
        return this.#keep(toNode(writable, { highWaterMark }));
      }
      case "there and back": {
        const inner = this.#keep(writer(write, options));
        return this.#keep(toNode(fromNode(inner, { as: "writable" })));
      }
    }
  }
}

async function check(program: Program): Promise<void> {
  const run = new Run(program);
  const source = run.source();
  run.nodeStreams.unshift(source);
  const stages = program.stages.map((kind) => run.stage(kind));
  const parts = [source, ...stages, run.sink(), { signal: run.controller.signal }];
  const running = (pipeline as (...parts: unknown[]) => Promise<void>)(...parts);
  const { written } = run;
  const { chunks, at, place, reason } = program;
  const all = Array.from({ length: chunks }, (_, index) => index);
  const hasClose = program.sink !== "function";
  const hasStage = program.stages.some((kind) => kind !== "pass-through");
  const fails = place === "close" ? hasClose : place !== "nowhere" && at < chunks &&
    (place !== "stage" || hasStage);
  const outcome = await rejection(running).catch(() => "resolved" as const);
  if (fails && !(place === "destroy" && outcome === "resolved")) {
    if (outcome === "resolved") throw new Error("It did not fail");
    assertStrictEquals(outcome.reason, reason);
  } else {
    // Who was destroyed may have ended before.
    assertEquals(outcome, "resolved");
    assertEquals(written.toSorted((one, other) => one - other), all);
    assertEquals(run.closed, hasClose ? 1 : 0);
    assertEquals(run.told, { source: [], sink: [] });
  }
  for (let turn = 0; turn < 3; turn++) await settle();
  if (program.concurrency === 1) assertEquals(written, all.slice(0, written.length));
  assertEquals(new Set(written).size, written.length, "each chunk is written once");
  for (const stream of run.nodeStreams) assert(stream.closed, "every node stream is closed");
  for (const stream of run.webStreams) assertEquals(stream.locked, false);
  assert(run.told.source.length <= 1 && run.told.sink.length <= 1, "told once");
  for (const told of [...run.told.source, ...run.told.sink]) {
    assertStrictEquals(told, reason);
  }
  if (fails && place === "stage" && at < chunks - 1 && hasClose) {
    assertEquals([run.told.sink.length, run.closed], [1, 0]);
  }
}

const program = fastCheck.record<Program>({
  source: fastCheck.constantFrom(...sourceKinds),
  stages: fastCheck.array(fastCheck.constantFrom(...stageKinds), { maxLength: 3 }),
  sink: fastCheck.constantFrom(...sinkKinds),
  highWaterMark: fastCheck.constantFrom(0, 1, 2, 16),
  batchSize: fastCheck.constantFrom(1, 2, 7),
  concurrency: fastCheck.constantFrom(1, 3),
  isSlow: fastCheck.boolean(),
  chunks: fastCheck.integer({ min: 0, max: 20 }),
  place: fastCheck.constantFrom(...places),
  at: fastCheck.integer({ min: 0, max: 22 }),
  victim: fastCheck.nat({ max: 5 }),
  reason: fastCheck.constantFrom(...reasons),
}).map((program) =>
  // Node takes a falsy reason for none, and a signal `undefined`.
  program.place === "destroy" && !program.reason ||
    program.place === "signal" && program.reason === undefined
    ? { ...program, reason: "given up" }
    : program
);

test("whatever is adapted and wherever it fails, all of it ends, by the very value", async () => {
  const programs = fastCheck.asyncProperty(program, check);
  const run = () => Promise.resolve(fastCheck.assert(programs, { numRuns: draws(150) }));
  assertEquals(await unhandledDuring(run), []);
});

type Pull = () => number;

/** What is read of an endless source, whose own buffer has the first mark, by an adapter that has the second. */
const readWays: Record<string, (pull: Pull, mark: number, own: number) => AsyncIterable<number>> = {
  fromNode: (pull, highWaterMark, own) =>
    fromNode<number>(reader(() => [pull()], { highWaterMark }), { highWaterMark: own }),
  toNode: (pull, highWaterMark, own) =>
    toNode(
      new ReadableStream({ pull: (controller) => controller.enqueue(pull()) }, { highWaterMark }),
      { highWaterMark: own },
    ),
};

for (const [name, read] of Object.entries(readWays)) {
  test(`${name}: reading k chunks pulls at most k plus the high-water marks`, async () => {
    for (const [mark, own] of [[1, 0], [1, 1], [2, 3], [5, 0], [3, 2], [1, 5]] as const) {
      let pulls = 0;
      const iterator = read(() => ++pulls, mark, own)[Symbol.asyncIterator]();
      await settle();
      // A node stream reads nothing before it is asked.
      assert(pulls <= mark + (name === "toNode" ? 0 : own));
      for (let read = 1; read <= 20; read++) {
        assertEquals(await iterator.next(), { done: false, value: read });
        await settle();
        assert(pulls <= read + mark + own);
      }
      await iterator.return!();
    }
  });
}

test("a stalled writable takes no more than the high-water marks", async () => {
  const hang = () => new Promise<never>(() => {});
  for (const [mark, own] of [[1, 1], [3, 1], [2, 4], [4, 2], [1, 3]] as const) {
    let [intoNode, intoWeb] = [0, 0];
    const source = new ReadableStream({ pull: (controller) => controller.enqueue(++intoNode) }, {
      highWaterMark: 0,
    });
    const node = writer(hang, { highWaterMark: mark });
    source.pipeTo(fromNode(node, { as: "writable", highWaterMark: own })).catch(() => {});
    const web = new WritableStream({ write: hang }, { highWaterMark: mark });
    const other = reader(() => [++intoWeb]);
    other.pipe(toNode(web, { highWaterMark: own }));
    await settle();
    assert(intoNode <= mark + own);
    // The reader and its pipe hold a chunk each.
    assert(intoWeb <= mark + own + 2);
    other.destroy();
  }
});
