import * as theirs from "streaming-iterables";
import { from } from "../lib/from.ts";
import { type Made, type Programs, twice } from "./_ours.ts";

export const programsOfStreamingIterables: Programs = {
  "map(fn)": (source, fn) => theirs.map((n: number) => fn(n) + 1, source),
  "filter(fn)": (source, fn) => theirs.filter((n: number) => fn(n) > 1, source),
  "parallelMap(n, fn)": (source, fn) =>
    theirs.parallelMap(2, async (n: number) => await fn(n), source),
  "transform(n, fn)": (source, fn) => theirs.transform(2, async (n: number) => await fn(n), source),
  "flatMap(fn)": (source, fn) => theirs.flatMap((n: number) => twice(fn(n)), source),
  "parallelFlatMap(n, fn)": (source, fn) =>
    theirs.parallelFlatMap(2, (n: number) => Promise.resolve(from(twice(fn(n)))), source),
  "flatTransform(n, fn)": (source, fn) =>
    theirs.flatTransform(2, (n: number) => Promise.resolve(twice(fn(n))), source),
  "flatten(source)": (source, fn) =>
    theirs.flatten(theirs.map((n: number) => twice(fn(n)), source)),
  "batch(n)": (source) => theirs.batch(4, source),
  "batchWithTimeout(n, ms)": (source) => theirs.batchWithTimeout(4, 1e6, source),
  "collect(source)": (source) => theirs.collect(source) as Made,
  "consume(source)": (source) => theirs.consume(source) as Promise<void>,
  "concat(a, b)": (source) => theirs.concat([7], source),
  "merge(a, b)": (source) => theirs.parallelMerge([], source),
  "drop(n)": (source) => theirs.drop(2, source),
  "take(n)": (source) => theirs.take(3, source),
  "tap(fn)": (source, fn) => theirs.tap((n: number) => void fn(n), source),
  "reduce(fn, seed)": (source, fn) =>
    theirs.reduce((sum: number, n: number) => sum + fn(n), 10, source),
  "pipeline(() => source, map(fn))": (source, fn) =>
    theirs.pipeline(() => source, theirs.map((n: number) => fn(n))) as Made,
  "pipeline(() => source, map(fn), collect)": (source, fn) =>
    theirs.pipeline(() => source, theirs.map((n: number) => fn(n)), theirs.collect) as Made,
};
