import {
  batch,
  filter,
  first,
  last,
  map,
  merge,
  parallel,
  peek,
  pipeline,
  take,
  toArray,
} from "@hosepipe/streams";
import itAll from "it-all";
import itBatch from "it-batch";
import itDrain from "it-drain";
import itFilter from "it-filter";
import itFirst from "it-first";
import itLast from "it-last";
import itMap from "it-map";
import itMerge from "it-merge";
import itParallel from "it-parallel";
import itPeekable from "it-peekable";
import { pipe } from "it-pipe";
import itTake from "it-take";
import pMap, { pMapIterable, pMapSkip } from "p-map";
import { type Row, row } from "./_row.ts";
import { rowsOfEffect } from "./_rows_of_effect.ts";
import { rowsOfNode } from "./_rows_of_node.ts";
import { rowsOfRxjs } from "./_rows_of_rxjs.ts";
import { rowsOfStd } from "./_rows_of_std.ts";
import { rowsOfStreamingIterables } from "./_rows_of_streaming_iterables.ts";
import { through } from "./_through.ts";

const rowsOfPMap: readonly Row[] = [
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

const rowsOfIt: readonly Row[] = [
  row("`it-map`", "`map(fn)`", {
    theirs: (source, fn) => itMap(source, (n) => fn(n) + 1),
    ours: (source, fn) => through(source, map((n: number) => fn(n) + 1)),
  }),
  row("`it-filter`", "`filter(fn)`", {
    theirs: (source, fn) => itFilter(source, (n) => fn(n) > 1),
    ours: (source, fn) => through(source, filter((n: number) => fn(n) > 1)),
  }),
  row("`it-take`", "`take(n)`", {
    theirs: (source) => itTake(source, 3),
    ours: (source) => through(source, take(3)),
  }),
  row("`it-batch`", "`batch(n)`", {
    theirs: (source) => itBatch(source, 4),
    ours: (source) => through(source, batch(4)),
  }),
  row("`it-parallel`", "`parallel(fn, { concurrency })`", {
    theirs: (source, fn) =>
      itParallel(itMap(source, (n) => async () => await fn(n)), { concurrency: 2, ordered: true }),
    ours: (source, fn) =>
      through(source, parallel(async (n: number) => await fn(n), { concurrency: 2 })),
  }),
  row("`it-merge`", "`merge(a, b)`", {
    theirs: (source) => itMerge([] as number[], source),
    ours: (source) => merge([], source),
  }),
  row("`it-all`", "`toArray(source)`", {
    theirs: (source) => itAll(source),
    ours: (source) => toArray(source),
  }),
  row("`it-first`", "`first(source)`", {
    theirs: (source) => itFirst(source),
    ours: (source) => first(source),
  }),
  row("`it-last`", "`last(source)`", {
    theirs: (source) => itLast(source),
    ours: (source) => last(source),
  }),
  row("`it-drain`", "`pipeline(source, () => {})`", {
    theirs: (source) => itDrain(source),
    ours: (source) => pipeline(source, () => {}).then(() => {}),
  }),
  row("`it-peekable`", "`await peek(source)`", {
    theirs: async (source) => {
      const peekable = itPeekable(source);
      const { value } = await peekable.peek();
      if (value !== undefined) peekable.push(value);
      return [value, await itAll(peekable)];
    },
    ours: async (source) => {
      const peeked = await peek(source);
      return [peeked.chunks[0], await toArray(peeked.source)];
    },
  }),
  row("`pipe(source, ...functions)` of `it-pipe`", "`toArray(source, ...stages)`", {
    theirs: (source, fn) =>
      pipe(source, (all) => itMap(all, (n: number) => fn(n)), (all) => itAll(all)),
    ours: (source, fn) => toArray(source, map((n) => fn(n))),
  }),
];

/** What users come from, in the order of the table. */
export const libraries: readonly { readonly name: string; readonly rows: readonly Row[] }[] = [
  { name: "Node", rows: rowsOfNode },
  { name: "RxJS", rows: rowsOfRxjs },
  { name: "streaming-iterables", rows: rowsOfStreamingIterables },
  { name: "it-*", rows: rowsOfIt },
  { name: "@std/streams", rows: rowsOfStd },
  { name: "p-map", rows: rowsOfPMap },
  { name: "Effect", rows: rowsOfEffect },
];
