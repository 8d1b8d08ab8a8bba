import { pipeline } from "../../src/pipeline/pipeline.ts";
import { reader } from "../../src/sources/reader.ts";
import { tap } from "../../src/stages/tap.ts";
import { createFormat } from "./formats/create_format.ts";
import type { FormatOptions } from "./formats/format_options.ts";
import type { RowFormat } from "./formats/dialect.ts";
import { limitWaits } from "./limit_waits.ts";
import { mapEach, readPieces } from "./to_piece.ts";
import type { Output } from "./output.ts";
import type { Piece, RowSource, Span } from "./source.ts";
import { type OnBadRow, SkipCounter, type SkippedReason } from "./skipped.ts";
import { BadRowError } from "./bad_row_error.ts";
import { availableParallelism } from "node:os";
import type { FromThread, ThreadSettings, ToThread } from "./threads/thread_messages.ts";
import { Worker } from "node:worker_threads";

/** Cuts a span into slices that follow each other, which grow and shrink until they give the bytes wanted. */
export class Slices {
  readonly #to: number;
  readonly #wantedBytes: number;
  readonly #least: number;
  #from: number;
  #length: number;

  /**
   * @param count How many there are, until it is known how much is in one.
   * @param least The length of the shortest.
   */
  constructor({ from, to }: Span, count: number, wantedBytes: number, least = 0) {
    this.#from = from;
    this.#to = to;
    this.#wantedBytes = wantedBytes;
    this.#length = (to - from) / count;
    this.#least = least;
  }

