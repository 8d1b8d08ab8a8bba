import { eventNames } from "./event_codes.ts";
import { column, type EventRing } from "./event_ring.ts";
import type { StageRecord } from "./stage_record.ts";
import type { ProbeEvent } from "./types.ts";

/**
 * Event number `index`, counted from 0, if it is still kept; `stages` are in the order of their numbers. One that is
 * `bare` has no words that were made of a chunk: no reason, and for a name its number.
 */
export function readEvent(
  ring: EventRing,
  index: number,
  stages: readonly StageRecord[],
  startedAtMs: number,
  isBare: boolean,
): ProbeEvent | undefined {
  const row = ring.find(index);
  if (row === undefined) return undefined;
  const { rows } = ring;
  const text = isBare ? undefined : ring.textAt(row);
  const ordinal = rows[row + column.ordinal]!;
  const desiredSize = rows[row + column.desiredSize]!;
  const wantsMore = rows[row + column.wantsMore]!;
  const durationMs = rows[row + column.durationMs]!;
  const [readerOut, transformerIn, transforming, transformerOut, writerIn, writing, written] = rows
    .subarray(row + column.counts) as unknown as number[];
  return {
    seq: index + 1,
    timeMs: rows[row + column.timeMs]! - startedAtMs,
    stage: stages[rows[row + column.stage]!]!.name,
    event: eventNames[rows[row + column.name]!]!,
    ...(ordinal > 0 ? { id: text ?? String(ordinal) } : {}),
    ...(Number.isNaN(desiredSize)
      ? {}
      : { desiredSize: desiredSize === -Infinity ? null : desiredSize }),
    ...(wantsMore === -1 ? {} : { wantsMore: wantsMore === 1 }),
    ...(Number.isNaN(durationMs) ? {} : { durationMs }),
    ...(ordinal === 0 && text !== undefined ? { reason: text } : {}),
    occupancy: {
      readerOut: readerOut!,
      transformerIn: transformerIn!,
      transforming: transforming!,
      transformerOut: transformerOut!,
      writerIn: writerIn!,
      writing: writing!,
      written: written!,
    },
  };
}
