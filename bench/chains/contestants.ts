import type { CaseSet, Contestant } from "../measure/workload.ts";
import { filter, filterSync, flatten, map, mapSync } from "./generators.ts";
import type { ChainJob, Chunk, RunChain } from "./job.ts";
import {
  drain,
  sinkWritableOptions,
  type StageOptions,
  toTransformers,
  toTransformOptions,
  writeAll,
} from "./to_transformers.ts";
import type { Stream } from "@most/types";
import type { AsyncIterableX } from "ix/asynciterable";
import nodeStreams from "node:stream";
import type { Stream as Streams } from "effect";
import type { Observable } from "rxjs";

const itPushes: string =
  "a library that pushes never checks whether a chunk is a promise, and does not wait for a busy sink";
const isThereAtOnce: string =
  "sync iteration never waits: no chunk is checked for a promise, and no stage may return one";

/** The constructors of web streams, the runtime's or a package's. */
type WebStreams = Pick<typeof globalThis, "ReadableStream" | "TransformStream" | "WritableStream">;

/** A chain of web streams, with buffers as they are by default or of `strategy`. */
async function pipeWeb(
  job: ChainJob,
  { ReadableStream, TransformStream, WritableStream }: WebStreams,
  strategy?: QueuingStrategy,
): Promise<void> {
  let stream = ReadableStream.from(job.source());
  for (const transformer of toTransformers(job)) {
    stream = stream.pipeThrough(new TransformStream(transformer, strategy, strategy));
  }
  await stream.pipeTo(new WritableStream({ write: (chunk) => job.write(chunk) }, strategy));
}

/** Our pipeline over what is made of the steps. */
async function runPipeline(toParts: (job: ChainJob) => Transformer[]): Promise<RunChain> {
  const { compose, pipeline } = await import("../../mod.ts");
  return async (job) => {
    await pipeline(job.source(), compose(toParts(job)), (chunk: Chunk) => job.write(chunk));
  };
}

/** A chain of node streams, the runtime's or a package's. */
async function pipeNode(
  job: ChainJob,
  { promises, Readable, Transform, Writable }: typeof nodeStreams,
  toStage = (options: StageOptions) => new Transform(options),
): Promise<void> {
  const stages = toTransformOptions(job).map((options) => toStage(options));
  const sink = new Writable(sinkWritableOptions(job));
  await promises.pipeline([Readable.from(job.source()), ...stages, sink]);
}

/**
 * Drives a library that pushes: hands it the chunks one by one, and after each of the source's writes what
 * came out, which it cannot wait for by itself.
 */
async function pushSource(
  { source, isBatched, write }: ChainJob,
  push: (chunk: Chunk) => void,
  pushed: Chunk[],
): Promise<void> {
  for await (const item of source()) {
    if (isBatched) { for (const chunk of item) push(chunk); }
    else push(item);
    await writeAll(pushed, write);
    pushed.length = 0;
  }
}

/** What a pull source calls: `end` is `true` at the end, an error on failure, otherwise `null`. */
type PullCallback<Chunk> = (end: unknown, chunk?: Chunk) => void;

/** A source of pull-stream: asked for the next chunk, or asked to end. */
type PullSource<Chunk> = (abort: unknown, callback: PullCallback<Chunk>) => void;

/** Makes an async generator a source of pull-stream. */
function pullSource<Chunk>(chunks: AsyncGenerator<Chunk>): PullSource<Chunk> {
  return (abort, callback) => {
    if (abort) {
      chunks.return(undefined).then(() => callback(abort), () => callback(abort));
    } else {
      chunks.next().then(
        ({ done, value }) => done ? callback(true) : callback(null, value),
        (error) => callback(error),
      );
    }
  };
}

