import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { take } from "@hosepipe/streams";
import { underAllConditions } from "../lib/conditions.ts";
import { countedSource } from "../lib/counted_source.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { operators } from "../lib/operators.ts";
import { turns } from "../lib/turns.ts";
import { connectingWays, ways, writableMark } from "../lib/ways.ts";

for (const operator of operators) {
  for (const way of connectingWays) {
    test(`${way.name}, ${operator.name}: a loop that is left cancels the source and releases its lock`, () =>
      underAllConditions(way, operator, async ({ mark, burst }) => {
        const source = countedSource({ chunk: operator.input, highWaterMark: mark, burst });
        const readable = way.connect(source.readable, [operator.make()], mark);
        const chunks: unknown[] = [];
        for await (const chunk of readable) {
          if (chunks.push(chunk) === 2) break;
        }
        await turns();
        assertEquals(chunks.length, 2);
        assertEquals(source.cancelReasons.length, 1);
        assertEquals([source.readable.locked, readable.locked], [false, false]);
      }));
  }

  for (const way of ways) {
    test(`${way.name}, ${operator.name}: a stage that ends early cancels the source and closes the sink`, () =>
      underAllConditions(way, operator, async ({ mark, burst }) => {
        const source = countedSource({ chunk: operator.input, highWaterMark: mark, burst });
        const sink = keepingSink({ highWaterMark: writableMark(mark) });
        await way.run(source.readable, [operator.make(), take(2)], sink.writable, { mark });
        await turns();
        assertEquals(sink.chunks.length, 2);
        assertEquals([source.cancelReasons.length, sink.closeCount], [1, 1]);
        assertEquals([source.readable.locked, sink.writable.locked], [false, false]);
      }));
  }
}
