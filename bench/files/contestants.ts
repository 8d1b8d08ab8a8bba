import { currentRuntime } from "../../runtimes/current_runtime.ts";
import type { Contestant } from "../measure/workload.ts";
import { loadStreamIter } from "../peers/load_stream_iter.ts";
import { chunkSize, readChunks } from "../text/read_chunks.ts";
import { createReadStream, createWriteStream } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A job on files: one is read from end to end, and written to another or counted. */
interface FileJob {
  readonly inputPath: string;
  /** Where the copy goes; undefined if each chunk goes to `take`. */
  readonly outputPath: string | undefined;
  readonly take: (chunk: Uint8Array) => void;
}

/** Runs a job on files; a contestant is one such function. */
export type RunFile = (job: FileJob) => Promise<void>;

/** What takes a chunk; a promise is to be waited for. */
type ChunkSink = (chunk: Uint8Array) => void | Promise<void>;

/** Opens where a job's chunks go, and closes it however `use` ends. */
async function withChunkSink(
  { outputPath, take }: FileJob,
  use: (sink: ChunkSink) => Promise<unknown>,
): Promise<void> {
  if (outputPath === undefined) {
    await use(take);
    return;
  }
  await using file = await open(outputPath, "w");
  await use((chunk) => file.writeFile(chunk));
}

/** Who reads files, and copies them. */
export const contestants: readonly Contestant<RunFile>[] = [
  {
    name: "hand",
    about: "reads and writes with one buffer of 64 KiB, one after the other",
    load: () => async (job) => {
      await using file = await open(job.inputPath);
      await withChunkSink(job, async (sink) => {
        const buffer = new Uint8Array(chunkSize);
        while (true) {
          const { bytesRead } = await file.read(buffer, 0, chunkSize);
          if (bytesRead === 0) return;
          await sink(buffer.subarray(0, bytesRead));
        }
      });
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over chunks of 64 KiB, each in its own memory",
    load: async () => {
      const { pipeline: runPipeline } = await import("../../mod.ts");

      return (job) => withChunkSink(job, (sink) => runPipeline(readChunks(job.inputPath), sink));
    },
  },
  {
    name: "native",
    about: "the runtime's own: Deno.open, Bun.file, Node's readableWebStream",
    note: "Node has no web stream that writes a file: its handle is written to",
    load: () => {
      /** Node reads a file as a web stream; it has none to write one. */
      const nativeNode: RunFile = async (job) => {
        await using file = await open(job.inputPath);
        await withChunkSink(
          job,
          (write) => file.readableWebStream().pipeTo(new WritableStream({ write })),
        );
      };

      /** Deno's files are web streams themselves. */
      const nativeDeno: RunFile = async ({ inputPath, outputPath, take }) => {
        const options = { write: true, create: true, truncate: true };
        const sink = outputPath === undefined
          ? new WritableStream<Uint8Array<ArrayBuffer>>({ write: take })
          : (await Deno.open(outputPath, options)).writable;
        const input = await Deno.open(inputPath);
        await input.readable.pipeTo(sink);
      };

      /** What we use of Bun's global; its types and Deno's cannot be loaded together. */
      interface BunGlobal {
        file(path: string): {
          stream(): ReadableStream<Uint8Array>;
          writer(): { write(chunk: Uint8Array): number | Promise<number>; end(): unknown };
        };
      }

      /** Bun reads a file as a web stream, and writes with a sink of its own. */
      const nativeBun: RunFile = async ({ inputPath, outputPath, take }) => {
        const { Bun } = globalThis as unknown as { Bun: BunGlobal };
        const chunks = Bun.file(inputPath).stream();
        if (outputPath === undefined) {
          for await (const chunk of chunks) take(chunk);
          return;
        }
        // Its writer leaves what a longer file has after the new end.
        await writeFile(outputPath, "");
        const writer = Bun.file(outputPath).writer();
        try {
          for await (const chunk of chunks) await writer.write(chunk);
        } finally {
          await writer.end();
        }
      };

      const natives = { deno: nativeDeno, bun: nativeBun, node: nativeNode };
      return natives[currentRuntime().name];
    },
  },
  {
    name: "node",
    about: "createReadStream, createWriteStream and pipeline of node:stream",
    load: () => async ({ inputPath, outputPath, take }) => {
      const sink = outputPath === undefined
        ? new Writable({
          write(chunk, _, done) {
            take(chunk);
            done();
          },
        })
        : createWriteStream(outputPath);
      await pipeline(createReadStream(inputPath), sink);
    },
  },
  {
    name: "stream_iter",
    about: "pull and writer of Node's file handles, by node:stream/iter",
    note: "experimental in Node, behind a flag",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    load: async () => {
      const { pipeTo } = await loadStreamIter();
      return async ({ inputPath, outputPath, take }) => {
        await using input = await open(inputPath);
        if (outputPath === undefined) {
          await pipeTo(input.pull(), { write: (chunk) => Promise.resolve(take(chunk)) });
        } else {
          await using output = await open(outputPath, "w");
          await pipeTo(input.pull(), output.writer());
        }
      };
    },
  },
];