/** Every contestant that builds any chain, each as its own users write it. */
export const chainContestants: readonly Contestant<RunChain>[] = [
  {
    name: "step-list",
    about: "control: one loop over a list of the step functions",
    set: "publish",
    load: () => async ({ source, isBatched, steps, write }) => {
      const pass = (chunk: Chunk): void | Promise<void> => {
        let result = chunk;
        for (const step of steps) {
          if (step.kind === "map") result = step.fn(result);
          else if (!step.fn(result)) return;
        }
        return write(result);
      };
      for await (const item of source()) {
        if (!isBatched) await pass(item);
        else {
          for (const chunk of item) {
            const written = pass(chunk);
            if (written) await written;
          }
        }
      }
    },
  },
  {
    name: "arrays",
    about: "control: everything read first, then array.map and array.filter",
    note: "holds everything in memory, several times over",
    set: "tour",
    load: () => async ({ source, isBatched, steps, write }) => {
      const read = await Array.fromAsync(source());
      let chunks: Chunk[] = isBatched ? read.flat() : read;
      for (const step of steps) {
        chunks = step.kind === "map"
          ? chunks.map((it) => step.fn(it))
          : chunks.filter((it) => step.fn(it));
      }
      await writeAll(chunks, write);
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over flatMap, map and filter",
    set: "tour",
    load: async () => runPipeline((await import("./to_stages.ts")).toStages),
  },
  {
    name: "pipeline-raw",
    about: "hosepipe: pipeline over the hand-written transformers of `web`",
    set: "publish",
    load: () => runPipeline(toTransformers),
  },
  {
    name: "fuse",
    about: "hosepipe: the same stages fused, between native streams",
    set: "tour",
    load: async () => {
      const { compose, fuse: fuseStages } = await import("../../mod.ts");
      const { toStages } = await import("./to_stages.ts");

      return async (job) => {
        await ReadableStream.from(job.source())
          .pipeThrough(fuseStages(compose(toStages(job))))
          .pipeTo(new WritableStream({ write: (chunk) => job.write(chunk) }));
      };
    },
  },
  {
    name: "fuse-batched",
    about: "the same, 64 chunks at a time at its native end",
    load: async () => {
      const { batch, compose, fuse } = await import("../../mod.ts");
      const { toStages } = await import("./to_stages.ts");

      /** Chunks that go through the native end together. */
      const batchSize = 64;
      return async (job) => {
        const output = new WritableStream<Chunk[]>({
          write: (chunks) => writeAll(chunks, job.write),
        });
        await ReadableStream.from(job.source())
          .pipeThrough(fuse(compose(toStages(job)), batch<Chunk>(batchSize)))
          .pipeTo(output);
      };
    },
  },
  {
    name: "web",
    about: "one native TransformStream a step, as `new TransformStream(step)` makes it",
    set: "tour",
    load: () => (job) => pipeWeb(job, globalThis),
  },
  {
    name: "web-16",
    about: "the same at its best: 16 chunks in each buffer, as node:stream has by default",
    set: "publish",
    load: () => (job) => pipeWeb(job, globalThis, { highWaterMark: 16 }),
  },
  {
    name: "node",
    about: "node:stream: Transforms in object mode and pipeline",
    set: "tour",
    whyFaster:
      "in Bun and Deno the first stages of node:stream are cheap, and no chunk is checked for a promise; each further stage costs more",
    load: () => (job) => pipeNode(job, nodeStreams),
  },
  {
    name: "node-operators",
    about: "node:stream: Readable.flatMap, map, filter and forEach",
    set: "publish",
    load: () => async ({ source, isBatched, steps, write }) => {
      const read = nodeStreams.Readable.from(source());
      let chunks = isBatched ? read.flatMap((batch) => batch) : read;
      for (const { kind, fn } of steps) {
        chunks = kind === "map"
          ? chunks.map((chunk) => fn(chunk))
          : chunks.filter((chunk) => fn(chunk));
      }
      await chunks.forEach((chunk) => write(chunk));
    },
  },
  {
    name: "generators",
    about: "a chain of sync generators over each chunk that is read",
    whyFaster: isThereAtOnce,
    load: () => async ({ source, isBatched, steps, write }) => {
      for await (const item of source()) {
        let chunks: Iterable<Chunk> = isBatched ? item : [item];
        for (const { kind, fn } of steps) {
          chunks = kind === "map" ? mapSync(chunks, fn) : filterSync(chunks, fn);
        }
        await writeAll(chunks, write);
      }
    },
  },
  {
    name: "async-generators",
    about: "a chain of async generators",
    set: "tour",
    load: () => async ({ source, isBatched, steps, write }) => {
      let chunks: AsyncIterable<Chunk> = isBatched ? flatten(source()) : source();
      for (const { kind, fn } of steps) {
        chunks = kind === "map" ? map(chunks, fn) : filter(chunks, fn);
      }
      await drain(chunks, write);
    },
  },
  {
    name: "iterator-helpers",
    about: "Iterator.map and filter over each chunk that is read",
    set: "publish",
    whyFaster: isThereAtOnce,
    load: () => async ({ source, isBatched, steps, write }) => {
      for await (const item of source()) {
        let chunks: IteratorObject<Chunk> = Iterator.from<Chunk>(isBatched ? item : [item]);
        for (const { kind, fn } of steps) {
          chunks = kind === "map" ? chunks.map(fn) : chunks.filter(fn);
        }
        await writeAll(chunks, write);
      }
    },
  },
  {
    name: "rxjs",
    about: "RxJS: from, concatMap, map and filter",
    package: "rxjs",
    note: "has no backpressure: reads on while the sink is busy, and keeps what it read",
    set: "tour",
    whyFaster: itPushes,
    load: async () => {
      const { bufferCount, concatMap, filter, from, lastValueFrom, map } = await import("rxjs");

      /** Chunks written together: an inner observable a chunk that ends at once would overflow the stack. */
      const together = 256;
      return async ({ source, isBatched, steps, write }) => {
        let chunks: Observable<Chunk> = from(source());
        if (isBatched) chunks = chunks.pipe(concatMap((batch: Chunk[]) => batch));
        for (const { kind, fn } of steps) {
          chunks = chunks.pipe(kind === "map" ? map(fn) : filter(fn));
        }
        const written = chunks.pipe(
          bufferCount(together),
          concatMap((group) => writeAll(group, write)),
        );
        await lastValueFrom(written, { defaultValue: undefined });
      };
    },
  },
  {
    name: "rxjs-9",
    about: "RxJS 9 beta on the platform's Observable, or its polyfill",
    package: "rxjs-9",
    note: "has no backpressure: the source is read as fast as it gives",
    set: "publish",
    load: async () => (await import("./contestants/rxjs_9.ts")).rxjs9,
  },
  {
    name: "effect",
    about: "Effect's Stream: flattenIterable, map, filter and runForEachArray",
    package: "effect",
    set: "tour",
    whyFaster:
      "Effect passes arrays from stage to stage, so that a map is one loop over many chunks; a chunk that waits costs it more",
    load: async () => {
      const { Effect, Stream } = await import("effect");

      const asIs = (error: unknown) => error;
      return async ({ source, isBatched, steps, write }) => {
        const read: Streams.Stream<Chunk, unknown> = Stream.fromAsyncIterable(source(), asIs);
        let chunks = isBatched ? Stream.flattenIterable(read) : read;
        for (const step of steps) {
          chunks = step.kind === "map"
            ? Stream.map(chunks, step.fn)
            : Stream.filter(chunks, step.fn);
        }
        const written = Stream.runForEachArray(
          chunks,
          (group) => Effect.tryPromise({ try: () => writeAll(group, write), catch: asIs }),
        );
        await Effect.runPromise(written);
      };
    },
  },
  {
    name: "most-core",
    about: "@most/core: map, filter and runEffects",
    package: "@most/core",
    note: "has no backpressure: the source pushes, and writes what came out before it reads on",
    set: "tour",
    whyFaster: itPushes,
    load: async () => {
      const { filter, map, newStream, runEffects, tap } = await import("@most/core");
      const { currentTime, newDefaultScheduler } = await import("@most/scheduler");

      const disposable = { dispose() {} };
      return async (job) => {
        const written: Chunk[] = [];
        let chunks: Stream<Chunk> = newStream((sink, scheduler) => {
          const push = (chunk: Chunk) => sink.event(currentTime(scheduler), chunk);
          pushSource(job, push, written).then(
            () => sink.end(currentTime(scheduler)),
            (error) => sink.error(currentTime(scheduler), error),
          );
          return disposable;
        });
        for (const { kind, fn } of job.steps) {
          chunks = kind === "map" ? map(fn, chunks) : filter(fn, chunks);
        }
        await runEffects(tap((chunk) => void written.push(chunk), chunks), newDefaultScheduler());
      };
    },
  },
  {
    name: "stream-chain",
    about: "stream-chain: plain functions, fused by its core form",
    package: "stream-chain",
    set: "tour",
    load: async () => {
      const { chainUnchecked, many, none } = await import("stream-chain/core");

      return async ({ source, isBatched, steps, write }) => {
        const stages = steps.map(({ kind, fn }) =>
          kind === "map" ? fn : (chunk: Chunk) => fn(chunk) ? chunk : none
        );
        const flatten = isBatched ? [(batch: Chunk[]) => many(batch)] : [];
        await drain(chainUnchecked([...flatten, ...stages])(source()), write);
      };
    },
  },
  {
    name: "datastream",
    about: "@datastream/core: its web form, a native stream a step",
    package: "@datastream/core",
    set: "publish",
    load: async () => {
      const { createReadableStream, createTransformStream, createWritableStream, pipejoin } =
        await import("@datastream/core/webstream");

      type Enqueue = (chunk: Chunk) => void;
      return async ({ source, isBatched, steps, write }) => {
        const flatten = isBatched
          ? [createTransformStream((batch: Chunk[], enqueue: Enqueue) => batch.forEach(enqueue))]
          : [];
        const stages = steps.map(({ kind, fn }) =>
          createTransformStream((chunk: Chunk, enqueue: Enqueue) => {
            if (kind === "map") enqueue(fn(chunk));
            else if (fn(chunk)) enqueue(chunk);
          })
        );
        await pipejoin([
          createReadableStream(source()),
          ...flatten,
          ...stages,
          createWritableStream(write),
        ]);
      };
    },
  },
  {
    name: "streamx",
    about: "streamx: Transforms and pipelinePromise",
    package: "streamx",
    set: "publish",
    load: async () => {
      const { pipelinePromise, Readable, Transform, Writable } = await import("streamx");

      return async (job) => {
        const { source, isBatched, steps } = job;
        const stages = steps.map(({ kind, fn }) =>
          new Transform({
            transform: kind === "map"
              ? (chunk, callback) => callback(null, fn(chunk))
              : (chunk, callback) => callback(null, fn(chunk) ? chunk : undefined),
          })
        );
        const flatten = new Transform({
          transform(batch, callback) {
            for (const chunk of batch as Chunk[]) this.push(chunk);
            callback(null, undefined);
          },
        });
        const { write } = sinkWritableOptions(job);
        const sink = new Writable({
          write: (chunk, callback) =>
            write!.call(undefined as never, chunk, "utf8", (error) => callback(error ?? null)),
        });
        await pipelinePromise(
          Readable.from(source()),
          ...isBatched ? [flatten] : [],
          ...stages,
          sink,
        );
      };
    },
  },
  {
    name: "pull-stream",
    about: "pull-stream: map, filter and asyncMap",
    package: "pull-stream",
    set: "publish",
    whyFaster:
      "a stage of pull-stream is one call there and back, and it sets up less; it never gives the event loop a turn",
    load: async () => {
      const { default: pull } = await import("pull-stream");

      return ({ source, isBatched, steps, write }) =>
        new Promise((resolve, reject) => {
          const take = (chunk: Chunk, callback: PullCallback<void>) => {
            let written: void | Promise<void>;
            try {
              written = write(chunk);
            } catch (error) {
              return callback(error);
            }
            if (written) written.then(() => callback(null), callback);
            else callback(null);
          };
          pull(
            pullSource(source()),
            ...isBatched ? [pull.flatten()] : [],
            ...steps.map(({ kind, fn }) => pull[kind](fn)),
            pull.asyncMap(take),
            pull.onEnd((end: unknown) => end ? reject(end) : resolve()),
          );
        });
    },
  },
  {
    name: "readable-stream",
    about: "readable-stream: node:stream as a package",
    package: "readable-stream",
    load: async () => {
      const { default: stream } = await import("readable-stream");

      return (job) => pipeNode(job, stream);
    },
  },
  {
    name: "through2",
    about: "through2, the layer PipeDreams 6 stood on",
    package: "through2",
    note: "stands in for PipeDreams 6, which can no longer be installed",
    load: async () => {
      const { default: stream } = await import("readable-stream");
      const { objectTransform } = await import("through2");

      return (job) => pipeNode(job, stream, ({ transform }) => objectTransform({}, transform));
    },
  },
  {
    name: "fast-webstreams",
    about: "experimental-fast-webstreams, web streams on node:stream; for Node only",
    package: "experimental-fast-webstreams",
    runtimes: ["node"],
    load: async () => {
      const { FastReadableStream, FastTransformStream, FastWritableStream } = await import(
        "experimental-fast-webstreams"
      );

      const streams = {
        ReadableStream: FastReadableStream,
        TransformStream: FastTransformStream,
        WritableStream: FastWritableStream,
      };
      return (job) => pipeWeb(job, streams as WebStreams);
    },
  },
  {
    name: "highland",
    about: "highland: sequence, map, filter and consume",
    package: "highland",
    set: "full",
    load: async () => {
      const { default: highlandStreams } = await import("highland");

      type Push = (error: unknown, chunk?: Chunk) => void;
      return ({ source, isBatched, steps, write }) =>
        new Promise((resolve, reject) => {
          const read = highlandStreams(nodeStreams.Readable.from(source()));
          let chunks = isBatched ? read.sequence() : read;
          for (const { kind, fn } of steps) {
            chunks = kind === "map" ? chunks.map(fn) : chunks.filter(fn);
          }
          const take = (error: unknown, chunk: Chunk, push: Push, next: () => void) => {
            if (error) return reject(error);
            if (chunk === highlandStreams.nil) return push(null, chunk);
            try {
              const written = write(chunk);
              if (written) written.then(next, reject);
              else next();
            } catch (failure) {
              reject(failure);
            }
          };
          chunks.consume(take).done(resolve);
        });
    },
  },
  {
    name: "it-pipe",
    about: "it-pipe with it-map and it-filter",
    package: "it-pipe",
    set: "full",
    load: async () => {
      const { default: itFilter } = await import("it-filter");
      const { default: itMap } = await import("it-map");
      const { rawPipe } = await import("it-pipe");

      return async ({ source, isBatched, steps, write }) => {
        await rawPipe(
          source,
          ...isBatched ? [flatten] : [],
          ...steps.map((step) => (chunks: AsyncIterable<Chunk>) =>
            step.kind === "map" ? itMap(chunks, step.fn) : itFilter(chunks, step.fn)
          ),
          async (chunks: AsyncIterable<Chunk>) => {
            await drain(chunks, write);
          },
        );
      };
    },
  },
  {
    name: "streaming-iterables",
    about: "streaming-iterables: flatMap, map and filter",
    package: "streaming-iterables",
    set: "full",
    load: async () => {
      const { filter, flatMap, map } = await import("streaming-iterables");

      return async ({ source, isBatched, steps, write }) => {
        let chunks: AsyncIterable<Chunk> = isBatched
          ? flatMap((batch: Chunk[]) => batch, source())
          : source();
        for (const { kind, fn } of steps) {
          chunks = kind === "map" ? map(fn, chunks) : filter(fn, chunks);
        }
        await drain(chunks, write);
      };
    },
  },
  {
    name: "ix",
    about: "IxJS: concatMap, map and filter of async iterables",
    package: "ix",
    set: "full",
    load: async () => {
      const { from } = await import("ix/asynciterable");
      const { concatMap, filter, map } = await import("ix/asynciterable/operators");

      return async ({ source, isBatched, steps, write }) => {
        let chunks: AsyncIterableX<Chunk> = from(source());
        if (isBatched) chunks = chunks.pipe(concatMap((batch: Chunk[]) => from(batch)));
        for (const { kind, fn } of steps) {
          chunks = chunks.pipe(kind === "map" ? map(fn) : filter(fn));
        }
        await drain(chunks, write);
      };
    },
  },
  {
    name: "callbag",
    about: "callbag-basics: fromObs, map, filter and forEach",
    package: "callbag-basics",
    note: "has no backpressure: the source pushes, and writes what came out before it reads on",
    set: "full",
    whyFaster: itPushes,
    load: async () => {
      const { default: callbags } = await import("callbag-basics");

      const { filter, forEach, fromObs, map, pipe } = callbags;
      return async (job) => {
        const written: Chunk[] = [];
        const steps = job.steps.map(({ kind, fn }) => kind === "map" ? map(fn) : filter(fn));
        let push: (chunk: Chunk) => void = () => {};
        const subscribable = {
          subscribe(observer: { next(chunk: Chunk): void }) {
            push = (chunk) => observer.next(chunk);
            return { unsubscribe() {} };
          },
        };
        const take = forEach((chunk: Chunk) => void written.push(chunk));
        // A chain of any length has no type.
        (pipe as (...parts: unknown[]) => void)(fromObs(subscribable), ...steps, take);
        await pushSource(job, (chunk) => push(chunk), written);
      };
    },
  },
];

/** A chain that begins in any iterable. */
type IterableChainJob = Omit<ChainJob, "source"> & {
  source(): Iterable<Chunk> | AsyncIterable<Chunk>;
};

/**
 * Those of them that are named, each in a set, for jobs that are chains at heart: what is said there of why one is
 * faster does not hold for these.
 */
export function adaptChains<Job>(
  sets: Readonly<Record<string, CaseSet | undefined>>,
  toChain: (job: Job) => IterableChainJob,
): Contestant<(job: Job) => Promise<void>>[] {
  return chainContestants.filter(({ name }) => Object.hasOwn(sets, name)).map((
    { whyFaster: _, ...entry },
  ) => ({
    ...entry,
    set: sets[entry.name],
    async load() {
      const run = await entry.load();
      // Those that are named read any iterable.
      return (job) => run(toChain(job) as ChainJob);
    },
  }));
}
