import { open } from "node:fs/promises";
import process from "node:process";
import { openFileOutput } from "../extract/file_output.ts";
import type { Output } from "../extract/output.ts";
import { csvRecords } from "./csv_records.ts";
import { load, type LoadResult } from "./load.ts";
import type { DeadLetter } from "./load_record.ts";
import { ndjsonRecords } from "./ndjson_records.ts";
import { fileBytes } from "./file_bytes.ts";
import { refuseUtf16 } from "./refuse_utf16.ts";
import { UnknownCommitError } from "./unknown_commit_error.ts";
import { openTarget } from "./open_target.ts";
import { checkWritable } from "../command_line/check_writable.ts";
import { runCommand } from "../command_line/run_command.ts";
import { UsageError } from "../command_line/usage_error.ts";
import { sweepOldDrafts } from "../extract/sweep_old_drafts.ts";
import { type LoadFlags, readLoadFlags } from "./read_load_flags.ts";

/** How long the mark is at most. */
const mostBytes = 40;

/**
 * Passes bytes on, without the mark that `extract --end-mark` puts at their end if it is expected.
 *
 * @param onEnd Called at the end if there is a mark, with how many rows there are.
 * @throws {Error} If it is expected and not there: what wrote them has not come to its end.
 */
async function* expectEnd(
  chunks: AsyncIterable<Uint8Array>,
  isExpected: boolean,
  onEnd: (rows: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let held = new Uint8Array();
  for await (const chunk of chunks) {
    const all = new Uint8Array(held.length + chunk.length);
    all.set(held);
    all.set(chunk, held.length);
    const end = Math.max(0, all.length - mostBytes);
    if (!isExpected) yield chunk;
    else if (end > 0) yield all.subarray(0, end);
    held = all.slice(end);
  }
  const text = Array.from(held, (byte) => String.fromCharCode(byte)).join("");
  const found = /(?:^|(?<=\n))#end of (\d+) rows\n$/.exec(text);
  if (found !== null) onEnd(Number(found[1]));
  else if (isExpected) {
    throw new Error("The input has no mark of its end, such as --end-mark gives");
  }
  if (isExpected) yield held.subarray(0, found!.index);
}

const count = (value: number) => value.toLocaleString("en-US");

async function checkReadable(path: string): Promise<void> {
  if (path === "-") return;
  try {
    const file = await open(path);
    const isFolder = (await file.stat()).isDirectory();
    await file.close();
    if (isFolder) throw new Error("it is a directory");
  } catch (error) {
    throw new UsageError(`Cannot read --in ${path}: ${(error as Error).message}`);
  }
}

/** The first dead letter and the file of all of them. */
class DeadLetters {
  readonly #output: Output;
  first: DeadLetter | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  async add(letter: DeadLetter): Promise<void> {
    this.first ??= letter;
    await this.#output.write(new TextEncoder().encode(`${JSON.stringify(letter)}\n`));
  }

  commit(): Promise<void> {
    return this.#output.commit();
  }

  discard(): Promise<void> {
    return this.#output.discard();
  }
}

function tell(flags: LoadFlags, result: LoadResult, letters?: DeadLetters): void {
  const { rows, loaded, dead, diverted } = result;
  const { isJson, isQuiet, path, table } = flags;
  if (letters?.first !== undefined) {
    const { line, reason } = letters.first;
    const were = dead === 1 ? "1 row was" : `${count(dead)} rows were`;
    console.error(
      `Warning: ${were} not loaded, see ${flags.dead}; the first: line ${line}: ${reason}`,
    );
  }
  if (diverted > 0) {
    const are = diverted === 1 ? "1 row is" : `${count(diverted)} rows are`;
    console.error(
      `Warning: ${are} not in ${table} itself: a trigger or a rule keeps them out or puts them elsewhere`,
    );
  }
  if (isJson) console.log(JSON.stringify({ rows, loaded, dead, in: path, table }));
  else if (!isQuiet) {
    console.log(`rows ${count(rows)} = loaded ${count(loaded)} + dead ${count(dead)}: ${table}`);
  }
}

/** What to do about bytes that are not UTF-8. */
function hintOf(message: string): string {
  if (!message.endsWith("not UTF-8")) return "";
  const utf16 = /(?<=the first bytes are )utf-16.e/.exec(message)?.[0];
  if (utf16 === "utf-16be") return ": make it UTF-8 first, such as by iconv";
  return utf16 === undefined
    ? ": it may be windows-1252, then give --encoding windows-1252"
    : `: give --encoding ${utf16}`;
}

/** The command `deno task load`; returns its exit code. */
export async function loadCommand(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = readLoadFlags(args);
  const { path, target: address, table, timeoutMs, batchSize, format } = flags;
  await checkReadable(path);
  const deadPath = flags.dead && await checkWritable("--dead", flags.dead, {
    "the target": address,
    "the input": path,
  });
  const target = await openTarget(address, { table, timeoutMs, isJson: format === "ndjson" });
  // A server is not waited for.
  const end = () => void target.close().catch(() => {});
  if (address.startsWith("postgres")) signal.addEventListener("abort", end);
  let letters: DeadLetters | undefined;
  let result: LoadResult;
  try {
    if (deadPath !== undefined) {
      await sweepOldDrafts(deadPath);
      letters = new DeadLetters(await openFileOutput(deadPath, signal));
    }
    const { encoding } = flags;
    const file = fileBytes(flags, signal);
    let expected: number | undefined;
    const { isEndExpected } = flags;
    const whole = expectEnd(file, isEndExpected, (rows) => void (expected = rows));
    const bytes = encoding === "utf-8" ? refuseUtf16(whole) : whole;
    result = await load({
      ...{ target, batchSize, signal },
      records: format === "csv"
        ? csvRecords(bytes, { ...flags, columns: target.columns })
        : ndjsonRecords(bytes, encoding),
      onDeadLetter: letters && ((letter) => letters!.add(letter)),
      async beforeCommit(rows) {
        // The mark itself was read as a row.
        if (!isEndExpected && rows - 1 === expected) {
          throw new Error("The input ends with a mark of its end: give --expect-end");
        }
        if (isEndExpected && rows !== expected) {
          throw new Error(`${rows} rows were read, but the mark of the end says ${expected}`);
        }
        await letters?.commit();
        // What is being committed is not cut off: whether it is would not be known.
        signal.removeEventListener("abort", end);
      },
    });
  } catch (cause) {
    await letters?.discard();
    if (signal.aborted) throw signal.reason;
    const { message } = cause as Error;
    if (cause instanceof UnknownCommitError) {
      throw new Error(`${message}; it is not known whether ${path} was loaded`, { cause });
    }
    throw new Error(`${message}${hintOf(message)}; nothing of ${path} was loaded`, { cause });
  } finally {
    signal.removeEventListener("abort", end);
    await target.close();
  }
  try {
    tell(flags, result, letters);
  } catch (cause) {
    throw new Error(`${(cause as Error).message}; ${path} was loaded`, { cause });
  }
  return 0;
}

if (import.meta.main) {
  await runCommand(loadCommand);
  // Standard input may still be open.
  process.exit();
}
