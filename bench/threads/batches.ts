import type { ThreadsJob } from "./job.ts";
import { batchOf } from "./steps.ts";

const lineFeed = 10;

/** Bytes that are cut anywhere, cut behind lines. */
export function* wholeLines(blocks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for (const block of blocks) {
    const end = block.lastIndexOf(lineFeed) + 1;
    if (end === 0) {
      rest = Uint8Array.of(...rest, ...block);
      continue;
    }
    const whole = new Uint8Array(rest.length + end);
    whole.set(rest);
    whole.set(block.subarray(0, end), rest.length);
    yield whole;
    rest = block.slice(end);
  }
  if (rest.length > 0) yield rest;
}

/** What a user of a pool makes of a stream by hand: batches, as many as two a thread in flight, results in order. */
export async function runInBatches(
  { kind, threads, chunks, take }: ThreadsJob,
  run: (batch: { kind: string; chunks: unknown[] }) => PromiseLike<unknown>,
): Promise<void> {
  const flights: PromiseLike<unknown>[] = [];
  const takeNext = async () => {
    for (const result of await flights.shift()! as unknown[]) take(result);
  };
  const size = batchOf(kind);
  let batch: unknown[] = [];
  const send = async () => {
    flights.push(run({ kind, chunks: batch }));
    batch = [];
    if (flights.length >= threads * 2) await takeNext();
  };
  const source = kind === "ndjson" ? wholeLines(chunks as Uint8Array[]) : chunks;
  for (const chunk of source) if (batch.push(chunk) === size) await send();
  if (batch.length > 0) await send();
  while (flights.length > 0) await takeNext();
}
