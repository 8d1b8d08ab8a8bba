import { Buffer } from "node:buffer";
import process from "node:process";
import { open } from "node:fs/promises";
import { openFileOutput } from "../extract/file_output.ts";
import type { Output } from "../extract/output.ts";
import {
  type DeadLetter,
  type Field,
  letterOf,
  type LoadRecord,
  type LoadTarget,
  SpeltText,
  textOf,
  UnknownCommitError,
} from "./target.ts";
import { isTargetAddress, openTarget, targetKinds } from "./open_target.ts";
import { checkWritable } from "../command_line/check_writable.ts";
import { runCommand } from "../command_line/run_command.ts";
import { parseCommandLine, resolvePath, UsageError } from "../command_line/parse_command_line.ts";
import { sweepOldDrafts } from "../extract/sweep_old_drafts.ts";
import { checkDecoding } from "../../src/check_decoding.ts";
import { CsvSplitter } from "../../src/formats/csv_splitter.ts";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { compressions } from "../extract/compressed_output.ts";
import { lines } from "../../src/stages/lines.ts";
import { reader } from "../../src/sources/reader.ts";
import { JsonText } from "../extract/value.ts";
import { jsonParts } from "./references.ts";
import { readAddress } from "../secrets/read_address.ts";
import { checkCsvMarks } from "../../src/formats/check_csv_marks.ts";
import { guessByName } from "../extract/guess_by_name.ts";

const formats = ["csv", "ndjson"] as const;

/** The encodings a file may be in. */
const encodings = ["utf-8", "latin1", "windows-1252", "utf-16le"] as const;

/** What the command line asks for. */
interface LoadFlags {
  /** `-` is standard input. */
  readonly path: string;
  readonly target: string;
  readonly table: string;
  readonly format: (typeof formats)[number];
  readonly compress: (typeof compressions)[number] | undefined;
  readonly encoding: (typeof encodings)[number];
  readonly delimiter: string;
  readonly nullText: string;
  readonly batchSize: number;
  readonly timeoutMs: number;
  /** Whether the input ends with the mark that `extract --end-mark` gives. */
  readonly isEndExpected: boolean;
  /** Where rows go that cannot be loaded; `undefined`: the first of them fails the run. */
  readonly dead: string | undefined;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
}

const spec = {
  command: "deno task load",
  about:
    "Puts the rows of a file of CSV or NDJSON into a table: all of them or, if it fails, none.",
  examples: [
    "deno task load --in orders.csv.gz --target sqlite:shop.db --table orders",
    "deno task load --in orders.ndjson --target postgres://me@db/shop --table orders --dead dead.ndjson",
  ],
  flags: {
    in: { kind: "text", value: "FILE", about: "what to load; - is standard input" },
    target: { kind: "text", value: "T", about: targetKinds },
    table: { kind: "text", value: "T", about: "a table that is there; columns go by name" },
    format: {
      kind: "text",
      value: "F",
      about: "default: by the file's name, or csv",
      choices: formats,
    },
    compress: {
      kind: "text",
      value: "C",
      about: "default: by the file's name, .gz or .zst",
      choices: [...compressions, "none"],
    },
    encoding: {
      kind: "text",
      value: "E",
      about: "of the text; default: utf-8, and what is not is refused",
      choices: encodings,
    },
    delimiter: { kind: "text", value: "C", about: "csv: one character; default: a comma" },
    null: {
      kind: "text",
      value: "TEXT",
      about: "csv: text for NULL, if not quoted; default: empty",
    },
    "expect-end": {
      kind: "boolean",
      about: "load nothing unless the input ends with the mark of extract --end-mark",
    },
    dead: {
      kind: "text",
      value: "FILE",
      about: "where rows go that cannot be loaded, as NDJSON; default: the first fails the run",
    },
    "batch-size": {
      kind: "integer",
      about: "rows in one statement, at most; default: 500",
      minimum: 1,
      maximum: 100_000,
    },
    timeout: {
      kind: "integer",
      about: "seconds a target may be locked; default: 30",
      minimum: 1,
      maximum: 86_400,
    },
    quiet: { kind: "boolean", about: "print problems only" },
    json: { kind: "boolean", about: "print the totals as JSON" },
  },
} as const;

