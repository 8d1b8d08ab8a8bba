import { pipeline } from "../../src/pipeline/pipeline.ts";
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
import { readParts } from "./read_parts.ts";
import type { RowBatch } from "./row_batch.ts";
import { type OnBadRow, SkipCounter, type SkippedReason } from "./skipped.ts";
import type { RowSource } from "./source.ts";
import type { Span } from "./span.ts";
import { toPiece } from "./to_piece.ts";
import { openThreads, threadCount } from "./threads/open_threads.ts";
import { readByThreads } from "./threads/read_by_threads.ts";

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
