import { pipeline } from "../../src/pipeline/pipeline.ts";
import { map } from "../../src/stages/map.ts";
import { tap } from "../../src/stages/tap.ts";
import { csvFormat, type CsvOptions } from "./csv_format.ts";
import { ExtractError } from "./extract_error.ts";
import { fieldsOf } from "./fields_of.ts";
import type { MessageRow } from "./message_row.ts";
import type { Output } from "./output.ts";
import { OutputBuffer } from "./output_buffer.ts";
import type { Period } from "./period.ts";
import type { Piece } from "./piece.ts";
import { readParts } from "./read_parts.ts";
import { SkipCounter, type Skipped } from "./skipped.ts";
import type { MessageSource } from "./source.ts";
import { splitPeriod } from "./split_period.ts";
import { openThreads, threadCount } from "./threads/open_threads.ts";
import { readByThreads } from "./threads/read_by_threads.ts";

/** A whole extraction. */
export interface ExtractOptions extends CsvOptions {
  readonly source: MessageSource;
  readonly output: Output;
  readonly period: Period;
  /** Rows, or documents, fetched at a time. */
  readonly batchSize: number;
  /** Cursors, each over a part of the period; where the source allows it, in threads of their own. */
  readonly partitions: number;
  /** Whether only what the columns need is fetched. */
  readonly projection: boolean;
  /** Arrays that each of several cursors may be ahead, or pieces of 256 KiB where it has its own thread. */
  readonly highWaterMark: number;
  readonly onBadDocument: "fail" | "skip";
  readonly signal?: AbortSignal;
  /** Called with the rows read so far and the time of the last of them. */
  onRows?(rows: number, lastSentAtMs: number): void;
}

/** What became of it. */
export interface ExtractResult {
  readonly rows: number;
  readonly bytes: number;
  readonly skipped: Skipped;
  /** Whether the reader of the output went away before the end. */
  readonly isCutShort: boolean;
}

/** How far another thread may be ahead for each piece of `highWaterMark`; its parts should give half of that. */
const pieceBytes = 262_144;

function isClosedPipe(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "EPIPE";
}

/**
 * Reads the messages of a period and writes them as CSV. The output is committed, or discarded if
 * anything fails; the source stays open.
 *
 * @throws {ExtractError} If reading or writing fails, with the rows written until then.
 * @throws The signal's reason, if it aborts.
 */
export async function extract(options: ExtractOptions): Promise<ExtractResult> {
  const { source, output, period, highWaterMark, signal, onRows } = options;
  const { columns, delimiter, escapeFormulas } = options;
  const format = csvFormat({ columns, delimiter, escapeFormulas });
  const skips = new SkipCounter(options.onBadDocument);
  const buffer = new OutputBuffer(output);
  let rowsRead = 0;

  const cursor = {
    batchSize: options.batchSize,
    fields: fieldsOf(columns),
    projection: options.projection,
    onBadDocument: skips.onBadDocument,
  };
  const partBytes = pieceBytes / 2 * Math.max(1, highWaterMark);
  const threads = source.sharedAddress === undefined ? [] : await openThreads({
    ...{
      address: source.sharedAddress,
      columns,
      delimiter,
      escapeFormulas,
      aheadBytes: 2 * partBytes,
    },
    ...{ batchSize: options.batchSize, projection: options.projection },
    onBadDocument: options.onBadDocument,
  }, threadCount(options.partitions) - 1);
  async function* batches(): AsyncGenerator<readonly MessageRow[] | Piece, void> {
    // An empty period still gives a header.
    yield { text: format.header(), rows: 0, lastSentAtMs: undefined };
    yield* threads.length > 0
      ? readByThreads({
        ...{ period, threads, partBytes, onSkipped: (skipped) => skips.add(skipped) },
        read: (part, isFirst) => source.read({ ...cursor, part, isFirst }),
      })
      : readParts(source, {
        ...cursor,
        parts: splitPeriod(period, options.partitions),
        highWaterMark,
      });
  }

  try {
    await pipeline(
      batches(),
      map((batch: readonly MessageRow[] | Piece): Piece =>
        "text" in batch ? batch : {
          ...{ text: format.lines(batch), rows: batch.length },
          lastSentAtMs: batch.at(-1)?.sentAtMs,
        }
      ),
      tap(({ rows, lastSentAtMs }) => {
        rowsRead += rows;
        if (lastSentAtMs !== undefined) onRows?.(rowsRead, lastSentAtMs);
      }),
      ({ text, rows, release }: Piece) =>
        typeof text === "string"
          ? buffer.add(text, rows)
          : buffer.addBytes(text, rows).then(release),
      { signal },
    );
    await buffer.flush();
    await output.commit();
    return { ...buffer.written, skipped: skips.skipped, isCutShort: false };
  } catch (error) {
    await output.discard();
    if (signal?.aborted) throw signal.reason;
    if (isClosedPipe(error)) return { ...buffer.written, skipped: skips.skipped, isCutShort: true };
    throw new ExtractError(error, { source: source.name, output: output.name, ...buffer.written });
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}
