import { bar } from "../tables/bar.ts";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureSeed } from "../../scenarios/extract/seed/ensure_seed.ts";
import { seedStartMs } from "../../scenarios/extract/seed/seed_contacts.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, Contestant, PreparedCase, Workload } from "../measure/workload.ts";
import { isMeasured, noopName, type Row } from "../results/result.ts";
import { alignColumns } from "../../scenarios/command_line/parse_command_line.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { describeFile } from "../text/read_chunks.ts";
import { keepHeapSmall } from "../../scenarios/extract/keep_heap_small.ts";
import { checkHeap, heapLimitMiB } from "./steps/check_heap.ts";
import { queryEverything } from "./steps/query_everything.ts";
import type { RunExtract } from "./job.ts";

/** As the task has it: Deno's part of `keepHeapSmall`, and no heap of glibc's own for each thread. */
const frugal = {
  denoV8Flags: ["--max-semi-space-size=2", "--heap-growing-percent=10"],
  environment: { MALLOC_ARENA_MAX: "2", BUN_JSC_forceRAMSize: "100000000" },
};

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
): Contestant<RunExtract> {
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
export const steps: readonly Contestant<RunExtract>[] = [
  {
    name: "load-all",
    about: `loads all rows, writes each synchronously; with a heap of ${heapLimitMiB} MiB`,
    note: "only Node is measured: the others take no limit of the heap on their command line here",
    runtimes: ["node"],
    nodeFlags: [`--max-old-space-size=${heapLimitMiB}`],
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

async function prepare(
  run: RunExtract,
  { contestant, params }: CaseRequest,
): Promise<PreparedCase> {
  const job = {
    address: `sqlite:${await ensureSeed(dataFolder, seed)}`,
    outputPath: join(tmpdir(), `hosepipe-extract-${randomUUID()}.csv`),
    period: { fromMs: seedStartMs, toMs: seedStartMs + Number(params.days) * dayMs },
  };
  const dispose = () => rm(job.outputPath, { force: true });
  if (contestant === "load-all") await checkHeap(job).finally(dispose);
  let rows = 0;
  return {
    async run() {
      rows = await run(job);
    },
    verify: () => describeFile(job.outputPath, rows),
    dispose,
  };
}

/** A month of conversations from a database to CSV: what each step from a crash to a stream brings. */
export const extract: Workload = defineWorkload({
  name: "extract",
  about: "messages of a period from SQLite to CSV, step by step from loading all to a stream",
  params: {
    days: integerParam("days", {
      about: `days of the period, of ${seed.days} there are`,
      maximum: seed.days,
      values: [1, 30],
      quick: [1],
    }),
  },
  contestants: steps,
  control: "cursor",
  bars: [bar("cursor", "projection", { atLeast: 2 })],
  prepareInput: async () => void await ensureSeed(dataFolder, seed),
  prepare,
  renderRows: extractTable,
});
