import pMap, { pMapIterable, pMapSkip } from "p-map";
import { filter, parallel, toArray } from "@hosepipe/streams";
import { type Row, row } from "./_row.ts";
import { through } from "./_through.ts";

export const rowsOfPMap: readonly Row[] = [
  row("`pMap(source, fn)`", "`toArray(source, parallel(fn, { concurrency: Infinity }))`", {
    theirs: (source, fn) => pMap(source, async (n) => await fn(n)),
    ours: (source, fn) =>
      toArray(source, parallel(async (n) => await fn(n), { concurrency: Infinity })),
  }),
  row("`pMap(source, fn, { stopOnError: false })`", "`parallel(fn, { stopOnError: false, … })`", {
    theirs: (source, fn) => pMap(source, async (n) => await fn(n), { stopOnError: false }),
    ours: (source, fn) =>
      toArray(
        source,
        parallel(async (n) => await fn(n), { concurrency: Infinity, stopOnError: false }),
      ),
  }, { differs: { "fn fails": "the message of the `AggregateError` says how many of how many" } }),
  row(
    "`pMapIterable(source, fn, { concurrency, backpressure })`",
    "`parallel(fn, { concurrency, window })`",
    {
      theirs: (source, fn) => pMapIterable(source, async (n) => await fn(n), { concurrency: 2 }),
      ours: (source, fn) =>
        through(source, parallel(async (n: number) => await fn(n), { concurrency: 2 })),
    },
  ),
  row("`pMapSkip`", "`filter(fn)`, with a `concurrency`", {
    theirs: (source, fn) => pMap(source, (n) => fn(n) > 2 ? n : pMapSkip),
    ours: (source, fn) => toArray(source, filter((n) => fn(n) > 2)),
  }),
];
