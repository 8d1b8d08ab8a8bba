import type { Contestant } from "../measure/workload.ts";

/** How sources are joined, or one is shared. */
export type JoinKind = "merge" | "zip" | "share";

/** Sources of numbers, to be joined; or one, to be shared by `count` readers. */
interface JoinJob {
  readonly kind: JoinKind;
  /** How many sources, or readers. */
  readonly count: number;
  /** Opens a source. */
  open(): AsyncIterable<number>;
  /** Takes each number of a merge, the sum of each tuple, and each number that a reader gets. */
  take(value: number): void;
}

/** Runs the job; a contestant is one such function. */
export type RunJoin = (job: JoinJob) => Promise<void>;

/** Opens every source. */
function openAll({ count, open }: JoinJob): AsyncIterable<number>[] {
  return Array.from({ length: count }, () => open());
}

/** The sum of a tuple. */
function sumOf(tuple: readonly number[]): number {
  let sum = 0;
  for (const value of tuple) sum += value;
  return sum;
}

/** Every contestant of joins, each as its own users write it. */
export const contestants: readonly Contestant<RunJoin>[] = [
  {
    name: "hand",
    about: "control: loops beside each other; Promise.all for tuples",
    load: () => {
      async function drain(
        source: AsyncIterable<number>,
        take: (value: number) => void,
      ): Promise<void> {
        for await (const value of source) take(value);
      }
      /** Loops beside each other; tuples by `Promise.all`; what is shared is given to all in one loop. */
      return async (job) => {
        const { kind, count, open, take } = job;
        if (kind === "merge") await Promise.all(openAll(job).map((source) => drain(source, take)));
        else if (kind === "zip") {
          const iterators = openAll(job).map((source) => source[Symbol.asyncIterator]());
          while (true) {
            const results = await Promise.all(iterators.map((iterator) => iterator.next()));
            if (results.some(({ done }) => done)) return;
            take(sumOf(results.map(({ value }) => value)));
          }
        } else {
          await drain(open(), (value) => {
            for (let reader = 0; reader < count; reader++) take(value);
          });
        }
      };
    },
  },
  {
    name: "pipeline",
    about: "hosepipe: merge, zip and share, each read by pipeline",
    load: async () => {
      const { merge, pipeline: runPipeline, tee, zip } = await import("../../mod.ts");

      return async (job) => {
        const { kind, take } = job;
        if (kind === "merge") await runPipeline(merge(...openAll(job)), take);
        else if (kind === "zip") {
          await runPipeline(zip(...openAll(job)), (tuple) => take(sumOf(tuple as number[])));
        } else {
          const branches = tee(job.open(), job.count);
          await Promise.all(branches.map((branch) => runPipeline(branch, take)));
        }
      };
    },
  },
  {
    name: "for-await",
    about: "hosepipe: the same, read by for await",
    load: async () => {
      const { merge, tee, zip } = await import("../../mod.ts");

      return async (job) => {
        const { kind, take } = job;
        if (kind === "merge") {
          for await (const value of merge(...openAll(job))) take(value as number);
        } else if (kind === "zip") {
          for await (const tuple of zip(...openAll(job))) take(sumOf(tuple as number[]));
        } else {
          await Promise.all(
            tee(job.open(), job.count).map(async (branch) => {
              for await (const value of branch) take(value);
            }),
          );
        }
      };
    },
  },
  {
    name: "streaming-iterables",
    about: "streaming-iterables: merge",
    package: "streaming-iterables",
    takes: ({ kind }) => kind === "merge",
    note: "reads its sources one after the other, and waits for each",
    whyFaster:
      "it asks one source after the other and waits for each, so that a slow source stops all",
    load: async () => {
      const { merge } = await import("streaming-iterables");

      return async (job) => {
        for await (const value of merge(...openAll(job))) job.take(value as number);
      };
    },
  },
  {
    name: "ix",
    about: "IxJS: zip",
    package: "ix",
    takes: ({ kind }) => kind === "zip",
    load: async () => {
      const { zip } = await import("ix/asynciterable");

      return async (job) => {
        for await (const tuple of zip(...openAll(job))) job.take(sumOf(tuple as number[]));
      };
    },
  },
  {
    name: "web",
    about: "native streams: tee",
    takes: ({ kind }) => kind === "share",
    load: () => {
      /** Each reader but the last has one half of a `tee`. */
      return async ({ count, open, take }) => {
        const branches: ReadableStream<number>[] = [];
        let rest: ReadableStream<number> = ReadableStream.from(open());
        while (branches.length < count - 1) {
          const [branch, other] = rest.tee();
          branches.push(branch);
          rest = other;
        }
        await Promise.all([...branches, rest].map(async (branch) => {
          for await (const value of branch) take(value);
        }));
      };
    },
  },
];
