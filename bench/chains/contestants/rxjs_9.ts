import { ColdObservable } from "rxjs-9";
import { filter } from "rxjs-9/filter";
import { iterateBufferedValues } from "rxjs-9/iterate-buffered-values";
import { map } from "rxjs-9/map";
import { mergeMap } from "rxjs-9/merge-map";
import type { Chunk, RunChain } from "../job.ts";
import { writeAll } from "../to_transformers.ts";

export const rxjs9: RunChain = async ({ source, isBatched, steps, write }) => {
  let chunks = ColdObservable.from<Chunk>(source());
  if (isBatched) chunks = chunks[mergeMap]((batch: Chunk[]) => batch, { concurrent: 1 });
  for (const { kind, fn } of steps) chunks = kind === "map" ? chunks[map](fn) : chunks[filter](fn);
  for await (const group of chunks[iterateBufferedValues]()) await writeAll(group, write);
};
