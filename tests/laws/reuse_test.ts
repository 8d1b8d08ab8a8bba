import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  batch,
  drop,
  filter,
  flatMap,
  lines,
  map,
  parallel,
  scan,
  take,
  tap,
} from "@hosepipe/streams";
import { countedSource, keepingSink } from "./_ends.ts";
import { type Way, ways } from "./_ways.ts";

type Stage = Transformer<unknown, unknown>;

/** Operators that keep something from chunk to chunk, so that two streams of one instance could mix. */
const makers: Readonly<Record<string, () => Stage>> = {
  "map": () => map((chunk, index) => `${chunk}${index}\n`),
  "map, promises": () => map((chunk, index) => Promise.resolve(`${chunk}${index}\n`)),
  "filter": () => filter((_, index) => index % 3 !== 0),
  "flatMap": () => flatMap((chunk, index) => Array(index % 3).fill(chunk)),
  "flatMap, generators": () =>
    flatMap(function* (chunk, index) {
      for (let n = 0; n < index % 3; n++) yield chunk;
    }),
  "take": () => take(5),
  "drop": () => drop(5),
  "tap": () => tap((_, index) => index === 100 && Promise.reject("never")),
  "scan": () => scan((sum, chunk) => `${(sum + String(chunk)).slice(-9)}`, "") as Stage,
  "batch": () => batch(3),
  "batch by time": () => batch(3, { maxWaitMs: 10_000 }),
  "lines": () => lines() as Stage,
  "parallel, ordered": () =>
    parallel((chunk, index) => Promise.resolve(`${chunk}${index}\n`), { concurrency: 3 }),
  "parallel, unordered": () =>
    parallel((chunk, index) => Promise.resolve(`${chunk}${index}\n`), {
      concurrency: 3,
      ordered: false,
    }),
};

async function run(way: Way, name: string, count: number, stages: Stage[]): Promise<unknown[]> {
  const source = countedSource((n) => n % 2 === 0 ? `${name}${n}` : `${n}\n`, count);
  const sink = keepingSink();
  await way.run(source.readable, stages, sink.writable);
  return sink.chunks;
}

for (const way of ways) {
  for (const [name, make] of Object.entries(makers)) {
    test(`${way.name}, ${name}: one instance in two streams at once keeps them apart`, async () => {
      const expected = [
        await run(way, "a", 20, [make()]),
        await run(way, "b", 13, [make()]),
      ];
      const stage = make();
      const both = await Promise.all([run(way, "a", 20, [stage]), run(way, "b", 13, [stage])]);
      assertEquals(both, expected);
      assertEquals(await run(way, "a", 20, [stage]), expected[0]);
    });

    test(`${way.name}, ${name}: one instance twice in a chain is two stages`, async () => {
      const show = map((chunk) => typeof chunk === "string" ? chunk : JSON.stringify(chunk));
      const expected = await run(way, "a", 20, [make(), show, make()]);
      const stage = make();
      assertEquals(await run(way, "a", 20, [stage, show, stage]), expected);
    });
  }
}
