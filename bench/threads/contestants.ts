import type { Contestant } from "../measure/workload.ts";
import type { RunThreads, ThreadsJob } from "./job.ts";
import { default as runBatch } from "./modules/pool_task.ts";
import type { Endpoint } from "comlink";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { batchOf } from "./steps.ts";

const lineFeed = 10;

/** Bytes that are cut anywhere, cut behind lines. */
function* wholeLines(blocks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for (const block of blocks) {
    const end = block.lastIndexOf(lineFeed) + 1;
    if (end === 0) {
      rest = Uint8Array.of(...rest, ...block);
      continue;
    }
    const whole = new Uint8Array(rest.length + end);
    whole.set(rest);
    whole.set(block.subarray(0, end), rest.length);
    yield whole;
    rest = block.slice(end);
  }
  if (rest.length > 0) yield rest;
}

/** What a user of a pool makes of a stream by hand: batches, as many as two a thread in flight, results in order. */
async function runInBatches(
  { kind, threads, chunks, take }: ThreadsJob,
  run: (batch: Batch) => PromiseLike<unknown>,
): Promise<void> {
  const flights: PromiseLike<unknown>[] = [];
  const takeNext = async () => {
    for (const result of await flights.shift()! as unknown[]) take(result);
  };
  const size = batchOf(kind);
  let batch: unknown[] = [];
  const send = async () => {
    flights.push(run({ kind, chunks: batch }));
    batch = [];
    if (flights.length >= threads * 2) await takeNext();
  };
  const source = kind === "ndjson" ? wholeLines(chunks as Uint8Array[]) : chunks;
  for (const chunk of source) if (batch.push(chunk) === size) await send();
  if (batch.length > 0) await send();
  while (flights.length > 0) await takeNext();
}

type Batch = { kind: string; chunks: unknown[] };

/** Runs in a pool that is made for the first run and kept. */
function inPool(make: (threads: number) => (batch: Batch) => PromiseLike<unknown>): RunThreads {
  let run: ReturnType<typeof make> | undefined;
  return (job) => runInBatches(job, run ??= make(job.threads));
}

/** Piscina and what was made of it. */
type ThreadPool = new (options: Readonly<Record<string, unknown>>) => {
  run(batch: Batch): Promise<unknown>;
};

function inThreadPool(Pool: ThreadPool): RunThreads {
  const filename = new URL("./modules/pool_task.ts", import.meta.url).href;
  return inPool((threads) => {
    const limits = { minThreads: threads, maxThreads: threads, concurrentTasksPerWorker: 2 };
    const pool = new Pool({ filename, ...limits });
    return (batch) => pool.run(batch);
  });
}

const batches = "two batches a thread in flight, made by hand, results in order";

/** Every contestant of threads. */
export const contestants: readonly Contestant<RunThreads>[] = [
  {
    name: "hand",
    about: "control: a loop, in one thread",
    load: () => (job) => runInBatches(job, (batch) => Promise.resolve(runBatch(batch as never))),
  },
  {
    name: "pipeline",
    about: "hosepipe: the stages in one thread",
    load: async () => {
      const { compose, pipeline: runPipeline } = await import("../../mod.ts");
      const { makeStages } = await import("./modules/stages.ts");

      return async ({ kind, chunks, take }) => {
        await runPipeline(chunks, compose(makeStages(kind)), take);
      };
    },
  },
  {
    name: "in-workers",
    about: "hosepipe: the stages in threads, by inWorkers",
    load: async () => {
      const { pipeline } = await import("../../mod.ts");
      const { inWorkers: runInWorkers } = await import("../../src/workers/mod.ts");

      const module = new URL("./modules/stages.ts", import.meta.url);
      return async ({ kind, threads, chunks, take }) => {
        const cut = kind === "ndjson" ? "\n" : undefined;
        await pipeline(chunks, runInWorkers(module, { threads, cut, options: kind }), take);
      };
    },
  },
  {
    name: "piscina",
    about: `piscina: ${batches}`,
    package: "piscina",
    load: async () => inThreadPool((await import("piscina")).Piscina),
  },
  {
    name: "tinypool",
    about: `tinypool: ${batches}`,
    package: "tinypool",
    load: async () => inThreadPool((await import("tinypool")).Tinypool),
  },
  {
    name: "workerpool",
    about: `workerpool: ${batches}`,
    package: "workerpool",
    note: "its threads do not answer in Bun",
    runtimes: ["deno", "node"],
    load: async () => {
      const { default: workerpoolModule } = await import("workerpool");

      const script = fileURLToPath(new URL("./modules/workerpool_task.ts", import.meta.url));
      return inPool((threads) => {
        const limits = { maxWorkers: threads, minWorkers: threads };
        const pool = workerpoolModule.pool(script, { ...limits, workerType: "thread" });
        return (batch) => pool.exec("runBatch", [batch]) as PromiseLike<unknown>;
      });
    },
  },
  {
    name: "comlink",
    about: `comlink: ${batches}, threads in turn`,
    package: "comlink",
    load: async () => {
      const { wrap } = await import("comlink");
      const adapter = await import("comlink/dist/esm/node-adapter.mjs");

      // Its types call the module the function that is its default export.
      const toEndpoint =
        (adapter as unknown as { readonly default: (port: unknown) => Endpoint }).default;

      type Task = { runBatch(batch: unknown): Promise<unknown> };

      const module = new URL("./modules/comlink_task.ts", import.meta.url);
      return inPool((threads) => {
        const all = Array.from({ length: threads }, () => {
          const worker = new Worker(module);
          worker.unref();
          return wrap(toEndpoint(worker)) as unknown as Task;
        });
        let next = 0;
        return (batch) => all[next++ % all.length]!.runBatch(batch);
      });
    },
  },
  {
    name: "transferred",
    about: "Web Streams handed over to threads, chunks in turn: each is a message",
    note: "Bun hands over no streams",
    runtimes: ["deno", "node"],
    load: () => {
      const module = new URL("./modules/transferred_task.ts", import.meta.url);
      let threads: Worker[] | undefined;

      /** A stream to a thread and one back: each chunk is a message of its own. */
      function connect(thread: Worker, kind: string) {
        const [there, back] = [new TransformStream(), new TransformStream()];
        const ends = { kind, readable: there.readable, writable: back.writable };
        thread.postMessage(ends, [there.readable, back.writable] as never);
        return { writer: there.writable.getWriter(), reader: back.readable.getReader() };
      }
      return async (job) => {
        const { kind, chunks, take } = job;
        threads ??= Array.from({ length: job.threads }, () => {
          const worker = new Worker(module);
          worker.unref();
          return worker;
        });
        const ends = threads.map((thread) => connect(thread, kind));
        const send = async () => {
          let index = 0;
          for (const chunk of kind === "ndjson" ? wholeLines(chunks as Uint8Array[]) : chunks) {
            const { writer } = ends[index++ % ends.length]!;
            await writer.ready;
            void writer.write(chunk);
          }
          for (const { writer } of ends) await writer.close();
        };
        const receive = async () => {
          for (let index = 0;; index++) {
            const { done, value } = await ends[index % ends.length]!.reader.read();
            if (done) return;
            take(value);
          }
        };
        // Streams that were handed over keep no process alive.
        for (const thread of threads) thread.ref();
        await Promise.all([send(), receive()]);
        for (const thread of threads) thread.unref();
      };
    },
  },
];