  /** The next slice, so many times as long as others; none at the end. */
  next(share = 1): Span | undefined {
    const from = this.#from;
    if (from >= this.#to) return undefined;
    this.#from = Math.min(this.#to, from + Math.max(1, Math.round(this.#length * share)));
    return { from, to: this.#from };
  }

  /** Tells how many bytes a slice has given. */
  note({ from, to }: Span, bytes: number): void {
    const wanted = (to - from) * this.#wantedBytes / Math.max(1, bytes);
    this.#length = Math.max(this.#least, Math.min(wanted, 4 * this.#length), this.#length / 4);
  }
}

/** How a part ended that another thread read. */
export interface PartEnd {
  /** Rows that were read, written or skipped. */
  readonly read: number;
  readonly skipped: readonly SkippedReason[];
  /** How long the thread had to wait for this one, in milliseconds. */
  readonly stalledMs: number;
  /** How long this one had to wait for the thread, in milliseconds. */
  readonly waitedMs: number;
}

function toError({ message, code, badRow }: FromThread & { kind: "failure" }): Error {
  const error = badRow === undefined ? new Error(message) : new BadRowError(...badRow);
  return code === undefined ? error : Object.assign(error, { code });
}

/** A thread with a connection of its own, which reads parts and makes bytes of them. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #messages: FromThread[] = [];
  #failure: { readonly reason: unknown } | undefined;
  #wake = () => {};

  constructor(settings: ThreadSettings) {
    this.#worker = new Worker(new URL("./threads/read_thread.ts", import.meta.url), {
      workerData: settings,
      // As small a young generation as the command has itself.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    this.#worker.on("message", (message: FromThread) => {
      this.#messages.push(message);
      this.#wake();
    });
    this.#worker.on("error", (reason) => this.#fail(reason));
    this.#worker.on("exit", () => this.#fail(new Error("a thread that reads has ended")));
  }

  /** Waits until it can begin; fails if it cannot open the source. */
  async open(): Promise<void> {
    const message = await this.#next();
    if (message.kind === "failure") throw toError(message);
  }

  /** Has it read `part`, after those it was given before. */
  deal(part: Span): void {
    this.#tell({ part });
  }

  /**
   * Passes on what it has made of the earliest part that is still to be taken; it makes no more than it may be
   * ahead until the pieces are released.
   */
  async *take(): AsyncGenerator<Piece, PartEnd> {
    let waitedMs = 0;
    while (true) {
      const startedAtMs = performance.now();
      const message = await this.#next();
      waitedMs += performance.now() - startedAtMs;
      if (message.kind === "failure") throw toError(message);
      if (message.kind === "end") return { ...message, waitedMs };
      if (message.kind === "ready") continue;
      const { length: writtenBytes, buffer: memory } = message.text;
      yield { ...message, release: () => this.#tell({ writtenBytes, memory }, [memory]) };
    }
  }

  /** Ends it, whatever it does; resolves once its connection is closed. */
  async close(): Promise<void> {
    this.#fail(new Error("the threads that read were closed"));
    await this.#worker.terminate();
  }

  async #next(): Promise<FromThread> {
    while (this.#messages.length === 0) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#messages.shift()!;
  }

  #tell(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake();
  }
}

/** How `readByThreads` reads. */
interface ReadByThreadsOptions {
  readonly span: Span;
  /** Those besides this one. */
  readonly threads: readonly ReaderThread[];
  /** Bytes that each part should have. */
  readonly partBytes: number;
  /** Reads a part in this thread. */
  read(part: Span, isFirst: boolean): Iterable<Piece>;
  /** Called with what others have read, for each part. */
  onPartEnd(end: PartEnd): void;
}

/** Slices of a span for each of the threads that read it, until it is known how much is in one. */
const threadSlices = 256;

/** The share of this thread, which writes as well, so that neither waits for the other. */
export function nextShare(
  share: number,
  { waitedMs, stalledMs }: Pick<PartEnd, "waitedMs" | "stalledMs">,
): number {
  return waitedMs > stalledMs ? Math.min(2, share * 1.1) : Math.max(1 / 8, share * 0.9);
}

/**
 * Reads a span in this thread and in others at the same time, in rounds of slices: this one passes on its own rows, then
 * the bytes that the others have made of what follows them.
 */
export async function* readByThreads(
  { span, threads, partBytes, read, onPartEnd }: ReadByThreadsOptions,
): AsyncGenerator<Piece, void> {
  const slices = new Slices(span, threadSlices, partBytes);
  let share = 1;
  const deal = (): readonly Span[] => {
    const own = slices.next(share);
    const others = threads.flatMap((thread) => {
      const part = slices.next();
      if (part !== undefined) thread.deal(part);
      return part ?? [];
    });
    return own === undefined ? [] : [own, ...others];
  };
  // While one round is passed on, the others read the next.
  for (let round = deal(), next = deal(); round.length > 0; round = next, next = deal()) {
    yield* read(round[0]!, round[0]!.from === span.from);
    const sums = { bytes: 0, waitedMs: 0, stalledMs: 0 };
    for (const thread of threads.slice(0, round.length - 1)) {
      const pieces = thread.take();
      let result = await pieces.next();
      for (; !result.done; result = await pieces.next()) {
        sums.bytes += (result.value.text as Uint8Array).length;
        yield result.value;
      }
      onPartEnd(result.value);
      sums.waitedMs += result.value.waitedMs;
      sums.stalledMs += result.value.stalledMs;
    }
    if (round.length > 1) slices.note(round[1]!, sums.bytes / threads.length);
    share = nextShare(share, sums);
  }
}

/** Each takes some 20 MiB, so that there are no more than help where there are many cores. */
const mostThreads = 4;

/** How many threads may read at the same time for this many partitions, this one counted; `asked` is what the user wants. */
function threadCount(partitions: number, asked?: number): number {
  return Math.min(partitions, asked ?? Math.min(availableParallelism(), mostThreads));
}

/** Opens threads that are ready to read; none if one of them cannot, for then this one reads alone. */
export async function openThreads(
  settings: ThreadSettings,
  count: number,
): Promise<readonly ReaderThread[]> {
  const threads = Array.from({ length: count }, () => new ReaderThread(settings));
  try {
    await Promise.all(threads.map((thread) => thread.open()));
    return threads;
  } catch {
    // What cannot be opened twice, such as a file that another waits to write, can still be read once.
    await Promise.all(threads.map((thread) => thread.close()));
    return [];
  }
}

/** So many for each cursor, until it is known how much is in one. */
const firstSlices = 2;

/** A query costs the same however little it gives: none gets less than this part of what each cursor reads. */
const leastShare = 1 / 256;

const pieceSize = 65_536;

/**
 * Gathers text as bytes, in the one buffer there is, and writes them in pieces of 64 KiB or more. How
 * rows were read has no say in how they are written, and no text outlives its row for long: what
 * survives collections makes V8's young generation grow.
 */
export class OutputBuffer {
  readonly #output: Output;
  readonly #encoder = new TextEncoder();
  readonly #buffer = new Uint8Array(2 * pieceSize);
  #length = 0;
  #rows = 0;
  #rowsWritten = 0;
  #bytesWritten = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** What the output has taken. */
  get written(): { readonly rows: number; readonly bytes: number } {
    return { rows: this.#rowsWritten, bytes: this.#bytesWritten };
  }

  /** Bytes that were taken, written or not. */
  get bytes(): number {
    return this.#bytesWritten + this.#length;
  }

  /** Takes the text of some rows; a promise tells when there is room for more. */
  add(text: string, rows: number): void | Promise<void> {
    const rest = this.#encode(text);
    if (rest !== "") return this.#addRest(rest, rows);
    this.#rows += rows;
    if (this.#length >= pieceSize) return this.flush().then(() => {});
  }

  /** Takes rows that are bytes already; a copy, unless they are too many to be gathered. */
  async addBytes(bytes: Uint8Array, rows: number): Promise<void> {
    if (this.#length + bytes.length > this.#buffer.length) await this.flush();
    if (bytes.length < pieceSize) {
      this.#buffer.set(bytes, this.#length);
      this.#length += bytes.length;
      this.#rows += rows;
      if (this.#length >= pieceSize) await this.flush();
      return;
    }
    await this.flush();
    await this.#output.write(bytes);
    this.#bytesWritten += bytes.length;
    this.#rowsWritten += rows;
  }

  /** Writes what is there, however little; returns what the output has taken. */
  async flush(): Promise<{ readonly rows: number; readonly bytes: number }> {
    if (this.#length > 0) await this.#output.write(this.#buffer.subarray(0, this.#length));
    this.#bytesWritten += this.#length;
    this.#rowsWritten += this.#rows;
    this.#length = this.#rows = 0;
    return this.written;
  }

  /** Rows that are written in part are not counted yet. */
  async #addRest(text: string, rows: number): Promise<void> {
    for (let rest = text; rest !== ""; rest = this.#encode(rest)) await this.flush();
    this.#rows += rows;
  }

  /** Takes as much of `text` as there is room for, and gives back the rest. */
  #encode(text: string): string {
    const { read, written } = this.#encoder.encodeInto(text, this.#buffer.subarray(this.#length));
    this.#length += written;
    return text.slice(read);
  }
}

const systemErrors: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the device",
  EFBIG: "the file would be too large",
  EDQUOT: "the disk quota is used up",
  EIO: "the device failed",
  EROFS: "the file system is read-only",
};

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\s+/g, " ").trim();
}

/** An extraction that failed: what, where, and how many rows were written. */
export class ExtractError extends Error {
  override name = "ExtractError";
  readonly rows: number;

