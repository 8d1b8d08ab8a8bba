import { pipeline } from "../../src/pipeline/pipeline.ts";
import { reader } from "../../src/sources/reader.ts";
import { tap } from "../../src/stages/tap.ts";
import { ExtractError } from "./extract_error.ts";
import { createFormat } from "./formats/create_format.ts";
import type { FormatOptions } from "./formats/format_options.ts";
import type { RowFormat } from "./formats/row_format.ts";
import { limitWaits } from "./limit_waits.ts";
import { makeEach } from "./make_each.ts";
import type { Output } from "./output.ts";
import { OutputBuffer } from "./output_buffer.ts";
import type { Piece } from "./piece.ts";
import type { RowBatch } from "./row_batch.ts";
import { type OnBadRow, SkipCounter, type SkippedReason } from "./skipped.ts";
import { Slices } from "./slices.ts";
import type { CursorOptions, RowSource } from "./source.ts";
import type { Span } from "./span.ts";
import { openThreads, threadCount } from "./threads/open_threads.ts";
import { readByThreads } from "./threads/read_by_threads.ts";
import { toPiece } from "./to_piece.ts";

/** Passes on what is made of what comes, as long as it comes in time. */
async function* inTime<Given, Made>(
  source: AsyncIterable<Given>,
  make: (given: Given) => Made,
  timeoutMs: number,
  name: string,
): AsyncGenerator<Made, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isStalled = false;
  try {
    while (true) {
      isStalled = true;
      const next = await limitWaits(iterator.next(), timeoutMs, name);
      isStalled = false;
      if (next.done) return;
      yield make(next.value);
    }
  } finally {
    // One that is waited for would not learn of it before it has an answer.
    if (!isStalled) await iterator.return?.();
  }
}

/** How `readParts` reads. */
interface ReadPartsOptions extends Omit<CursorOptions, "part" | "isFirst"> {
  /** What is read; `undefined` is everything. */
  readonly span: Span | undefined;
  /** How many cursors read at the same time. */
  readonly cursors: number;
  /** How many bytes each may be ahead. */
  readonly aheadBytes: number;
  /** How long to wait for a batch, in milliseconds. */
  readonly timeoutMs: number;
  /** Makes text of rows. */
  toPiece(batch: RowBatch): Piece;
  /** Reads a part as lines that the source makes itself; `undefined`: it cannot. */
  readLines(part: Span | undefined): Iterable<Piece> | AsyncIterable<Piece> | undefined;
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
  source: RowSource,
  { span, cursors, aheadBytes, timeoutMs, toPiece, readLines, ...options }: ReadPartsOptions,
): AsyncGenerator<Piece, void> {
  const read = <Made>(
    part: Span | undefined,
    isFirst: boolean,
    make: (piece: Piece) => Made,
  ): Iterable<Made> | AsyncIterable<Made> => {
    const makeInTime = <From>(
      all: Iterable<From> | AsyncIterable<From>,
      make: (one: From) => Made,
    ) => Symbol.iterator in all ? makeEach(all, make) : inTime(all, make, timeoutMs, source.name);
    const lines = readLines(part);
    if (lines !== undefined) return makeInTime(lines, make);
    const batches = source.read({ ...options, part, isFirst });
    return makeInTime(batches, (batch) => make(toPiece(batch)));
  };
  // One alone has nothing to wait for.
  if (span === undefined || cursors === 1) return yield* read(span, true, (piece) => piece);
  const slices = new Slices(span, cursors, aheadBytes);
  const open: { readonly slice: Span; readonly pieces: ReadableStream<Held> }[] = [];
  const openNext = () => {
    const slice = slices.next();
    if (slice === undefined) return;
    const pieces = reader(read(slice, slice.from === span.from, hold), {
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
  const makePiece = (batch: RowBatch) => toPiece(format, batch);
  const readLines = (part: Span | undefined) =>
    source.readLines?.(formatOptions, { ...cursor, part, keyEveryBytes: resume?.everyBytes });
  async function* pieces(): AsyncGenerator<Piece, void> {
    await limitWaits(source.reportUnplaced({ ...cursor, signal }), timeoutMs, source.name, signal);
    // No rows still give a header.
    if (resume?.rows === undefined) yield { text: format.header(), rows: 0, at: undefined };
    yield* threads.length > 0
      ? readByThreads({
        ...{ span: source.span!, threads, partBytes },
        // What threads can share is read without waiting.
        read: (part, isFirst) =>
          readLines(part) as Iterable<Piece> | undefined ??
            makeEach(source.read({ ...cursor, part, isFirst }) as Iterable<RowBatch>, makePiece),
        onPartEnd({ read: more, skipped }) {
          read += more;
          skips.add(skipped);
        },
      })
      : readParts(source, {
        ...cursor,
        ...{ span: source.span, cursors: isCut ? options.partitions : 1, timeoutMs },
        ...{ aheadBytes: pieceBytes * highWaterMark, toPiece: makePiece, readLines },
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
