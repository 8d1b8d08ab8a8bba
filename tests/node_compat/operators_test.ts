import { assertEquals } from "@std/assert";
import { test } from "node:test";
import * as node from "@hosepipe/streams/node";
import { batch } from "../../src/stages/batch.ts";
import { drop } from "../../src/stages/drop.ts";
import { filter } from "../../src/stages/filter.ts";
import { flatMap } from "../../src/stages/flat_map.ts";
import { lines } from "../../src/stages/lines.ts";
import { map } from "../../src/stages/map.ts";
import { parallel } from "../../src/stages/parallel.ts";
import { reader } from "../../src/sources/reader.ts";
import { scan } from "../../src/stages/scan.ts";
import { take } from "../../src/stages/take.ts";
import { tap } from "../../src/stages/tap.ts";
import { writer } from "../../src/sinks/writer.ts";
import { settle } from "./virtual_clock.ts";

// deno-lint-ignore no-explicit-any -- operators of all chunk types in one table
type AnyTransformer = Transformer<any, any>;

const later = <T>(value: T): Promise<T> => settle().then(() => value);

function* naturals(): Generator<number> {
  for (let number = 1;; number++) yield number;
}

const chains: Record<string, () => AnyTransformer[]> = {
  "map": () => [map((chunk: number, index) => chunk * 10 + index)],
  "map, later": () => [map((chunk: number) => later(chunk * 2))],
  "filter": () => [filter((chunk: number) => chunk % 2 === 0)],
  "flatMap": () => [flatMap((chunk: number) => new Set([chunk, chunk * 100]))],
  "flatMap, asynchronous": () => [
    flatMap(async function* (chunk: number) {
      yield await later(chunk);
      yield chunk + 0.5;
    }),
  ],
  "flatMap, endless, with take": () => [flatMap(naturals), take(7)],
  "take": () => [take(3)],
  "take of none": () => [take(0)],
  "take of more": () => [take(100)],
  "drop": () => [drop(3)],
  "tap": () => [tap(() => {})],
  "scan": () => [scan((sum: number, chunk: number) => sum + chunk, 0)],
  "batch": () => [batch(4)],
  "lines": () => [map((chunk: number) => `a${chunk}\nb`), lines()],
  "parallel, ordered": () => [
    parallel((chunk: number) => chunk % 2 ? later(chunk) : chunk, { concurrency: 3 }),
  ],
  "many": () => [
    map((chunk: number) => chunk + 1),
    filter((chunk: number) => chunk % 3 !== 0),
    flatMap((chunk: number) => [chunk, chunk]),
    drop(1),
    take(5),
    batch(2),
  ],
};

async function runWeb(source: Iterable<number>, stages: AnyTransformer[]): Promise<unknown[]> {
  const written: unknown[] = [];
  let readable: ReadableStream = reader(source);
  for (const stage of stages) readable = readable.pipeThrough(new TransformStream(stage));
  await readable.pipeTo(writer((chunk) => void written.push(chunk)));
  return written;
}

async function runNode(source: Iterable<number>, stages: AnyTransformer[]): Promise<unknown[]> {
  const written: unknown[] = [];
  await node.pipeline(
    node.reader(source),
    ...stages.map((stage) => node.transformer(stage)),
    node.writer((chunk) => void written.push(chunk)),
  );
  return written;
}

const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

for (const [name, create] of Object.entries(chains)) {
  test(`${name}: the same on both APIs, also through the adapters`, async () => {
    for (const source of [[], [1], numbers]) {
      const expected = await runWeb(source, create());
      assertEquals(await runNode(source, create()), expected);
      const written: unknown[] = [];
      await node.pipeline(
        node.toNode(reader(source)),
        ...create().map((stage) => node.toNode(new TransformStream(stage))),
        node.toNode(writer((chunk) => void written.push(chunk))),
      );
      assertEquals(written, expected);
    }
  });
}
