import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse, map, parallel, pipeline, reader, writer } from "@hosepipe/streams";
import { settledWithin } from "../lib/settled_within.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import { until } from "../lib/until.ts";

const never = new Promise<never>(() => {});
const reason = new Error("aborted on purpose");

/** A source without an end that remembers how it was told. */
function endless() {
  const told: unknown[] = [];
  const stream = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: (reason) => void told.push(reason),
  });
  return { stream, told };
}

/** A sink that remembers how it was told. */
function taking(sink: UnderlyingSink<unknown> = {}, highWaterMark = 1) {
  const told: unknown[] = [];
  const stream = new WritableStream<unknown>({
    ...sink,
    abort(reason) {
      told.push(reason);
      return sink.abort?.(reason);
    },
  }, { highWaterMark });
  return { stream, told };
}

interface Hanging {
  readonly source: unknown;
  readonly stages?: readonly unknown[];
  readonly sink: unknown;
  /** Streams that must not stay locked. */
  readonly streams: readonly (ReadableStream | WritableStream)[];
  /** What each end that can be told was told, by the time the pipeline has rejected. */
  readonly told?: () => unknown;
  readonly expected?: unknown;
}

/** Everything that may hang in a pipeline. */
const hanging: Record<string, () => Hanging> = {
  "a native pair's transform": () => {
    const { stream, told } = endless();
    const sink = taking();
    const pair = new TransformStream({ transform: () => never });
    return {
      source: stream,
      stages: [pair],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a fused pair's transform": () => {
    const { stream, told } = endless();
    const sink = taking();
    const pair = fuse({ transform: () => never });
    return {
      source: stream,
      stages: [pair],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a pair whose sides know nothing of each other": () => {
    const { stream, told } = endless();
    const sink = taking();
    const pair = {
      readable: new ReadableStream(),
      writable: new WritableStream({ write: () => never }),
    };
    return {
      source: stream,
      stages: [map((n: number) => n), pair],
      sink: sink.stream,
      streams: [stream, sink.stream, pair.readable, pair.writable],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a stage's transform": () => {
    const { stream, told } = endless();
    const sink = taking();
    return {
      source: stream,
      stages: [map(() => never)],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a stage's start": () => {
    const { stream, told } = endless();
    const sink = taking();
    return {
      source: stream,
      stages: [{ start: () => never }],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a stage's flush": () => {
    const sink = taking();
    return {
      source: [1],
      stages: [{ flush: () => never }],
      sink: sink.stream,
      streams: [sink.stream],
      told: () => sink.told,
      expected: [reason],
    };
  },
  "a stage's cancel": () => {
    const { stream, told } = endless();
    const sink = taking();
    return {
      source: stream,
      stages: [{ cancel: () => never }, map(() => never)],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "parallel's calls": () => {
    const { stream, told } = endless();
    return {
      source: stream,
      stages: [parallel(() => never, { concurrency: 3 })],
      sink: () => {},
      streams: [stream],
      told: () => told,
      expected: [reason],
    };
  },
  "a function sink": () => {
    const { stream, told } = endless();
    return {
      source: stream,
      sink: () => never,
      streams: [stream],
      told: () => told,
      expected: [reason],
    };
  },
  "a sink's write": () => {
    const { stream, told } = endless();
    const sink = taking({ write: () => never });
    return {
      source: stream,
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => told,
      expected: [reason],
    };
  },
  "a sink's write behind a queue": () => {
    const { stream, told } = endless();
    const sink = taking({ write: () => never }, 16);
    return {
      source: stream,
      stages: [map((n: number) => n)],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => told,
      expected: [reason],
    };
  },
  "a sink's start": () => {
    const { stream, told } = endless();
    const sink = taking({ start: () => never });
    return {
      source: stream,
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => told,
      expected: [reason],
    };
  },
  "a sink's close": () => {
    const sink = taking({ close: () => never });
    return { source: [1], sink: sink.stream, streams: [sink.stream] };
  },
  "a sink's abort": () => {
    const { stream, told } = endless();
    const sink = taking({ abort: () => never });
    return {
      source: stream,
      stages: [map(() => never)],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a sink without room": () => {
    const { stream, told } = endless();
    const sink = taking({}, 0);
    return {
      source: stream,
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a writer's write": () => {
    const { stream, told } = endless();
    const sink = writer(() => never, { concurrency: 2 });
    return { source: stream, sink, streams: [stream, sink], told: () => told, expected: [reason] };
  },
  "a writer's close": () => {
    const sink = writer(() => {}, { close: () => never });
    return { source: [1], sink, streams: [sink] };
  },
  "a source's pull": () => {
    const told: unknown[] = [];
    const stream = new ReadableStream<number>({
      pull: () => never,
      cancel: (reason) => void told.push(reason),
    });
    const sink = taking();
    return {
      source: stream,
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "a source's start": () => {
    const stream = new ReadableStream<number>({ start: () => never });
    const sink = taking();
    return {
      source: stream,
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => sink.told,
      expected: [reason],
    };
  },
  "a source's cancel": () => {
    const told: unknown[] = [];
    const stream = new ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
      cancel(reason) {
        told.push(reason);
        return never;
      },
    });
    const sink = taking();
    return {
      source: stream,
      stages: [map(() => never)],
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => [told, sink.told],
      expected: [[reason], [reason]],
    };
  },
  "an asynchronous generator": () => {
    async function* hang() {
      yield await never;
    }
    const sink = taking();
    return {
      source: hang(),
      sink: sink.stream,
      streams: [sink.stream],
      told: () => sink.told,
      expected: [reason],
    };
  },
  "a reader of an asynchronous generator": () => {
    async function* hang() {
      yield await never;
    }
    const stream = reader(hang());
    const sink = taking();
    return {
      source: stream,
      sink: sink.stream,
      streams: [stream, sink.stream],
      told: () => sink.told,
      expected: [reason],
    };
  },
  "an iterator's next and return": () => {
    const source = { [Symbol.asyncIterator]: () => ({ next: () => never, return: () => never }) };
    const sink = taking();
    return {
      source,
      sink: sink.stream,
      streams: [sink.stream],
      told: () => sink.told,
      expected: [reason],
    };
  },
  "half of a tee": () => {
    const [half] = new ReadableStream<number>({ pull: () => never }).tee();
    const sink = taking();
    return {
      source: half,
      sink: sink.stream,
      streams: [half!, sink.stream],
      told: () => sink.told,
      expected: [reason],
    };
  },
};

type Run = (...args: readonly unknown[]) => Promise<unknown>;

for (const [what, make] of Object.entries(hanging)) {
  test(`a signal ends a pipeline in which ${what} hangs, within a turn`, async () => {
    const unhandled = await unhandledDuring(async () => {
      for (const abortAfter of ["at once", "later"] as const) {
        const { source, stages = [], sink, streams, told, expected } = make();
        const controller = new AbortController();
        const run = (pipeline as Run)(source, ...stages, sink, { signal: controller.signal });
        let atRejection: unknown;
        const locked = () => streams.filter(({ locked }) => locked).length;
        run.catch(() => atRejection = [locked(), told?.()]);
        if (abortAfter === "later") await settledWithin(run, 5);
        controller.abort(reason);
        assertEquals(await settledWithin(run, 2), { state: "rejected", reason }, abortAfter);
        if (abortAfter === "later") assertEquals(atRejection, [0, expected]);
        else assertEquals((atRejection as [number])[0], 0);
      }
    });
    assertEquals(unhandled, []);
  });
}

test("a signal that has aborted before touches nothing but to say so", async () => {
  const { stream, told } = endless();
  const sink = taking();
  const run = pipeline(stream, sink.stream, { signal: AbortSignal.abort(reason) });
  assertEquals(await settledWithin(run, 2), { state: "rejected", reason });
  assertEquals([stream.locked, sink.stream.locked, told, sink.told], [false, false, [reason], [
    reason,
  ]]);
});

for (const marks of [1, 3, 16]) {
  test(`after a signal what was handed over is still written, if that takes no longer than a turn, mark ${marks}`, async () => {
    const controller = new AbortController();
    const first = Promise.withResolvers<void>();
    const written: number[] = [];
    const told: unknown[] = [];
    let begun = 0;
    const sink = new WritableStream<number>({
      async write(n) {
        begun++;
        await (n === 0 ? first.promise : undefined);
        written.push(n);
      },
      abort: (reason) => void told.push([written.length, reason]),
    }, { highWaterMark: marks });
    let given = 0;
    const source = new ReadableStream<number>({
      pull(controller) {
        if (given < 16) controller.enqueue(given++);
        else return never;
      },
    }, { highWaterMark: 0 });
    const run = pipeline(source, map((n: number) => n), sink, { signal: controller.signal });
    run.catch(() => {});
    await until(() => begun > 0 && given >= marks);
    controller.abort(reason);
    first.resolve();
    assertEquals(await settledWithin(run, 50), { state: "rejected", reason });
    const all = Array.from({ length: marks }, (_, n) => n);
    assertEquals([written, told], [all, [[marks, reason]]]);
  });
}

test("a signal's reason reaches both ends without a turn of the event loop", async () => {
  for (const stages of [[], [map((n: number) => n)]]) {
    const told: unknown[] = [];
    const source = new ReadableStream({ cancel: (reason) => void told.push(["source", reason]) });
    const sink = new WritableStream({ abort: (reason) => void told.push(["sink", reason]) });
    const controller = new AbortController();
    const run = (pipeline as Run)(source, ...stages, sink, { signal: controller.signal });
    run.catch(() => {});
    await settledWithin(run, 2);
    controller.abort(reason);
    for (let step = 0; step < 20; step++) await undefined;
    assertEquals(told.toSorted(), [["sink", reason], ["source", reason]]);
  }
});

test("a signal that was aborted before the call is why the run ends, whatever a stage does as it starts", async () => {
  const starts = {
    terminates: (controller: TransformStreamDefaultController<number>) => controller.terminate(),
    errors: (controller: TransformStreamDefaultController<number>) => controller.error("start"),
    throws() {
      throw "start";
    },
  };
  for (const [name, start] of Object.entries(starts)) {
    const [source, sink] = [endless(), taking()];
    const stage: Transformer<number, number> = { start };
    const run = pipeline(source.stream, stage, sink.stream, { signal: AbortSignal.abort(reason) });
    assertEquals(await run.then(() => "done", (failure) => failure), reason, name);
    assertEquals([sink.told, sink.stream.locked, source.stream.locked], [[reason], false, false]);
  }
});
