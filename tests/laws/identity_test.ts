import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { countedSource, keepingSink, range } from "./_ends.ts";
import { operators } from "./_operators.ts";
import { ways } from "./_ways.ts";

const count = 1000;

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: ${count} chunks come out equal and in order`, async () => {
      const source = countedSource(operator.input, count);
      const sink = keepingSink();
      await way.run(source.readable, [operator.make()], sink.writable);
      const chunks = operator.keepsOrder
        ? sink.chunks
        : (sink.chunks as number[]).toSorted((a, b) => a - b);
      assertEquals(chunks, range(count).map(operator.output));
      assertEquals([source.readCount, sink.closeCount], [count, 1]);
    });
  }
}
