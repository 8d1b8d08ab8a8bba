import type { Contestant } from "../measure/workload.ts";
import type { Stream } from "@most/types";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** What the one stage does. */
export type OneStageKind = "batch" | "flat-map" | "format-ndjson" | "parse-ndjson";

/** An array through one stage. */
interface OneStageJob {
  readonly kind: OneStageKind;
  /** Numbers for `batch` and `flat-map`, rows for `format-ndjson`, texts cut anywhere for `parse-ndjson`. */
  readonly chunks: readonly unknown[];
  /** Takes a batch of `batchSize`, each part of a number, a line or a value. */
  take(result: unknown): void;
}

const batchSize = 100;

/** What a number is made into. */
function partsOf(number: number): number[] {
  return Array.from({ length: number % 100 + 1 }, (_, part) => part);
}

/** Runs the job; a contestant is one such function. */
export type RunOneStage = (job: OneStageJob) => Promise<void>;

/** Every contestant of one_stage, each as its own users write it. */
export const contestants: readonly Contestant<RunOneStage>[] = [
  {
    name: "hand",
    about: "control: a loop, without a promise",
    load: () => {
      function batch(chunks: readonly unknown[], take: (batch: unknown[]) => void): void {
        let held: unknown[] = [];
        for (const chunk of chunks) {
          if (held.push(chunk) < batchSize) continue;
          take(held);
          held = [];
        }
        if (held.length > 0) take(held);
      }

      function parse(texts: readonly string[], take: (value: unknown) => void): void {
        let rest = "";
        for (const text of texts) {
          const lines = (rest + text).split("\n");
          rest = lines.pop()!;
          for (const line of lines) take(JSON.parse(line));
        }
        if (rest !== "") take(JSON.parse(rest));
      }
      /** Loops without a promise. */
      return ({ kind, chunks, take }) => {
        if (kind === "batch") batch(chunks, take);
        else if (kind === "parse-ndjson") parse(chunks as string[], take);
        else if (kind === "format-ndjson") {
          for (const chunk of chunks) take(`${JSON.stringify(chunk)}\n`);
        } else {
          for (const chunk of chunks) for (const part of partsOf(chunk as number)) take(part);
        }
        return Promise.resolve();
      };
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: pipeline over the stage",
    load: async () => {
      const { batch, flatMap, formatNdjson, parseNdjson, pipeline: runPipeline } = await import(
        "../../mod.ts"
      );

      return async ({ kind, chunks, take }) => {
        if (kind === "batch") await runPipeline(chunks, batch(batchSize), take);
        else if (kind === "format-ndjson") await runPipeline(chunks, formatNdjson(), take);
        else if (kind === "flat-map") await runPipeline(chunks as number[], flatMap(partsOf), take);
        else await runPipeline(chunks as string[], parseNdjson(), take);
      };
    },
  },
  {
    name: "it-batch",
    about: "it-batch, read by for of, since the source is an array",
    package: "it-batch",
    takes: ({ job }) => job === "batch",
    whyFaster:
      "of an array it makes a loop that only pushes, without a promise, a sink or a turn for the event loop",
    load: async () => {
      const { default: batch } = await import("it-batch");

      /** Of an array it gives an iterable that is no async one. */
      return ({ chunks, take }) => {
        for (const one of batch(chunks, batchSize)) take(one);
        return Promise.resolve();
      };
    },
  },
  {
    name: "most-core",
    about: "@most/core: chain",
    package: "@most/core",
    takes: ({ job }) => job === "flat-map",
    load: async () => {
      const { chain, newStream, runEffects, tap } = await import("@most/core");
      const { currentTime, newDefaultScheduler } = await import("@most/scheduler");

      const disposable = { dispose() {} };

      /** A stream of what an array holds. */
      function fromArray<T>(chunks: readonly T[]): Stream<T> {
        return newStream((sink, scheduler) => {
          const time = currentTime(scheduler);
          for (const chunk of chunks) sink.event(time, chunk);
          sink.end(time);
          return disposable;
        });
      }
      return async ({ chunks, take }) => {
        const numbers = fromArray(chunks as readonly number[]);
        const parts = chain((number: number) => fromArray(partsOf(number)), numbers);
        await runEffects(tap(take, parts), newDefaultScheduler());
      };
    },
  },
  {
    name: "stream-chain",
    about: "stream-chain: its batch, many and parser",
    package: "stream-chain",
    takes: ({ job }) => job !== "format-ndjson",
    load: async () => {
      const { chainUnchecked, many } = await import("stream-chain/core");
      const { default: batch } = await import("stream-chain/utils/batch.js");
      const { default: parser } = await import("stream-chain/jsonl/parser.js");

      const stages: Partial<Record<OneStageKind, () => unknown>> = {
        "batch": () => batch(batchSize),
        "flat-map": () => (number: number) => many(partsOf(number)),
        "parse-ndjson": () => [parser(), ({ value }: { value: unknown }) => value],
      };
      return async ({ kind, chunks, take }) => {
        for await (const result of chainUnchecked([stages[kind]!()])(chunks)) take(result);
      };
    },
  },
  {
    name: "split2",
    about: "split2 with JSON.parse, on node:stream",
    package: "split2",
    takes: ({ job }) => job === "parse-ndjson",
    load: async () => {
      const { default: split } = await import("split2");

      return async ({ chunks, take }) => {
        const values = split(JSON.parse);
        values.on("data", take);
        await pipeline(Readable.from(chunks), values);
      };
    },
  },
  {
    name: "bun-jsonl",
    about: "Bun's own JSONL.parseChunk, in a loop",
    runtimes: ["bun"],
    takes: ({ job }) => job === "parse-ndjson",
    whyFaster: "Bun parses all lines of a text in one call, without a text for each line",
    load: () => {
      interface Read {
        readonly values: unknown[];
        readonly read: number;
        readonly error: unknown;
      }

      const { JSONL } = (globalThis as unknown as {
        Bun: { JSONL: { parseChunk(text: string): Read } };
      }).Bun;
      /** What Bun has by itself: parses as many lines of a text as are whole. */
      return ({ chunks, take }) => {
        let rest = "";
        for (const text of chunks as string[]) {
          const given = rest + text;
          const { values, read, error } = JSONL.parseChunk(given);
          if (error) throw error;
          for (const value of values) take(value);
          rest = given.slice(read);
        }
        for (const value of JSONL.parseChunk(`${rest}\n`).values) take(value);
        return Promise.resolve();
      };
    },
  },
];
