import { encode, filter, formatNdjson, map, parseNdjson, type Transformer } from "../../../mod.ts";
import { defineStages } from "../../../src/workers/mod.ts";
import type { ThreadsKind } from "../job.ts";
import { stepOf } from "../steps.ts";

interface Order {
  readonly id: number;
  readonly total: number;
  readonly isPaid: boolean;
}

/** The same stages in threads and without. */
export function makeStages(kind: ThreadsKind): Transformer<unknown, unknown>[] {
  const stages: unknown[] = kind === "ndjson"
    ? [
      parseNdjson<Order>(),
      filter(({ isPaid }: Order) => isPaid),
      map(({ id, total }: Order) => ({ id, total: Math.round(total * 1.19) })),
      formatNdjson(),
      encode(),
    ]
    : [map(stepOf(kind))];
  return stages as Transformer<unknown, unknown>[];
}

export default defineStages((kind: ThreadsKind) => makeStages(kind));
