import { createHash, randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkInteger } from "../../src/errors.ts";
import { ensureSeed } from "../../scenarios/extract/seed/ensure_seed.ts";
import { seedStartMs } from "../../scenarios/extract/seed/seed_contacts.ts";
import { findContestant } from "../measure/define_workload.ts";
import type { CaseRequest, ContestantEntry, PreparedCase, Workload } from "../measure/workload.ts";
import { isMeasured, noopName, type Outcome, type Row } from "../results/result.ts";
import { alignColumns } from "../../scenarios/command_line/parse_command_line.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { keepHeapSmall } from "../../scenarios/extract/keep_heap_small.ts";
import { heapLimitMiB } from "./steps/check_heap.ts";
import { queryEverything } from "./steps/query_everything.ts";
import type { ExtractJob, RunExtract } from "./job.ts";

/** As the task has it: Deno's part of `keepHeapSmall`, and no heap of glibc's own for each thread. */
const frugal = {
  denoV8Flags: ["--max-semi-space-size=2", "--heap-growing-percent=10"],
  environment: { MALLOC_ARENA_MAX: "2", BUN_JSC_forceRAMSize: "100000000" },
};

/** A step of a ladder, whose code is loaded only when it is asked for. */
interface ExtractStep extends ContestantEntry {
  /** Tries whether it can be run at all. */
  check?(job: ExtractJob): Promise<void>;
  load(): Promise<RunExtract>;
}

/** The command's default: larger ones cost more memory than they save time. Later steps stand on it. */
const chosenBatchSize = 100;

/** What a step changes; the rest is as the command has it. */
interface StreamSettings {
  readonly batchSize?: number;
  readonly projection?: boolean;
  readonly partitions?: number;
  /** Node's pool of threads; it is made with the first file that is read. */
  readonly poolThreads?: number;
}

/** A step that is the command's own extraction, with these settings. */
function streamStep(
  name: string,
  about: string,
  { batchSize = chosenBatchSize, projection = true, partitions = 1, poolThreads }: StreamSettings,
): ExtractStep {
  return {
    ...{ name, about, ...frugal },
    ...(poolThreads === undefined ? {} : {
      runtimes: ["node"],
      nodeFlags: [
        `--import=data:text/javascript,process.env.UV_THREADPOOL_SIZE=${poolThreads}`,
      ],
    }),
    load: async () =>
      (await import("./steps/stream_rows.ts")).streamRows({ batchSize, projection, partitions }),
  };
}

/** The ladder from the bottom: each step on the one before it. */
export const steps: readonly ExtractStep[] = [
  {
    name: "load-all",
    about: `loads all rows, writes each synchronously; with a heap of ${heapLimitMiB} MiB`,
    note: "only Node is measured: the others take no limit of the heap on their command line here",
    runtimes: ["node"],
    nodeFlags: [`--max-old-space-size=${heapLimitMiB}`],
    check: async (job) => await (await import("./steps/check_heap.ts")).checkHeap(job),
    load: async () => (await import("./contestants/load_all.ts")).loadAll,
  },
  {
    name: "cursor",
    about: "a cursor instead of the array, writes each row synchronously",
    ...frugal,
    load: async () => {
      const { writeRows } = await import("./steps/write_rows.ts");

      // deno-lint-ignore require-await -- what fails must reject, as with all others
      return async ({ address, outputPath, period }) => {
        // As all later steps do: otherwise its memory would be what the collector leaves lying, not what a cursor holds.
        keepHeapSmall();
        return queryEverything(address, (statement, toRow) => {
          function* rows() {
            const iterator = statement.iterate(period.fromMs, period.toMs);
            for (let next = iterator.next(); !next.done; next = iterator.next()) {
              yield toRow(next.value);
            }
          }
          return writeRows(outputPath, rows());
        });
      };
    },
  },
  streamStep("write-stream", "a pipeline from the cursor to a writer of 16 KiB pieces", {
    ...{ batchSize: 1, projection: false },
  }),
  ...[16, 100, 1_000, 5_000].map((batchSize) =>
    streamStep(`batch-${batchSize}`, `${batchSize} rows fetched at a time`, {
      ...{ batchSize, projection: false },
    })
  ),
  streamStep("projection", "only the fields needed, 100 rows at a time", {}),
  ...[2, 4, 8].map((partitions) =>
    streamStep(
      `partitions-${partitions}`,
      `${partitions} partitions, read by as many threads as there are cores`,
      { partitions },
    )
  ),
  ...([["threads-4", 4], ["threads-cores", availableParallelism()]] as const)
    .map(([name, poolThreads]) =>
      streamStep(name, `projection, with a pool of ${poolThreads} threads`, { poolThreads })
    ),
];