/** A lone dash looks like no value to what reads command lines. */
function joinDash(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    if (arg === "-" && args[at - 1] === "--in") return [];
    return [arg === "--in" && args[at + 1] === "-" ? "--in=-" : arg];
  });
}

/**
 * Reads the command line of `deno task load`.
 *
 * @throws {UsageError} If something in it is wrong.
 */
function readLoadFlags(args: readonly string[]): LoadFlags {
  const flags = parseCommandLine(joinDash(args), spec);
  const { in: path, target, table, delimiter = ",", compress, dead } = flags;
  if (path === undefined) throw new UsageError("--in is needed: a file, or - for standard input");
  if (target === undefined) throw new UsageError(`--target is needed: ${targetKinds}`);
  if (table === undefined) throw new UsageError("--table is needed: a table that is there");
  if (!isTargetAddress(target)) {
    throw new UsageError(`--target must be ${targetKinds}, got ${readAddress(target).name}`);
  }
  const guess = guessByName(path);
  const format = flags.format ?? guess.format ?? "csv";
  if (!formats.some((name) => name === format)) {
    throw new UsageError(`Cannot load ${path}: it must be ${formats.join(" or ")}, got ${format}`);
  }
  for (const flag of ["delimiter", "null"] as const) {
    if (flags[flag] !== undefined && format !== "csv") {
      throw new UsageError(`--${flag} is of csv, not of ${format}`);
    }
  }
  const mark = delimiter === "\\t" ? "\t" : delimiter;
  try {
    checkCsvMarks("load CSV", mark, '"');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const file = /^sqlite:(.+)$/s.exec(target)?.[1];
  return {
    path: path === "-" ? "-" : resolvePath(path),
    target: file === undefined ? target : `sqlite:${resolvePath(file)}`,
    ...{ table, format: format as LoadFlags["format"], delimiter: mark },
    compress: compress === undefined
      ? guess.compress
      : compress === "none"
      ? undefined
      : compress as LoadFlags["compress"],
    encoding: (flags.encoding ?? "utf-8") as LoadFlags["encoding"],
    nullText: flags.null ?? "",
    isEndExpected: flags["expect-end"],
    batchSize: flags["batch-size"] ?? 500,
    timeoutMs: (flags.timeout ?? 30) * 1000,
    dead: dead === undefined ? undefined : resolvePath(dead),
    ...{ isQuiet: flags.quiet, isJson: flags.json },
  };
}

type State = "magic" | "skippable" | "descriptor" | "header" | "block" | "content" | "checksum";

const idBytes = [0, 1, 2, 4];

/**
 * Follows the frames of zstd as RFC 8878 has them, to know whether a file ends where one does: some runtimes take one
 * that is cut off for whole.
 */
export class ZstdFrames {
  #state: State = "magic";
  /** Bytes that the state needs, and those of them that are read as a number. */
  #left = 4;
  #value = 0;
  #shift = 0;
  #hasChecksum = false;
  #isLast = false;

  /** Whether what was taken ends at the end of a frame. */
  get isWhole(): boolean {
    return this.#state === "magic" && this.#left === 4;
  }

  /** Takes the next bytes of the file, up to the end of a frame; returns how many. */
  take(bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length;) {
      if (this.#state === "content" || this.#state === "header") {
        const count = Math.min(this.#left, bytes.length - at);
        this.#left -= count;
        at += count;
      } else {
        this.#value += bytes[at++]! * 2 ** this.#shift;
        this.#shift += 8;
        this.#left--;
      }
      while (this.#left === 0) this.#goOn();
      if (this.isWhole) return at;
    }
    return bytes.length;
  }

  #goOn(): void {
    const value = this.#value;
    switch (this.#state) {
      case "magic":
        return (value & 0xfffffff0) === 0x184d2a50
          ? this.#enter("skippable", 4)
          : this.#enter("descriptor", 1);
      case "skippable":
        // What is to be skipped is like a last block without a checksum.
        this.#isLast = true;
        this.#hasChecksum = false;
        return this.#enter("content", value);
      case "descriptor": {
        const isSingle = (value & 0x20) !== 0;
        const sizeFlag = value >> 6;
        const sizeBytes = sizeFlag === 0 ? Number(isSingle) : 2 ** sizeFlag;
        this.#hasChecksum = (value & 4) !== 0;
        return this.#enter("header", Number(!isSingle) + idBytes[value & 3]! + sizeBytes);
      }
      case "header":
        return this.#enter("block", 3);
      case "block": {
        this.#isLast = (value & 1) === 1;
        const isRepeated = (value >> 1 & 3) === 1;
        return this.#enter("content", isRepeated ? 1 : value >> 3);
      }
      case "content":
        if (!this.#isLast) return this.#enter("block", 3);
        return this.#hasChecksum ? this.#enter("checksum", 4) : this.#enter("magic", 4);
      case "checksum":
        return this.#enter("magic", 4);
    }
  }

  #enter(state: State, bytes: number): void {
    this.#state = state;
    this.#left = bytes;
    this.#value = this.#shift = 0;
  }
}

/** Passes on one frame at a time: of several, one runtime reads the first alone, and others take a part for a whole. */
export async function* zstdBytes(
  compressed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const source = compressed[Symbol.asyncIterator]();
  const frames = new ZstdFrames();
  let rest: Uint8Array = new Uint8Array();
  const fill = async () => {
    while (rest.length === 0) {
      const next = await source.next();
      if (next.done) return false;
      rest = next.value;
    }
    return true;
  };
  async function* frame(): AsyncGenerator<Uint8Array, void> {
    do {
      if (!await fill()) throw new Error("unexpected end of file");
      const taken = frames.take(rest);
      const part = rest.subarray(0, taken);
      rest = rest.subarray(taken);
      yield part;
    } while (!frames.isWhole);
  }
  try {
    // A file without a byte is cut off too.
    do {
      const input = Readable.from(frame());
      const output = createZstdDecompress();
      // What `pipe` does not pass on.
      input.on("error", (error) => output.destroy(error));
      try {
        yield* input.pipe(output) as AsyncIterable<Uint8Array>;
      } finally {
        input.destroy();
        output.destroy();
      }
    } while (await fill());
  } finally {
    await source.return?.();
  }
}

const maxLength = 2 ** 28;

function toField(json: string): Field {
  if (json === "null") return null;
  if (!json.startsWith('"')) return new JsonText(json);
  const text = JSON.parse(json) as string;
  return JSON.stringify(text) === json ? text : new SpeltText(text, json);
}

/** The fields of an object, each as it stands there; the last of those of one name. Or why it is none. */
function fieldsOf(text: string): Map<string, string> | string {
  if (!/^\s*\{/.test(text)) return "the line is no JSON object";
  try {
    const parts = jsonParts(text);
    const fields = new Map<string, string>();
    for (let at = 0; at < parts.length; at += 2) {
      fields.set(JSON.parse(parts[at]!) as string, parts[at + 1]!);
    }
    return fields;
  } catch (error) {
    const isDeep = /nests deeper/.test((error as Error).message);
    return isDeep
      ? `the line is refused: ${(error as Error).message}`
      : "the line is no JSON object";
  }
}

/**
 * Reads an object a line; what is no text is JSON as it stands. A line that is no object is a dead letter.
 *
 * @throws {SyntaxError} If the bytes are no text of the encoding.
 */
export async function* ndjsonRecords(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<(LoadRecord | DeadLetter)[], void> {
  const known = new Map<string, readonly string[]>();
  let line = 0;
  let found: (LoadRecord | DeadLetter)[] = [];
  const texts = reader(chunks).pipeThrough(
    new TransformStream(lines({ maxLength, encoding, fatal: true })),
  );
  for await (const text of texts) {
    line++;
    if (/^\s*$/.test(text)) continue;
    const fields = fieldsOf(text);
    if (typeof fields === "string") {
      found.push({ line, reason: fields, row: text });
    } else {
      const own = [...fields.keys()];
      const key = JSON.stringify(own);
      const names = known.get(key) ?? own;
      // Of documents that all differ there would be no end.
      if (known.size < 1_000) known.set(key, names);
      found.push({ line, names, fields: Array.from(fields.values(), toField) });
    }
    if (found.length === 100) {
      yield found;
      found = [];
    }
  }
  yield found;
}

/** A whole load. */
interface LoadOptions {
  readonly records: AsyncIterable<readonly (LoadRecord | DeadLetter)[]>;
  readonly target: LoadTarget;
  /** Rows in one statement of a server, at most. */
  readonly batchSize: number;
  /** Takes rows that cannot be loaded. Default: the first of them fails the load. */
  onDeadLetter?: ((letter: DeadLetter) => void | Promise<void>) | undefined;
  /** Called with their number before the rows are committed, such as to make what is dead last. */
  beforeCommit?(rows: number): Promise<void>;
  readonly signal?: AbortSignal;
}

/** What became of it: rows = loaded + dead. */
interface LoadResult {
  readonly rows: number;
  readonly loaded: number;
  readonly dead: number;
  /** Of those loaded, how many a trigger or a rule of the table kept out or put elsewhere. */
  readonly diverted: number;
}

/** Texts of a batch, in code units, beyond which it is not filled any more. */
const batchLength = 1_048_576;

const lengthOf = ({ fields }: LoadRecord) =>
  fields.reduce((sum, field) => sum + (textOf(field)?.length ?? 0), 0);

/**
 * Puts rows into a table, all of them or none: in one transaction, in batches. The target stays open.
 *
 * @throws {Error} If a row cannot be loaded and nothing takes dead letters, or the target fails.
 * @throws The signal's reason, if it aborts.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { records, target, batchSize, signal } = options;
  let [rows, dead] = [0, 0];
  let batch: LoadRecord[] = [];
  let length = 0;
  async function takeDead(letters: readonly DeadLetter[]): Promise<void> {
    for (const letter of letters) {
      if (options.onDeadLetter === undefined) {
        throw new Error(`Cannot load line ${letter.line}: ${letter.reason}`);
      }
      dead++;
      await options.onDeadLetter(letter);
    }
  }
  async function flush(): Promise<void> {
    signal?.throwIfAborted();
    if (batch.length === 0) return;
    const full = batch;
    batch = [];
    length = 0;
    await takeDead(await target.add(full));
  }
  /** What keeps a row from the table whatever its values are. */
  function problemOf(names: readonly string[]): string | undefined {
    if (names.length === 0) return "the row has no column";
    const unknown = names.find((name) => !target.columns.has(name));
    return unknown && `${target.name} has no column ${JSON.stringify(unknown)}`;
  }
  let checked: readonly string[] | undefined;
  for await (const found of records) {
    signal?.throwIfAborted();
    for (const record of found) {
      rows++;
      if ("reason" in record) {
        await flush();
        await takeDead([record]);
        continue;
      }
      if (record.names !== checked) {
        await flush();
        const problem = problemOf(record.names);
        if (problem !== undefined) {
          await takeDead([letterOf(record, problem)]);
          continue;
        }
        checked = record.names;
      }
      batch.push(record);
      length += lengthOf(record);
      if (batch.length === batchSize || length >= batchLength) await flush();
    }
  }
  await flush();
  await takeDead(await target.finish());
  await options.beforeCommit?.(rows);
  signal?.throwIfAborted();
  await target.commit();
  return { rows, loaded: rows - dead, dead, diverted: target.diverted };
}

/**
 * The bytes of a file, `-` for standard input, without their compression. One that is cut off is an error.
 *
 * @throws The signal's reason, if it aborts.
 */
export async function* fileBytes(
  { path, compress }: {
    readonly path: string;
    readonly compress: (typeof compressions)[number] | undefined;
  },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const file: Readable = path === "-" ? process.stdin : createReadStream(path);
  const stop = () => void file.destroy(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    yield* compress === "zstd" ? zstdBytes(file) : compress === "gzip" ? gzipBytes(file) : file;
  } finally {
    signal.removeEventListener("abort", stop);
    file.destroy();
  }
}

async function* gzipBytes(file: Readable): AsyncGenerator<Uint8Array, void> {
  const output = createGunzip();
  // What `pipe` does not pass on.
  file.on("error", (error) => output.destroy(error));
  try {
    yield* file.pipe(output) as AsyncIterable<Uint8Array>;
  } finally {
    output.destroy();
  }
}

const maxRowLength = 2 ** 28;

/** How a file of CSV is to be read. */
interface CsvRecordOptions {
  readonly delimiter: string;
  /** What stands for NULL where it is not quoted. */
  readonly nullText: string;
  readonly encoding: string;
  /** The columns that there are. Default: any. */
  readonly columns?: ReadonlySet<string>;
}

/**
 * Reads rows of CSV under a header. A field that is `nullText` without quotes is NULL.
 *
 * @throws {SyntaxError} If the bytes are no text of the encoding, the text is no CSV, or there is no
 * header, one that has a name twice, or no row under one that has a column which is unknown.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, nullText, encoding, columns }: CsvRecordOptions,
): AsyncGenerator<(LoadRecord | DeadLetter)[], void> {
  let names: readonly string[] | undefined;
  let found: (LoadRecord | DeadLetter)[] = [];
  let hasRows = false;
  const fail = (line: number, message: string): never => {
    throw new SyntaxError(`Cannot parse CSV: line ${line}: ${message}`);
  };
  const splitter = new CsvSplitter({
    add(fields, line, quoted) {
      if (names === undefined) {
        const known = new Set<string>();
        const twice = fields.find((name) => known.size === known.add(name).size);
        if (twice !== undefined) fail(line, `the column ${JSON.stringify(twice)} is there twice`);
        names = fields;
        return;
      }
      hasRows = true;
      if (fields.length === names.length) {
        const isQuoted = new Set(quoted);
        found.push({
          ...{ line, names },
          fields: fields.map((text, at) => text === nullText && !isQuoted.has(at) ? null : text),
        });
      } else {
        const reason = `fields: ${fields.length}, columns: ${names.length}`;
        found.push({ line, reason, row: fields });
      }
    },
    report: (line, _column, message) => fail(line, message),
  }, {
    ...{ delimiter, quote: '"', maxFieldLength: Infinity, maxRowLength },
    decoding: checkDecoding("parse CSV", { encoding, fatal: true }),
  });
  for await (const chunk of chunks) {
    splitter.take(chunk);
    splitter.step(Infinity);
    splitter.keep();
    yield found;
    found = [];
  }
  splitter.finish();
  // Such as of a pipe whose left side died at once.
  if (names === undefined) fail(1, "there is no header");
  // All of a text in another encoding may be one line. Of rows it is said with each.
  const unknown = hasRows ? undefined : names!.find((name) => columns?.has(name) === false);
  if (unknown !== undefined) {
    fail(1, `there are no rows, and no column ${JSON.stringify(unknown.slice(0, 40))}`);
  }
  yield found;
}

/** What the first bytes are of: they are a mark of it, or the zeros that it has beside letters. */
function guess([first, second]: Uint8Array): string | undefined {
  if (second === undefined) return undefined;
  if (first === 0xff && second === 0xfe || first !== 0 && second === 0) return "utf-16le";
  return first === 0xfe && second === 0xff || first === 0 ? "utf-16be" : undefined;
}

/**
 * Passes bytes on that are to be read as UTF-8: those of letters in UTF-16 are UTF-8 too.
 *
 * @throws {SyntaxError} If they are UTF-16.
 */
async function* refuseUtf16(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start !== undefined) {
      start = Uint8Array.of(...start, ...chunk.subarray(0, 2));
      const found = guess(start);
      if (found !== undefined) throw new SyntaxError(`the first bytes are ${found}, not UTF-8`);
      if (start.length >= 2) start = undefined;
    }
    yield chunk;
  }
}

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
  let held = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = Buffer.concat([held, chunk]);
    const end = Math.max(0, all.length - mostBytes);
    if (!isExpected) yield chunk;
    else if (end > 0) yield all.subarray(0, end);
    held = all.subarray(end);
  }
  const found = /(?:^|(?<=\n))#end of (\d+) rows\n$/.exec(held.toString("latin1"));
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

function tell(flags: LoadFlags, result: LoadResult, first: DeadLetter | undefined): void {
  const { rows, loaded, dead, diverted } = result;
  const { isJson, isQuiet, path, table } = flags;
  if (first !== undefined) {
    const { line, reason } = first;
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
  let letters: Output | undefined;
  let first: DeadLetter | undefined;
  let result: LoadResult;
  try {
    if (deadPath !== undefined) {
      await sweepOldDrafts(deadPath);
      letters = await openFileOutput(deadPath, signal);
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
      onDeadLetter: letters && ((letter) => {
        first ??= letter;
        return letters!.write(new TextEncoder().encode(`${JSON.stringify(letter)}\n`));
      }),
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
    tell(flags, result, first);
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
