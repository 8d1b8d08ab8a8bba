import { chainContestants } from "../chains/contestants.ts";
import type { RunChain, Step } from "../chains/job.ts";
import {
  pipeThroughSteps,
  sinkWritableOptions,
  toTransformOptions,
} from "../chains/to_transformers.ts";
import type { Contestant } from "../measure/workload.ts";
import { loadStreamIter } from "../peers/load_stream_iter.ts";
import { LineDecoder } from "../text/line_decoder.ts";
import { readAhead, splitLines } from "../text/read_chunks.ts";
import { withLineSink } from "../text/with_line_sink.ts";
import type { RealJob, RunRealWork } from "./job.ts";
import { openChunks } from "./open_chunks.ts";
import {
  type Customers,
  enrichOrder,
  isOrder,
  type Order,
  parseEvent,
  projectOrder,
  type ShopEvent,
  toJsonLine,
} from "./steps/steps.ts";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { createGunzip } from "node:zlib";

/** The steps of the job, in order, from lines read to lines to be written. */
function createSteps(customers: Customers): readonly Step[] {
  return [
    { kind: "map", fn: parseEvent },
    { kind: "filter", fn: isOrder },
    { kind: "map", fn: projectOrder },
    { kind: "map", fn: (order: Order) => enrichOrder(order, customers) },
    { kind: "map", fn: toJsonLine },
  ];
}

/** Does the job with a contestant that builds any chain. */
function workByChain(runChain: RunChain): RunRealWork {
  return (job) =>
    withLineSink(job.outputPath, (sink) =>
      runChain({
        source: () => splitLines(openChunks(job)),
        isBatched: true,
        steps: createSteps(job.customers),
        write: (line: string) => sink.write(line),
      }));
}

/** Every contestant of real_work: those of its own, and all that build any chain. */
export const contestants: readonly Contestant<RunRealWork>[] = [
  {
    name: "hand",
    about: "control: one hand-written loop",
    set: "tour",
    load: () => (job) =>
      withLineSink(job.outputPath, async (sink) => {
        for await (const lines of splitLines(openChunks(job))) {
          for (const line of lines) {
            const event = parseEvent(line);
            if (!isOrder(event)) continue;
            const written = sink.write(toJsonLine(enrichOrder(projectOrder(event), job.customers)));
            if (written) await written;
          }
        }
      }),
  },
  ...chainContestants.map((entry): Contestant<RunRealWork> => ({
    ...entry,
    load: async () => workByChain(await entry.load()),
  })),
  {
    name: "stream-iter",
    about: "node:stream/iter: one stage that does all the work on batches of bytes",
    note: "experimental in Node, behind a flag; carries bytes alone, so that one stage does it all",
    set: "publish",
    runtimes: ["node"],
    nodeFlags: ["--experimental-stream-iter"],
    whyFaster: "its one stage is a loop over whole batches, as `hand` is, and passes on bytes only",
    load: () => async (job) => {
      const { from, pipeTo } = await loadStreamIter();
      const steps = createSteps(job.customers);
      const decoder = new LineDecoder();
      const encoder = new TextEncoder();
      const work = (line: string): string => {
        let result: unknown = line;
        for (const step of steps) {
          if (step.kind === "map") result = step.fn(result);
          else if (!step.fn(result)) return "";
        }
        return result as string;
      };
      const stage = (chunks: Uint8Array[] | null): Uint8Array[] => {
        const lines = chunks === null
          ? decoder.end()
          : chunks.flatMap((chunk) => decoder.push(chunk));
        const text = lines.map(work).join("");
        return text === "" ? [] : [encoder.encode(text)];
      };
      const texts = new TextDecoder();
      await withLineSink(job.outputPath, async (sink) => {
        const write = async (chunk: Uint8Array) => await sink.write(texts.decode(chunk));
        await pipeTo(from(openChunks(job)), stage, { write });
      });
    },
  },
  {
    name: "pipeline-own",
    about: "hosepipe with its own means: parseNdjson, formatNdjson, DecompressionStream, body",
    set: "publish",
    load: async () => {
      const { filter, formatNdjson, map, parseNdjson, pipeline } = await import("../../mod.ts");

      async function open({ from, url, inputPath }: RealJob) {
        return from === "http" ? (await fetch(url)).body! : readAhead(inputPath);
      }
      return (job) =>
        withLineSink(job.outputPath, async (sink) => {
          const stages = [
            parseNdjson<ShopEvent>(),
            filter(isOrder),
            map(projectOrder),
            map((order: Order) => enrichOrder(order, job.customers)),
            formatNdjson(),
          ] as const;
          const write = (line: string) => sink.write(line);
          const source = await open(job);
          if (job.from !== "gzip") await pipeline(source, ...stages, write);
          else await pipeline(source, new DecompressionStream("gzip"), ...stages, write);
        });
    },
  },
  {
    name: "web-own",
    about: "web with its own means: DecompressionStream, TextDecoderStream, TextLineStream",
    package: "deno-std",
    set: "publish",
    load: async () => {
      const { TextLineStream } = await import("@std/streams");

      async function open({ from, url, inputPath }: RealJob): Promise<ReadableStream<Uint8Array>> {
        if (from === "http") return (await fetch(url)).body!;
        const bytes: ReadableStream = ReadableStream.from(readAhead(inputPath));
        return from === "gzip" ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
      }
      return (job) =>
        withLineSink(job.outputPath, async (sink) => {
          const bytes: ReadableStream = await open(job);
          const lines = bytes.pipeThrough(new TextDecoderStream())
            .pipeThrough(new TextLineStream());
          await pipeThroughSteps(lines, createSteps(job.customers)).pipeTo(
            new WritableStream({ write: (line: string) => sink.write(line) }),
          );
        });
    },
  },
  {
    name: "node-own",
    about: "node with its own means: createReadStream, createGunzip, readline",
    set: "publish",
    load: () => {
      async function open({ from, url, inputPath }: RealJob): Promise<Readable> {
        if (from === "http") return Readable.fromWeb((await fetch(url)).body as NodeReadableStream);
        const bytes = createReadStream(inputPath);
        return from === "gzip" ? bytes.pipe(createGunzip()) : bytes;
      }
      return (job) =>
        withLineSink(job.outputPath, async (sink) => {
          const chain = {
            source: () => openChunks(job),
            isBatched: false,
            steps: createSteps(job.customers),
            write: (line: string) => sink.write(line),
          };
          const lines = createInterface({ input: await open(job), crlfDelay: Infinity });
          await pipeline([
            Readable.from(lines),
            ...toTransformOptions(chain).map((options) => new Transform(options)),
            new Writable(sinkWritableOptions(chain)),
          ]);
        });
    },
  },
];
