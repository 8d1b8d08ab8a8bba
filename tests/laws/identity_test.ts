import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { underAllConditions } from "../lib/conditions.ts";
import { countedSource } from "../lib/counted_source.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { operators } from "../lib/operators.ts";
import { range } from "../lib/range.ts";
import { ways, writableMark } from "../lib/ways.ts";

const length = 256;

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: ${length} chunks come out equal and in order`, () =>
      underAllConditions(way, operator, async ({ mark, burst }) => {
        const source = countedSource({
          ...{ chunk: operator.input, length },
          ...{ highWaterMark: mark, burst },
        });
        const sink = keepingSink({ highWaterMark: writableMark(mark) });
        await way.run(source.readable, [operator.make()], sink.writable, { mark });
        const chunks = operator.keepsOrder
          ? sink.chunks
          : (sink.chunks as number[]).toSorted((a, b) => a - b);
        assertEquals(chunks, range(length).map(operator.output));
        assertEquals([source.readCount, sink.closeCount], [length, 1]);
      }));
  }
}
