import type { SqsBatchResult } from "./sqs_client.ts";

/** SQS and SNS take no more at a time, by count and by size. */
export const mostEntries = 10;
export const mostBytes = 262_144;

/** An entry that was not taken. */
type FailedEntry = NonNullable<SqsBatchResult["Failed"]>[number];

/** Divides entries into batches that are small enough; the size of each counts. */
export function batchesOf<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  limit: number,
): Entry[][] {
  const batches: Entry[][] = [];
  let size = 0;
  for (const entry of entries) {
    const own = sizeOf(entry);
    const last = batches.at(-1);
    if (last === undefined || last.length === mostEntries || size + own > limit) {
      batches.push([entry]);
      size = own;
    } else {
      last.push(entry);
      size += own;
    }
  }
  return batches;
}

/** After so many tries of what the service fails at by itself, it is an outage. */
const mostTries = 3;

/**
 * Sends a batch, and what the service could not take of it alone again; gives what cannot be taken, and throws what the
 * service still fails at.
 */
export async function sendBatch<Entry extends { readonly Id: string }>(
  action: string,
  entries: readonly Entry[],
  send: (entries: Entry[]) => Promise<SqsBatchResult>,
): Promise<FailedEntry[]> {
  const refused: FailedEntry[] = [];
  let rest = [...entries];
  for (let tries = 1; rest.length > 0; tries++) {
    const failed = (await send(rest)).Failed ?? [];
    refused.push(...failed.filter(({ SenderFault }) => SenderFault));
    const lost = failed.filter(({ SenderFault }) => !SenderFault);
    const ids = new Set(lost.map(({ Id }) => Id));
    rest = rest.filter(({ Id }) => ids.has(Id));
    if (rest.length > 0 && tries === mostTries) {
      const [{ Code }] = lost as [FailedEntry];
      throw new Error(`Cannot ${action}: ${rest.length} of ${entries.length} failed: ${Code}`);
    }
  }
  return refused;
}
