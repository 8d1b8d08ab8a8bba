import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { fuse, map } from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { from } from "../lib/from.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import type { Stage } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";
import { range } from "../lib/range.ts";
import { type Way, ways } from "../lib/ways.ts";

async function run(way: Way, name: string, count: number, stages: Stage[]): Promise<unknown[]> {
  const chunk = (n: number) => n % 2 === 0 ? `${name}${n}` : `${n}\n`;
  const source = countedSource({ chunk, length: count });
  const sink = keepingSink();
  await way.run(source.readable, stages, sink.writable);
  return sink.chunks;
}

for (const way of ways) {
  for (const { name, makeStateful: make } of operators) {
    if (make === undefined) continue;
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

for (const operator of operators) {
  test(`a pair made of ${operator.name} and used twice is refused, and the first use unharmed`, async () => {
    const pair = fuse(operator.make());
    const output = from(range(3).map(operator.input)).pipeThrough(pair);
    assertThrows(() => from([operator.input(0)]).pipeThrough(pair), TypeError);
    assertEquals(await Array.fromAsync(output), range(3).map(operator.output));
  });
}
