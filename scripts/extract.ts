import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { extract, type ExtractResult } from "../scenarios/extract/extract.ts";
import { openFileOutput } from "../scenarios/extract/file_output.ts";
import { keepHeapSmall } from "../scenarios/extract/keep_heap_small.ts";
import { openSource } from "../scenarios/extract/open_source.ts";
import type { MessageSource } from "../scenarios/extract/source.ts";
import { standardOutput } from "../scenarios/extract/standard_output.ts";
import { ensureSeed } from "../scenarios/extract/seed/ensure_seed.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { checkOut } from "./extract/check_out.ts";
import { ExtractProgress } from "./extract/extract_progress.ts";
import { type ExtractFlags, readExtractFlags } from "./extract/read_extract_flags.ts";
import { sample } from "./extract/sample.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";

const dataFolder = fileURLToPath(new URL("../bench/data", import.meta.url));

/** The address of a file is that of one in the caller's folder. */
function sourceFrom(address: string): string {
  const [, path] = /^sqlite:(.+)$/s.exec(address) ?? [];
  return path === undefined ? address : `sqlite:${resolvePath(path)}`;
}

async function open(source: string | undefined, signal: AbortSignal): Promise<MessageSource> {
  if (source !== undefined) return await openSource(sourceFrom(source), signal);
  return await openSource(`sqlite:${await ensureSeed(dataFolder, sample, signal)}`);
}

async function run(
  { source: address, out, progress, runtime: _, ...options }: ExtractFlags,
  signal: AbortSignal,
): Promise<ExtractResult> {
  const source = await open(address, signal);
  const isShown = progress ?? process.stderr.isTTY === true;
  const shown = new ExtractProgress(process.stderr, options.period);
  try {
    for (const warning of await source.warnings()) console.error(`Warning: ${warning}`);
    const output = out === "-" ? standardOutput(signal) : await openFileOutput(resolvePath(out));
    return await extract({
      ...options,
      source,
      output,
      signal,
      onRows: isShown ? (rows, lastSentAtMs) => shown.update(rows, lastSentAtMs) : undefined,
    });
  } finally {
    shown.clear();
    await source.close();
  }
}

/** The command `deno task extract`; returns its exit code. */
export async function extractCommand(
  args: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const flags = readExtractFlags(args);
  const current = currentRuntime().name;
  if (flags.runtime !== undefined && flags.runtime !== current) {
    const runtime = await findRuntime(flags.runtime);
    return await runInRuntime(runtime, fileURLToPath(import.meta.url), args, signal);
  }
  if (flags.out !== "-") await checkOut(flags.out);
  keepHeapSmall();
  const startedAtMs = performance.now();
  const { rows, bytes, skipped } = await run(flags, signal);
  if (skipped.count > 0) {
    const were = skipped.count === 1 ? "message was" : "messages were";
    console.error(`Warning: ${skipped.count} ${were} left out; the first: ${skipped.first}`);
  }
  // Standard output is then the rows' alone.
  if (flags.out === "-") return 0;
  const seconds = (performance.now() - startedAtMs) / 1000;
  console.log(`${rows} rows, ${bytes} bytes in ${seconds.toFixed(1)} s: ${flags.out}`);
  return 0;
}

if (import.meta.main) {
  await runCommand(extractCommand);
  // A write to a pipe that nobody reads would keep the process, though nobody waits for it any more.
  process.exit();
}
