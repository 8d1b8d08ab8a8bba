import { fstatSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { runInRuntime } from "../../runtimes/run_in_runtime.ts";
import { compressedOutput } from "./compressed_output.ts";
import { extract, type ExtractResult } from "./extract.ts";
import { openFileOutput } from "./file_output.ts";
import { createFormat } from "./formats/create_format.ts";
import { keepHeapSmall } from "./keep_heap_small.ts";
import { loadSource } from "./load_source.ts";
import { openSource } from "./open_source.ts";
import type { Output } from "./output.ts";
import type { CheckpointFile } from "./resume/checkpoint_file.ts";
import { ensureSeed } from "./seed/ensure_seed.ts";
import type { RowSource } from "./source.ts";
import { standardOutput } from "./standard_output.ts";
import { readAddress } from "../secrets/read_address.ts";
import { runCommand } from "../command_line/run_command.ts";
import { UsageError } from "../command_line/usage_error.ts";
import { checkOut } from "./check_out.ts";
import { ExtractProgress } from "./extract_progress.ts";
import { type ExtractFlags, readExtractFlags } from "./read_extract_flags.ts";
import { Resume } from "./resume.ts";
import { sample } from "./sample.ts";
import { sweepOldDrafts } from "./sweep_old_drafts.ts";

/** What another run must be asked for too if it is to go on, by the names of the flags. */
function resumeOptions(
  { selection, format, compress, onBadRow }: ExtractFlags,
  address: string,
): Record<string, unknown> {
  const { from, fields, maxValueBytes } = selection;
  return {
    source: readAddress(address).name,
    table: from.kind === "table" ? from.name : null,
    collection: from.kind === "collection" ? from.name : null,
    filter: from.kind === "collection" ? from.filter ?? null : null,
    fields: fields?.map(({ path, title }) => `${path}:${title}`).join(",") ?? null,
    format: format.format,
    header: format.header ?? true,
    null: format.nullText ?? "",
    quote: format.quote ?? "minimal",
    delimiter: format.delimiter ?? ",",
    bom: format.bom ?? false,
    "escape-formulas": format.escapeFormulas ?? false,
    compress: compress ?? null,
    "max-value": maxValueBytes,
    "row-security": selection.isPartial || null,
    "on-bad-row": onBadRow,
  };
}

const count = (value: number) => value.toLocaleString("en-US");

/** The sum that ends a run: what was read is what was written and what was skipped. */
function describeResult(
  { read, rows, bytes, skipped }: ExtractResult,
  { seconds, out }: { readonly seconds: number; readonly out: string },
): string {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  return `rows ${count(read)} = written ${count(rows)} + skipped ${count(left)}; ` +
    `${count(bytes)} bytes in ${seconds.toFixed(1)} s: ${out}`;
}

/** The same for programs. */
function resultJson(
  { read, rows, bytes, skipped, isLeft }: ExtractResult,
  { seconds, out }: { readonly seconds: number; readonly out: string },
): string {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  return JSON.stringify({
    ...{ rows: read, written: rows, skipped: left, reasons: skipped, bytes, seconds, out },
    isReplaced: !isLeft,
  });
}

/** Where the sample is kept: in the project, or beside no code where this is installed. */
const dataFolder = import.meta.url.endsWith(".ts")
  ? fileURLToPath(new URL("../../bench/data", import.meta.url))
  : join(tmpdir(), "hosepipe");

/** Whether the output's reader may take its time. */
function isSlow(out: string): boolean {
  try {
    const stats = out === "-" ? fstatSync(1) : statSync(out);
    const isTerminal = out === "-" && process.stdout.isTTY === true;
    return stats.isFIFO() || stats.isSocket() || isTerminal;
  } catch {
    return false;
  }
}

async function open(
  flags: ExtractFlags,
  address: string,
  after: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<RowSource> {
  const selection = {
    ...flags.selection,
    ...{ isResumable: flags.resume !== undefined, after },
    isOutputSlow: flags.isSnapshot && isSlow(flags.out),
  };
  return await openSource(address, selection, signal);
}

async function openOutput(
  { out, compress }: ExtractFlags,
  kept: CheckpointFile | undefined,
  signal: AbortSignal,
): Promise<Output> {
  const output = out === "-" ? standardOutput(signal) : await openFileOutput(out, signal, kept);
  return compress === undefined ? output : compressedOutput(output, compress);
}

async function run(
  flags: ExtractFlags,
  address: string,
  signal: AbortSignal,
  watch: (output: Output) => Output,
): Promise<ExtractResult> {
  const { partitions, threads, progress, isQuiet } = flags;
  const resume = flags.resume && await Resume.open(flags.out, resumeOptions(flags, address));
  const before = resume?.checkpoint;
  const source = await open(flags, address, before?.last, signal);
  let shown: ExtractProgress | undefined;
  try {
    // What is left may have no end to cut.
    if (partitions > 1 && source.span === undefined && before === undefined) {
      throw new UsageError(`Cannot cut ${source.name} into --partitions: ${source.notCut}`);
    }
    if (threads !== undefined && source.shared === undefined) {
      if (!source.name.startsWith("sqlite:")) {
        throw new UsageError(`Cannot read ${source.name} in --threads: only SQLite files are`);
      }
      console.error(
        "Warning: one thread reads: the rows must be sorted, or others might see them changed",
      );
    }
    // Refused before there is a draft: what the titles are is known now.
    createFormat({ ...flags.format, titles: source.titles, isWhole: source.isWhole });
    if (!isQuiet) {
      for (const warning of await source.warnings()) console.error(`Warning: ${warning}`);
    }
    if (flags.out !== "-") await sweepOldDrafts(flags.out, resume !== undefined);
    const output = watch(await openOutput(flags, await resume?.begin(source), signal));
    const isShown = progress ?? (process.stderr.isTTY === true && !isQuiet);
    if (isShown) shown = new ExtractProgress(process.stderr, source);
    return await extract({
      ...flags,
      ...{ source, output, signal },
      resume: flags.resume && { ...flags.resume, rows: before?.rows },
      onProgress: (rows, bytes, at) => shown?.update(rows, bytes, at),
    });
  } catch (error) {
    shown?.clear();
    resume?.tellKept();
    throw error;
  } finally {
    shown?.clear();
    await source.close();
  }
}

function warnOfSkipped({ skipped }: ExtractResult): void {
  for (const { reason, count, first } of skipped) {
    const were = count === 1 ? "1 row was" : `${count} rows were`;
    console.error(`Warning: ${were} skipped: ${reason}; the first: ${first}`);
  }
}

/** The command `deno task extract`; returns its exit code. `watch` may put something before the output. */
export async function extractCommand(
  args: readonly string[],
  signal: AbortSignal,
  watch: (output: Output) => Output = (output) => output,
): Promise<number> {
  const flags = readExtractFlags(args);
  const current = currentRuntime().name;
  if (flags.runtime !== undefined && flags.runtime !== current) {
    const runtime = await findRuntime(flags.runtime);
    return await runInRuntime(runtime, fileURLToPath(import.meta.url), args, signal);
  }
  const address = flags.source ?? `sqlite:${await ensureSeed(dataFolder, sample, signal)}`;
  await checkOut(flags.out, address);
  // Deno would die of it, the draft left behind; where a signal means something, a write then fails in its place.
  if (process.platform !== "win32") process.on("SIGXFSZ", () => {});
  keepHeapSmall();
  // A part of the start of this process, not of the export that is timed.
  await loadSource(address);
  const startedAtMs = performance.now();
  const result = await run(flags, address, signal, watch);
  // The output's reader has seen enough: no one is left to inform.
  if (result.isCutShort) return 0;
  warnOfSkipped(result);
  const seconds = (performance.now() - startedAtMs) / 1000;
  // Standard output may be the rows' alone.
  const tell = flags.out === "-" ? console.error : console.log;
  const out = flags.out === "-" ? "standard output" : flags.out;
  try {
    if (flags.isJson) tell(resultJson(result, { seconds, out }));
    else if (!flags.isQuiet) tell(describeResult(result, { seconds, out }));
  } catch (cause) {
    const is = result.isLeft ? "stays as it was" : "is written";
    throw new Error(`${(cause as Error).message}; ${out} ${is}`, { cause });
  }
  if (!result.isLeft) return 0;
  console.error(`There are no rows: ${out} stays as it was; --force would replace it`);
  return 1;
}

if (import.meta.main) {
  await runCommand(extractCommand);
  // A write to a pipe without a reader would keep the process, though nothing waits for it any more.
  process.exit();
}
