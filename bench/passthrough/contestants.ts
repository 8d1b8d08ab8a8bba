import { passFunctions } from "../chains/to_transformers.ts";
import type { Contestant } from "../measure/workload.ts";
import { type IterableStreamStage, loadStreamIter } from "../peers/load_stream_iter.ts";
import type { PullSource } from "../peers/pull_source.ts";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A job in memory: one chunk, again and again, through stages that do nothing, to a counter. */
interface MemoryJob {
  /** Given every time. */
  readonly chunk: Uint8Array<ArrayBuffer>;
  /** How many times. */
  readonly count: number;
  /** How many stages that do nothing. */
  readonly stages: number;
  /** What the sink does with each chunk. */
  readonly take: (chunk: Uint8Array) => void;
}

/** Runs a job in memory; a contestant is one such function. */
export type RunMemory = (job: MemoryJob) => Promise<void>;

/** What `new ReadableStream()` takes: gives the job's chunk as often as it is asked for. */
function webSource({ chunk, count }: MemoryJob): UnderlyingDefaultSource {
  let left = count;
  return {
    pull(controller) {
      if (left-- > 0) controller.enqueue(chunk);
      else controller.close();
    },
  };
}

/**
 * Gives one chunk `count` times. A plain iterator, as the sources of the others are plain functions: to resume a
 * generator can cost as much as the pipeline that asks it.
 */
function repeat<Chunk>(chunk: Chunk, count: number): IterableIterator<Chunk, void> {
  let left = count;
  return {
    next: () => left-- > 0 ? { done: false, value: chunk } : { done: true, value: undefined },
    [Symbol.iterator]() {
      return this;
    },
  };
}

/** The classes of web streams, the runtime's own or another make. */
interface WebClasses {
  readonly Readable: new (source: UnderlyingDefaultSource) => ReadableStream;
  readonly Transform: new (transformer: Transformer) => TransformStream;
  readonly Writable: new (sink: UnderlyingSink) => WritableStream;
}

/** Runs a job as a chain of web streams. */
async function pipeWeb(
  job: MemoryJob,
  { Readable, Transform, Writable }: WebClasses,
): Promise<void> {
  let stream = new Readable(webSource(job));
  for (const pass of passFunctions(job.stages)) {
    const passer: Transformer = {
      transform: (chunk, controller) => controller.enqueue(pass(chunk)),
    };
    stream = stream.pipeThrough(new Transform(passer));
  }
  await stream.pipeTo(new Writable({ write: (chunk) => job.take(chunk) }));
}

/** Every contestant of passthrough. */
export const contestants: readonly Contestant<RunMemory>[] = [
  {
    name: "hand",
    about: "one hand-written loop: the limit",
    load: () => {
      // deno-lint-ignore require-await -- a contestant answers with a promise
      return async ({ chunk, count, stages, take }) => {
        const passes = passFunctions(stages);
        for (let index = 0; index < count; index++) {
          let passed = chunk;
          for (const pass of passes) passed = pass(passed);
          take(passed);
        }
      };
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over an iterator, map and a function",
    load: async () => {
      const { compose, map, pipeline: runPipeline } = await import("../../mod.ts");

      return async ({ chunk, count, stages, take }) => {
        const passes: Transformer[] = passFunctions(stages).map((pass) => map(pass));
        await runPipeline(repeat(chunk, count), compose(passes), take);
      };
    },
  },
  {
    name: "fuse",
    about: "hosepipe: fuse over map, between native streams",
    load: async () => {
      const { compose, fuse: fuseStages, map } = await import("../../mod.ts");

      return async (job) => {
        const stages: Transformer[] = passFunctions(job.stages).map((pass) => map(pass));
        await new ReadableStream(webSource(job))
          .pipeThrough(fuseStages(compose(stages)))
          .pipeTo(new WritableStream({ write: (chunk) => job.take(chunk) }));
      };
    },
  },
  {
    name: "web",
    about: "native web streams: pipeTo, and a TransformStream per stage",
    load: () => (job) =>
      pipeWeb(job, {
        Readable: ReadableStream,
        Transform: TransformStream,
        Writable: WritableStream,
      }),
  },
  {
    name: "web_bytes",
    about: "a native byte stream, read into one buffer of the reader's own (BYOB)",
    note: "copies each chunk into the reader's buffer; has no stages and no writable end",
    takes: ({ stages = 0 }) => stages === 0,
    load: () => async ({ chunk: bytes, count, take }) => {
      let left = count;
      const readable = new ReadableStream({
        type: "bytes",
        pull(controller) {
          const request = controller.byobRequest;
          if (left-- <= 0) {
            controller.close();
            request?.respond(0);
          } else if (request) {
            const { buffer, byteOffset } = request.view!;
            new Uint8Array(buffer as ArrayBuffer, byteOffset, bytes.length).set(bytes);
            request.respond(bytes.length);
          } else controller.enqueue(bytes.slice());
        },
      }, { highWaterMark: 0 });
      const reader = readable.getReader({ mode: "byob" });
      let view = new Uint8Array(bytes.length);
      for (let read = await reader.read(view); !read.done; read = await reader.read(view)) {
        take(read.value);
        view = new Uint8Array(read.value.buffer, 0, bytes.length);
      }
    },
  },
  {
    name: "node",
    about: "node:stream and its pipeline",
    load: () => async (job) => {
      let left = job.count;
      const source = new Readable({
        read() {
          this.push(left-- > 0 ? job.chunk : null);
        },
      });
      const stages = passFunctions(job.stages).map((pass) =>
        new Transform({ transform: (chunk, _, done) => done(null, pass(chunk)) })
      );
      const sink = new Writable({
        write(chunk, _, done) {
          job.take(chunk);
          done();
        },
      });
      await pipeline([source, ...stages, sink]);
    },
  },
  {
    name: "pull-stream",
    about: "pull-stream 3",
    load: async () => {
      const { default: pull } = await import("pull-stream");

      return ({ chunk, count, stages, take }) => {
        let left = count;
        const source: PullSource<Uint8Array> = (abort, callback) => {
          if (abort) callback(abort);
          else if (left-- > 0) callback(null, chunk);
          else callback(true);
        };
        return new Promise((resolve, reject) => {
          const passes = passFunctions(stages).map((pass) => pull.map(pass));
          const done = (error: unknown) => error === null ? resolve() : reject(error);
          pull(source, ...passes, pull.drain(take, done));
        });
      };
    },
  },
  {
    name: "fast-webstreams",
    about: "experimental-fast-webstreams, web streams on top of node:stream; made for Node only",
    runtimes: ["node"],
    load: async () => {
      const { FastReadableStream, FastTransformStream, FastWritableStream } = await import(
        "experimental-fast-webstreams"
      );

      return (job) =>
        pipeWeb(job, {
          Readable: FastReadableStream,
          Transform: FastTransformStream,
          Writable: FastWritableStream,
        });
    },
  },
  {
    name: "stream_iter",
    about: "node:stream/iter, which passes on batches of bytes",
    note: "experimental in Node, behind a flag; bytes only",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    load: async () => {
      const { from, pipeTo } = await loadStreamIter();
      return async ({ chunk, count, stages, take }) => {
        const passes = passFunctions(stages).map((pass): IterableStreamStage => (chunks) =>
          chunks && chunks.map((one) => pass(one))
        );
        await pipeTo(from(repeat(chunk, count)), ...passes, {
          write: (bytes) => Promise.resolve(take(bytes)),
          writevSync(batch) {
            for (const bytes of batch) take(bytes);
            return true;
          },
        });
      };
    },
  },
];
