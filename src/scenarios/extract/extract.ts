import { pipeline } from "../../fuse/pipeline.ts";
import { map } from "../../stages/map.ts";
import type { BadDocumentError } from "./bad_document_error.ts";
import { csvFormat, type CsvOptions } from "./csv_format.ts";
import { ExtractError } from "./extract_error.ts";
import { fieldsOf } from "./fields_of.ts";
import type { MessageRow } from "./message_row.ts";
import type { Output } from "./output.ts";
import { OutputBuffer } from "./output_buffer.ts";
import type { Period } from "./period.ts";
import { readParts } from "./read_parts.ts";
import type { MessageSource } from "./source.ts";
import { splitPeriod } from "./split_period.ts";

/** A whole extraction. */
export interface ExtractOptions extends CsvOptions {
  readonly source: MessageSource;
  readonly output: Output;
  readonly period: Period;
  /** Rows, or documents, fetched at a time. */
  readonly batchSize: number;
  /** Cursors, each over a part of the period. */
  readonly partitions: number;
  /** Whether only what the columns need is fetched. */
  readonly projection: boolean;
  /** Arrays that each of several cursors may be ahead. */
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
  /** What was left out for its shape: how many, and what was wrong with the first of them. */
  readonly skipped: { readonly count: number; readonly first: string | undefined };
  /** Whether the reader of the output went away before the end. */
  readonly isCutShort: boolean;
}

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
  const skipped = { count: 0, first: undefined as string | undefined };
  const buffer = new OutputBuffer(output);
  let rowsRead = 0;
  let isHeaderDue = true;

  const onBadDocument = (error: BadDocumentError) => {
    if (options.onBadDocument === "fail") throw error;
    skipped.count++;
    skipped.first ??= error.message;
  };
  async function* batches(): AsyncGenerator<readonly MessageRow[], void> {
    // An empty period still gives a header.
    yield [];
    yield* readParts(source, {
      parts: splitPeriod(period, options.partitions),
      batchSize: options.batchSize,
      fields: fieldsOf(columns),
      projection: options.projection,
      highWaterMark,
      onBadDocument,
    });
  }

  try {
    await pipeline(
      batches(),
      map((rows: readonly MessageRow[]) => {
        const header = isHeaderDue ? format.header() : "";
        isHeaderDue = false;
        rowsRead += rows.length;
        if (rows.length > 0) onRows?.(rowsRead, rows.at(-1)!.sentAtMs);
        return { text: header + format.lines(rows), rows: rows.length };
      }),
      ({ text, rows }: { text: string; rows: number }) => buffer.add(text, rows),
      { signal },
    );
    await buffer.flush();
    await output.commit();
    return { ...buffer.written, skipped, isCutShort: false };
  } catch (error) {
    await output.discard();
    if (signal?.aborted) throw signal.reason;
    if (isClosedPipe(error)) return { ...buffer.written, skipped, isCutShort: true };
    throw new ExtractError(error, { source: source.name, output: output.name, ...buffer.written });
  }
}
