import { bufferCount, concatMap, filter, from, lastValueFrom, map, type Observable } from "rxjs";
import type { Chunk, RunChain } from "../job.ts";

/** Chunks written together: an inner observable a chunk that ends at once would overflow the stack. */
const together = 256;

export const rxjs: RunChain = async ({ source, isBatched, steps, write }) => {
  let chunks: Observable<Chunk> = from(source());
  if (isBatched) chunks = chunks.pipe(concatMap((batch: Chunk[]) => batch));
  for (const { kind, fn } of steps) chunks = chunks.pipe(kind === "map" ? map(fn) : filter(fn));
  const written = chunks.pipe(
    bufferCount(together),
    concatMap(async (group) => {
      for (const chunk of group) {
        const written = write(chunk);
        if (written) await written;
      }
    }),
  );
  await lastValueFrom(written, { defaultValue: undefined });
};
