import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { runCommand } from "./command_line/run_command.ts";
import { withFaultPlace } from "./consume_faults/fault_place.ts";
import { type BesideRow, ownTool } from "./extract_beside/beside_row.ts";
import { fillPostgres, fillSqlite } from "./extract_beside/fill_tables.ts";
import { measuredHere } from "./rows/measured.ts";
import { addRow, rowsFile, rowsFlags } from "./rows/rows_file.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const committed = new URL("extract_beside/rows.jsonl", import.meta.url);

/** An export that each tool does. */
interface Job {
  readonly name: string;
  readonly source: string;
  readonly flags: readonly string[];
  /** The own tool's command, and one that only starts it. */
  readonly own: readonly [readonly string[], readonly string[]];
}

async function secondsOf([command, ...args]: readonly string[], signal: AbortSignal) {
  const startedAt = performance.now();
  await execute(command!, args, { signal, maxBuffer: 2 ** 30 });
  return (performance.now() - startedAt) / 1_000;
}

async function ownSeconds({ own: [whole, start] }: Job, signal: AbortSignal): Promise<number> {
  return await secondsOf(whole, signal) - await secondsOf(start, signal);
}

/** As the task `extract` runs it. */
async function ourSeconds(job: Job, runtime: string, out: string, signal: AbortSignal) {
  const { stdout } = await execute(
    process.execPath,
    [
      ...["run", "-A", "--v8-flags=--max-semi-space-size=2,--heap-growing-percent=10"],
      ...["scripts/extract.ts", "--source", job.source, "--table", "sales", "--out", out],
      ...["--force", "--quiet", "--json", "--runtime", runtime, ...job.flags],
    ],
    {
      ...{ cwd: root, signal },
      env: {
        ...process.env,
        ...{ MALLOC_ARENA_MAX: "2", BUN_JSC_forceRAMSize: "100000000", HOSEPIPE_PARENT: "task" },
      },
    },
  );
  return (JSON.parse(stdout) as { seconds: number }).seconds;
}

function jobsOf(postgres: string, sqlite: string, folder: string): Job[] {
  const psql = (command: string) => ["psql", postgres, "-qXc", command];
  const copied = join(folder, "own.csv");
  const copy = psql(`\\copy (SELECT * FROM sales ORDER BY id) TO '${copied}' CSV HEADER`);
  const shell = (
    query: string,
  ) => ["sqlite3", "-csv", "-header", "-cmd", `.once ${copied}`, sqlite, query];
  const read = shell("SELECT * FROM sales ORDER BY id");
  const ofPostgres = { source: postgres, own: [copy, psql("SELECT 1")] as const };
  const ofSqlite = { source: `sqlite:${sqlite}`, own: [read, shell("SELECT 1")] as const };
  return [
    { ...ofPostgres, name: "PostgreSQL, CSV", flags: [] },
    { ...ofPostgres, name: "PostgreSQL, TSV", flags: ["--format", "tsv"] },
    { ...ofPostgres, name: "PostgreSQL, NDJSON", flags: ["--format", "ndjson"] },
    { ...ofPostgres, name: "PostgreSQL, CSV, formulas escaped", flags: ["--escape-formulas"] },
    { ...ofPostgres, name: "PostgreSQL, CSV, two partitions", flags: ["--partitions", "2"] },
    { ...ofSqlite, name: "SQLite, CSV", flags: [] },
    { ...ofSqlite, name: "SQLite, CSV, two threads", flags: ["--partitions", "2"] },
  ];
}

/** The command `deno task extract:beside`; returns its exit code. */
export async function extractBeside(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task extract:beside",
    about: "Exports 300,000 rows of PostgreSQL and 500,000 of SQLite by psql, by sqlite3 and by\n" +
      "deno task extract in three runtimes, in turn, and adds each time to the file behind the\n" +
      "table in docs/extract-measured.md. It needs postgresql and sqlite3.",
    examples: [
      "deno task extract:beside",
      "deno task extract:beside --rounds 1 --results /tmp/beside.jsonl",
    ],
    flags: rowsFlags,
  });
  const file = rowsFile(flags.results, committed);
  const here = await measuredHere();
  await withFaultPlace("postgres", {}, async ({ broker, folder }) => {
    const sqlite = join(folder, "sales.sqlite");
    await fillPostgres(broker);
    fillSqlite(sqlite);
    for (let round = 1; round <= (flags.rounds ?? 5); round++) {
      for (const job of jobsOf(broker, sqlite, folder)) {
        for (const tool of [ownTool, ...runtimeNames]) {
          signal.throwIfAborted();
          const startedAt = new Date().toISOString();
          const seconds = tool === ownTool
            ? await ownSeconds(job, signal)
            : await ourSeconds(job, tool, join(folder, "ours.out"), signal);
          const row: BesideRow = {
            ...{ job: job.name, tool, round, seconds, startedAt, ...here },
          };
          await addRow(file, row);
          console.log(`${job.name}, ${tool}: ${seconds.toFixed(2)} s`);
        }
      }
    }
  });
  return 0;
}

if (import.meta.main) await runCommand(extractBeside);
