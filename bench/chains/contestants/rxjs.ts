import { concatMap, EMPTY, filter, from, lastValueFrom, map, type Observable } from "rxjs";
import type { Chunk, RunChain } from "../job.ts";

export const rxjs: RunChain = async ({ source, isBatched, steps, write }) => {
  let chunks: Observable<Chunk> = from(source());
  if (isBatched) chunks = chunks.pipe(concatMap((batch: Chunk[]) => batch));
  for (const { kind, fn } of steps) chunks = chunks.pipe(kind === "map" ? map(fn) : filter(fn));
  const written = chunks.pipe(concatMap((chunk) => write(chunk) ?? EMPTY));
  await lastValueFrom(written, { defaultValue: undefined });
};