  constructor(cause: unknown, at: { source: string; output: string; rows: number }) {
    const { code, syscall } = (cause ?? {}) as { code?: unknown; syscall?: unknown };
    const isOutput = typeof code === "string" &&
      (code in systemErrors || syscall === "write" || syscall === "fsync" || syscall === "rename");
    const what = isOutput ? systemErrors[code] ?? messageOf(cause) : messageOf(cause);
    const action = isOutput
      ? `write ${at.output}`
      : cause instanceof BadRowError
      ? `read a row of ${at.source}`
      : `read ${at.source}`;
    super(`Cannot ${action}: ${what}; ${at.rows} rows were written`, { cause });
    this.rows = at.rows;
  }
}

/** Passes on what comes, as long as it comes in time. */
async function* inTime<Given>(
  source: AsyncIterable<Given>,
  timeoutMs: number,
  name: string,
): AsyncGenerator<Given, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isStalled = false;
  try {
    while (true) {
      isStalled = true;
      const next = await limitWaits(iterator.next(), timeoutMs, name);
      isStalled = false;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // One that is waited for would not learn of it before it has an answer.
    if (!isStalled) await iterator.return?.();
  }
}

/** How `readParts` reads. */
interface ReadPartsOptions {
  /** What is read; `undefined` is everything. */
  readonly span: Span | undefined;
  /** How many cursors read at the same time. */
  readonly cursors: number;
  /** How many bytes each may be ahead. */
  readonly aheadBytes: number;
  /** Reads a part. */
  read(part: Span | undefined, isFirst: boolean): Iterable<Piece> | AsyncIterable<Piece>;
}

/** What a cursor has read and has not been taken yet. */
interface Held {
  readonly piece: Piece;
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * Rows that have to wait for those before them are held as their bytes: as values they would be many times as large,
 * and live long enough to be garbage that is seldom collected. One too large for that waits as it is.
 */
function hold(piece: Piece): Held {
  if (piece.text instanceof Uint8Array) {
    const { text, release, ...rest } = piece;
    const { length: bytes } = text;
    if (2 * bytes >= text.buffer.byteLength) return { piece, bytes };
    // The rest of its memory is not to wait with it.
    const copy = new Uint8Array(text);
    release?.();
    return { piece: { ...rest, text: copy }, bytes };
  }
  if (typeof piece.text !== "string") return { piece, bytes: piece.heldBytes ?? 0 };
  const text = encoder.encode(piece.text);
  return { piece: { ...piece, text }, bytes: text.length };
}

/**
 * Reads a span by several cursors, all of them ahead at the same time, and passes on rows in the order of all: the span
 * is cut into slices that follow each other, as large as a cursor may be ahead, and as soon as one is passed on
 * another is begun.
 */
async function* readParts(
  { span, cursors, aheadBytes, read }: ReadPartsOptions,
): AsyncGenerator<Piece, void> {
  // One alone has nothing to wait for.
  if (span === undefined || cursors === 1) return yield* read(span, true);
  const least = (span.to - span.from) / cursors * leastShare;
  const slices = new Slices(span, cursors * firstSlices, aheadBytes, least);
  const open: { readonly slice: Span; readonly pieces: ReadableStream<Held> }[] = [];
  const openNext = () => {
    const slice = slices.next();
    if (slice === undefined) return;
    const pieces = reader(mapEach(read(slice, slice.from === span.from), hold), {
      highWaterMark: aheadBytes,
      size: ({ bytes }) => bytes,
    });
    open.push({ slice, pieces });
  };
  try {
    for (let count = 0; count < cursors; count++) openNext();
    while (open.length > 0) {
      const { slice, pieces } = open[0]!;
      let sum = 0;
      for await (const { piece, bytes } of pieces) {
        sum += bytes;
        yield piece;
      }
      open.shift();
      slices.note(slice, sum);
      openNext();
    }
  } finally {
    // One that failed cannot be cancelled, and has closed its cursor already.
    await Promise.allSettled(open.map(({ pieces }) => pieces.cancel()));
  }
}

/** A whole extraction. */
export interface ExtractOptions {
  readonly source: RowSource;
  readonly output: Output;
  /** How rows look; their titles are the source's. */
  readonly format: Omit<FormatOptions, "titles" | "isWhole">;
  /** Rows, or documents, fetched at a time. */
  readonly batchSize: number;
  /** Cursors, each over a part; where the source allows it, in threads of their own. */
  readonly partitions: number;
  /** How many threads read at the same time, where the source allows it. Default: one a core, at most 4. */
  readonly threads?: number | undefined;
  /** Whether only what is exported is fetched. */
  readonly projection: boolean;
  /** Pieces of 256 KiB that each of several cursors may be ahead. */
  readonly highWaterMark: number;
  readonly onBadRow: OnBadRow;
  /** How long the source may give nothing, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether an output without rows is the result too; otherwise it is left as it was if it can be. */
  readonly isEmptyKept: boolean;
  /** Whether a last line says that all rows are there, and how many. */
  readonly isEndMarked?: boolean;
  /** Where the output is kept, so that another run can go on. */
  readonly resume?: {
    /** Bytes of rows from which on the output is kept again. */
    readonly everyBytes: number;
    /** Rows that are in the output; `undefined`: not even the header is. */
    readonly rows: number | undefined;
  } | undefined;
  readonly signal?: AbortSignal;
  /** Called with the rows and bytes so far, and where the last row lies in the source's span. */
  onProgress?(rows: number, bytes: number, at: number | undefined): void;
}

/** What became of it. */
export interface ExtractResult {
  /** Rows that were read: those written and those skipped. */
  readonly read: number;
  readonly rows: number;
  readonly bytes: number;
  readonly skipped: readonly SkippedReason[];
  /** Whether the reader of the output went away before the end. */
  readonly isCutShort: boolean;
  /** Whether the output was left as it was because there were no rows. */
  readonly isLeft: boolean;
}

/** How far another thread may be ahead for each piece of `highWaterMark`; its parts should give half of that. */
const pieceBytes = 262_144;

function isClosedPipe(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "EPIPE";
}

/** Makes the format; an output that it cannot be written to is not left open. */
async function createFormatFor(output: Output, options: FormatOptions): Promise<RowFormat> {
  try {
    return createFormat(options);
  } catch (error) {
    await output.discard();
    throw error;
  }
}

/**
 * Reads rows and writes them. The output is committed, or discarded if anything fails; the source stays open.
 *
 * @throws {ExtractError} If reading or writing fails, with the rows written until then, or if the rows written and
 * skipped are not those that were read.
 * @throws The signal's reason, if it aborts.
 */
export async function extract(options: ExtractOptions): Promise<ExtractResult> {
  const { source, output, highWaterMark, signal, timeoutMs, onProgress, resume } = options;
  const formatOptions = { ...options.format, titles: source.titles, isWhole: source.isWhole };
  const format = await createFormatFor(output, formatOptions);
  const skips = new SkipCounter(options.onBadRow);
  const buffer = new OutputBuffer(output);
  let read = 0;
  let rowsHandedOn = 0;

  const cursor = {
    batchSize: options.batchSize,
    projection: options.projection,
    onRow: () => void read++,
    onBadRow: skips.onBadRow,
  };
  const partBytes = pieceBytes / 2 * Math.max(1, highWaterMark);
  const isCut = options.partitions > 1 && source.span !== undefined;
  const threads = !isCut || source.shared === undefined ? [] : await openThreads({
    ...source.shared,
    ...{ format: formatOptions, aheadBytes: 2 * partBytes, batchSize: options.batchSize },
    ...{ projection: options.projection, onBadRow: options.onBadRow },
  }, threadCount(options.partitions, options.threads) - 1);
  const readPart = (part: Span | undefined, isFirst: boolean) =>
    readPieces(source, format, formatOptions, {
      ...{ ...cursor, part, isFirst, keyEveryBytes: resume?.everyBytes },
    });
  async function* pieces(): AsyncGenerator<Piece, void> {
    await limitWaits(source.reportUnplaced({ ...cursor, signal }), timeoutMs, source.name, signal);
    // No rows still give a header.
    if (resume?.rows === undefined) yield { text: format.header(), rows: 0, at: undefined };
    yield* threads.length > 0
      ? readByThreads({
        ...{ span: source.span!, threads, partBytes },
        // What threads can share is read without waiting.
        read: (part, isFirst) => readPart(part, isFirst) as Iterable<Piece>,
        onPartEnd({ read: more, skipped }) {
          read += more;
          skips.add(skipped);
        },
      })
      : readParts({
        ...{ span: source.span, cursors: isCut ? options.partitions : 1 },
        aheadBytes: pieceBytes * highWaterMark,
        read(part, isFirst) {
          const pieces = readPart(part, isFirst);
          return Symbol.iterator in pieces ? pieces : inTime(pieces, timeoutMs, source.name);
        },
      });
  }
  async function write({ text, rows, release }: Piece): Promise<void> {
    if (typeof text === "string") return await buffer.add(text, rows);
    if (text instanceof Uint8Array) {
      await buffer.addBytes(text, rows);
      return release?.();
    }
    for (const part of text) await buffer.add(part, 0);
    await buffer.add("", rows);
  }

  const take = (piece: Piece) =>
    // Most are small and there is room: nothing to wait for.
    typeof piece.text === "string" ? buffer.add(piece.text, piece.rows) : write(piece);
  let keptBytes = 0;
  const takeAndKeep = async (piece: Piece) => {
    await take(piece);
    const { key } = piece;
    if (key === undefined || buffer.bytes - keptBytes < resume!.everyBytes) return;
    const { rows, bytes } = await buffer.flush();
    await output.keep!(key, (resume!.rows ?? 0) + rows);
    keptBytes = bytes;
  };

  try {
    await pipeline(
      pieces(),
      tap(({ rows, at }) => {
        rowsHandedOn += rows;
        if (rows > 0) onProgress?.(rowsHandedOn, buffer.written.bytes, at);
      }),
      resume === undefined ? take : takeAndKeep,
      { signal },
    );
    const { rows } = await buffer.flush();
    // The last of it is written after the pipeline's end, which no longer learns of an abort.
    signal?.throwIfAborted();
    if (read !== rows + skips.count) {
      throw new Error(`${read} rows were read, but ${rows} written and ${skips.count} skipped`);
    }
    const allRows = rows + (resume?.rows ?? 0);
    const isLeft = allRows === 0 && !options.isEmptyKept && output.hasOldContent;
    if (options.isEndMarked) {
      await buffer.add(`#end of ${allRows} rows\n`, 0);
      await buffer.flush();
    }
    if (isLeft) await output.discard();
    else await output.commit();
    return { read, ...buffer.written, skipped: skips.reasons, isCutShort: false, isLeft };
  } catch (error) {
    await output.discard();
    if (signal?.aborted) throw signal.reason;
    if (isClosedPipe(error)) {
      const { written } = buffer;
      return { read, ...written, skipped: skips.reasons, isCutShort: true, isLeft: false };
    }
    throw new ExtractError(error, { source: source.name, output: output.name, ...buffer.written });
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}