function cells(row: Row | undefined): [seconds: string, rate: string, memory: string] {
  if (row === undefined) return ["-", "-", "-"];
  if (!isMeasured(row)) return ["refused" in row ? "dies" : "failed", "-", "-"];
  return [
    (row.median / 1000).toFixed(2),
    String(Math.round(row.chunks / row.median * 1000)),
    row.peakRssMiB.toFixed(0),
  ];
}

const ratio = (of: number | undefined, to: number | undefined) =>
  of === undefined || to === undefined ? "-" : (of / to).toFixed(2);

/** The ladder, a table for each runtime: seconds, rows per second and peak memory of each period. */
function extractTable(rows: readonly Row[]): string {
  const real = rows.filter(({ contestant }) => contestant !== noopName);
  const allDays = [...new Set(real.map(({ params }) => Number(params.days)))]
    .sort((one, other) => one - other);
  const tables = runtimeNames.flatMap((runtime) => {
    const ours = real.filter((row) => row.runtime === runtime);
    if (ours.length === 0) return [];
    const find = (step: string, days: number) =>
      ours.find((row) => row.contestant === step && row.params.days === days);
    const measured = (step: string, days: number) => {
      const row = find(step, days);
      return row !== undefined && isMeasured(row) ? row : undefined;
    };
    const [least, most] = [allDays[0]!, allDays.at(-1)!];
    const head = [
      `${runtime} ${ours[0]!.runtimeVersion}`,
      ...allDays.flatMap((days) => [`${days} d: s`, "rows/s", "MiB"]),
      "times cursor",
      "MiB ratio",
    ];
    const body = steps.filter(({ name }) => ours.some(({ contestant }) => contestant === name))
      .map(({ name }) => [
        name,
        ...allDays.flatMap((days) => cells(find(name, days))),
        ratio(measured("cursor", most)?.median, measured(name, most)?.median),
        least === most
          ? "-"
          : ratio(measured(name, most)?.peakRssMiB, measured(name, least)?.peakRssMiB),
      ]);
    const failures = ours.flatMap((row) =>
      isMeasured(row) ? [] : [`${row.contestant}, ${row.params.days} d: ${row.error}`]
    );
    return [[...alignColumns([head, ...body]), ...failures].join("\n")];
  });
  if (tables.length === 0) return "";
  const legend =
    "d: days. MiB: the most memory the process held; its ratio is the longest period's\n" +
    "to the shortest's. times cursor: how much faster than the step cursor, longest period.";
  return ["extract", ...tables, legend].join("\n\n");
}

const seed = { contacts: 20_000, days: 30, seed: 1 };
const dataFolder = fileURLToPath(new URL("../data", import.meta.url));
const dayMs = 86_400_000;

function parseDays(text: string): number {
  const days = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(days >= 1 && days <= seed.days)) {
    throw new RangeError(
      `Cannot read days: must be an integer from 1 to ${seed.days}, got ${JSON.stringify(text)}`,
    );
  }
  return days;
}

async function describeOutput(path: string, rows: number): Promise<Outcome> {
  const hash = createHash("sha256");
  let bytes = 0;
  // One buffer for all: the peak of memory is taken after this, and must not be of its making.
  const buffer = new Uint8Array(65_536);
  const file = await open(path, "r");
  try {
    while (true) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
  return { chunks: rows, bytes, digest: hash.digest("hex") };
}

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const step = findContestant("extract", steps, contestant);
  checkInteger("prepare extract", "days", params.days, 1);
  const job = {
    address: `sqlite:${await ensureSeed(dataFolder, seed)}`,
    outputPath: join(tmpdir(), `hosepipe-extract-${randomUUID()}.csv`),
    period: { fromMs: seedStartMs, toMs: seedStartMs + Number(params.days) * dayMs },
  };
  const dispose = () => rm(job.outputPath, { force: true });
  try {
    await step.check?.(job);
  } catch (error) {
    await dispose();
    throw error;
  }
  const run = await step.load();
  let rows = 0;
  return {
    async run() {
      rows = await run(job);
    },
    verify: () => describeOutput(job.outputPath, rows),
    dispose,
  };
}

/** A month of conversations from a database to CSV: what each step from a crash to a stream brings. */
export const extract: Workload = {
  name: "extract",
  about: "messages of a period from SQLite to CSV, step by step from loading all to a stream",
  params: {
    days: {
      about: `days of the period, of ${seed.days} there are`,
      values: [1, 30],
      quick: [1],
      parse: parseDays,
    },
  },
  contestants: steps.map(({ load: _load, check: _check, ...entry }) => entry),
  control: "cursor",
  bars: [{
    dividend: { contestant: "cursor" },
    divisor: { contestant: "projection" },
    atLeast: 2,
  }],
  prepareInput: async () => void await ensureSeed(dataFolder, seed),
  prepare,
  renderRows: extractTable,
};
