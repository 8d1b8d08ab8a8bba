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

async function drain<T>(source: AsyncIterable<T>, take: (value: T) => void): Promise<void> {
  for await (const value of source) take(value);
}

/** Our joins, read in one way. */
async function ours(read: typeof drain): Promise<RunJoin> {
  const { merge, tee, zip } = await import("../../mod.ts");
  return async (job) => {
    const { kind, take } = job;
    if (kind === "merge") await read(merge(...openAll(job)), take);
    else if (kind === "zip") await read(zip(...openAll(job)), (tuple) => take(sumOf(tuple)));
    else await Promise.all(tee(job.open(), job.count).map((branch) => read(branch, take)));
  };
}

/** Every contestant of joins, each as its own users write it. */
export const contestants: readonly Contestant<RunJoin>[] = [
  {
    name: "hand",
    about: "control: loops beside each other; Promise.all for tuples",
    load: () => {
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
      const { pipeline: runPipeline } = await import("../../mod.ts");
      return await ours(async (source, take) => void await runPipeline(source, take));
    },
  },
  {
    name: "for-await",
    about: "hosepipe: the same, read by for await",
    load: () => ours(drain),
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
