import { reader } from "../../src/stages/reader.ts";
import type { MessageRow } from "./message_row.ts";
import type { Period } from "./period.ts";
import type { CursorOptions, MessageSource } from "./source.ts";

/** How `readParts` reads. */
export interface ReadPartsOptions extends Omit<CursorOptions, "part" | "isFirst"> {
  readonly parts: readonly Period[];
  /** How many arrays each cursor may be ahead. */
  readonly highWaterMark: number;
}

/**
 * Reads parts of a period by cursors of their own, all of them ahead at the same time, and hands on
 * their rows one part after the other: since the parts follow each other, that is their order.
 */
export async function* readParts(
  source: MessageSource,
  { parts, highWaterMark, ...options }: ReadPartsOptions,
): AsyncGenerator<readonly MessageRow[], void> {
  const reads = parts.map((part, index) => source.read({ ...options, part, isFirst: index === 0 }));
  // One that answers at once gains nothing by being ahead, and one alone has nobody to wait for.
  if (parts.length === 1 || reads.every((read) => Symbol.iterator in read)) {
    for (const read of reads) yield* read;
    return;
  }
  const streams = reads.map((read) => reader(read, { highWaterMark }));
  try {
    for (const stream of streams) yield* stream;
  } finally {
    // One that failed cannot be cancelled, and has closed its cursor already.
    await Promise.allSettled(streams.map((stream) => stream.cancel()));
  }
}
