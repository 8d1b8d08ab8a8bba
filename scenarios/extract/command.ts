import { fstatSync, readFileSync, statSync } from "node:fs";
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
import { loadSource, openSource } from "./open_source.ts";
import type { Output } from "./output.ts";
import type { CheckpointFile } from "./resume/checkpoint_file.ts";
import { ensureSeed } from "./seed/ensure_seed.ts";
import type { RowSource } from "./source.ts";
import { readAddress } from "../secrets/read_address.ts";
import { checkNoDescriptor, runCommand } from "../command_line/run_command.ts";
import { UsageError } from "../command_line/parse_command_line.ts";
import { type ExtractFlags, readExtractFlags } from "./read_extract_flags.ts";
import { openResume } from "./resume.ts";
import { sample } from "./conversations.ts";
import { sweepOldDrafts } from "./sweep_old_drafts.ts";
import { stat } from "node:fs/promises";
import { resolveLinks } from "./resolve_links.ts";
import { checkApart, checkWritable } from "../command_line/check_writable.ts";
import { writeFully } from "./write_fully.ts";

const standardOutputDescriptor = 1;
const readAndWrite = 2;

/**
 * Whether standard output was closed when this process began. Runtimes then put /dev/null in its place, opened to be
 * read and written, which a shell does not for `>/dev/null`.
 */
function isStandardOutputClosed(): boolean {
  try {
    const stats = fstatSync(standardOutputDescriptor);
    if (!stats.isCharacterDevice() || stats.rdev !== statSync("/dev/null").rdev) return false;
    const info = readFileSync(`/proc/self/fdinfo/${standardOutputDescriptor}`, "utf8");
    return (parseInt(/^flags:\s*(\d+)/m.exec(info)![1]!, 8) & 3) === readAndWrite;
  } catch (error) {
    return (error as { code?: unknown }).code === "EBADF";
  }
}

/**
 * This process's standard output, which other commands may read. A write that is not taken cannot be called back: where
 * `signal` aborts it is given up, and holds a thread until the process exits.
 */
function standardOutput(signal: AbortSignal): Output {
  return {
    name: "standard output",
    hasOldContent: false,
    write(bytes) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort);
      writeFully(standardOutputDescriptor, bytes, signal).then(resolve, reject);
      return promise.finally(() => signal.removeEventListener("abort", abort));
    },
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}

/** Where progress is shown: a terminal, or something that takes lines. */
interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What tells how far reading is: the span that is read, or how many rows there are; neither may be known. */
export interface ProgressSpan {
  readonly span?: { readonly from: number; readonly to: number } | undefined;
  readonly expectedRows?: number | undefined;
}

function describeSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const whole = Math.ceil(Math.max(0, seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function describeBytes(bytes: number): string {
  return bytes < 2 ** 20
    ? `${Math.round(bytes / 1024)} KiB`
    : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Shows rows, bytes, rows per second, the share that is done and the time left. */
export class ExtractProgress {
  readonly #stream: ProgressStream;
  readonly #whole: ProgressSpan;
  readonly #now: () => number;
  readonly #everyMs: number;
  readonly #startedAtMs: number;
  #shownAtMs: number;
  #isShown = false;

  constructor(
    stream: ProgressStream,
    whole: ProgressSpan,
    now: () => number = () => performance.now(),
  ) {
    this.#stream = stream;
    this.#whole = whole;
    this.#now = now;
    this.#everyMs = stream.isTTY ? 200 : 2_000;
    this.#startedAtMs = this.#shownAtMs = now();
  }

  /** Takes note of the rows and bytes so far, and where the last row lies; shows them if it is time. */
  update(rows: number, bytes: number, at: number | undefined): void {
    const nowMs = this.#now();
    if (nowMs - this.#shownAtMs < this.#everyMs) return;
    this.#shownAtMs = nowMs;
    const seconds = (nowMs - this.#startedAtMs) / 1000;
    const share = this.#shareOf(rows, at);
    const line = [
      ...[`${rows} rows`, describeBytes(bytes), `${Math.round(rows / seconds)} rows/s`],
      ...(share === undefined
        ? []
        : [`${Math.floor(share * 100)} %`, `${describeSeconds(seconds / share - seconds)} left`]),
    ].join(", ");
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
    this.#isShown = true;
  }

  /** Takes the line off a terminal. */
  clear(): void {
    if (this.#isShown && this.#stream.isTTY) this.#stream.write("\r\x1b[2K");
    this.#isShown = false;
  }

  #shareOf(rows: number, at: number | undefined): number | undefined {
    const { span, expectedRows } = this.#whole;
    if (span !== undefined && at !== undefined) return (at - span.from) / (span.to - span.from);
    return expectedRows === undefined ? undefined : Math.min(1, rows / expectedRows);
  }
}

/**
 * Checks that the output can be written, before anything is read. Devices and pipes are let pass.
 *
 * @param source The address of what is read, which must be another file.
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkOut(out: string, source: string): Promise<void> {
  if (out === "-" && isStandardOutputClosed()) {
    throw new UsageError("Cannot write --out -: standard output is closed");
  }
  // Standard output, too, may be a file, such as by `>>` of a shell.
  await checkApart("--out", out, { "the source": source });
  if (out === "-") return;
  await checkNoDescriptor("--out", out);
  const path = await resolveLinks(out).catch((error) => {
    throw new UsageError(`Cannot write --out ${(error as Error).message}`);
  });
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isCharacterDevice() || stats?.isFIFO()) return;
  await checkWritable("--out", path);
}

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
  const resume = flags.resume && await openResume(flags.out, resumeOptions(flags, address));
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
