import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { peakRssMiB } from "../bench/measure/peak_rss.ts";
import { currentRuntime, runtimeNames } from "../runtimes/current_runtime.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { extract } from "../scenarios/extract/extract.ts";
import { openFileOutput } from "../scenarios/extract/file_output.ts";
import { keepHeapSmall } from "../scenarios/extract/keep_heap_small.ts";
import { openSource } from "../scenarios/extract/open_source.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import type { MemoryRow } from "./extract_beside/memory_row.ts";
import { measuredHere } from "./rows/measured.ts";
import { addRow, rowsFile, rowsFlags } from "./rows/rows_file.ts";

const committed = new URL("extract_beside/memory.jsonl", import.meta.url);

/** Exports a table to a file that is thrown away. */
async function exportTable(address: string, name: string, signal: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-extract-memory-"));
  const timeoutMs = 600_000;
  const selection = {
    from: { kind: "table", name },
    maxValueBytes: 67_108_864,
    timeoutMs,
  } as const;
  const source = await openSource(address, selection, signal);
  try {
    return await extract({
      ...{ source, signal, timeoutMs, format: { format: "csv" }, onBadRow: "fail" },
      output: await openFileOutput(join(folder, "out.csv"), signal),
      // As the command has them if no flag says otherwise.
      ...{ batchSize: 500, partitions: 1, projection: true, highWaterMark: 2, isEmptyKept: true },
    });
  } finally {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command `deno task extract:memory`; returns its exit code. */
export async function extractMemory(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task extract:memory",
    about: "Exports a table as CSV and adds the most memory that the process held to a file, of\n" +
      "which a table in docs/extract-measured.md is made.",
    examples: [
      "deno task extract:memory --source sqlite:big.db --table sales --runtime node",
      "deno task extract:memory --source postgres://localhost/shop --table sales --results FILE",
    ],
    flags: {
      source: { kind: "text", value: "S", about: "sqlite:FILE or postgres://…" },
      table: { kind: "text", value: "T", about: "default: sales" },
      runtime: {
        kind: "text",
        value: "R",
        about: "default: the one that runs this",
        choices: runtimeNames,
      },
      results: rowsFlags.results,
    },
  });
  const { source, table = "sales", results } = flags;
  const runtime = runtimeNames.find((each) => each === flags.runtime);
  if (source === undefined) throw new UsageError("--source is missing");
  const { name } = currentRuntime();
  if (runtime !== undefined && runtime !== name) {
    const other = await findRuntime(runtime);
    return await runInRuntime(other, fileURLToPath(import.meta.url), args, signal);
  }
  keepHeapSmall();
  const startedAt = new Date().toISOString();
  const file = /^sqlite:(.+)$/s.exec(source)?.[1];
  const address = file === undefined ? source : `sqlite:${resolvePath(file)}`;
  const { rows, bytes } = await exportTable(address, table, signal);
  const row: MemoryRow = {
    ...{ database: file === undefined ? "PostgreSQL" : "SQLite", runtime: name, rows, bytes },
    ...{ peakMiB: Math.round(peakRssMiB()), startedAt, ...await measuredHere() },
  };
  await addRow(rowsFile(results, committed), row);
  console.log(`${row.database}, ${name}: ${rows} rows, ${bytes} bytes, ${row.peakMiB} MiB`);
  return 0;
}

if (import.meta.main) await runCommand(extractMemory);
