import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { take } from "@hosepipe/streams";
import { countedSource, keepingSink, turns } from "./_ends.ts";
import { operators } from "./_operators.ts";
import { connectingWays, ways } from "./_ways.ts";

for (const operator of operators) {
  for (const way of connectingWays) {
    test(`${way.name}, ${operator.name}: a loop that is left cancels the source and releases its lock`, async () => {
      const source = countedSource(operator.input, Infinity);
      const readable = way.connect(source.readable, [operator.make()]);
      const chunks: unknown[] = [];
      for await (const chunk of readable) {
        if (chunks.push(chunk) === 2) break;
      }
      await turns();
      assertEquals(chunks.length, 2);
      assertEquals(source.cancelReasons.length, 1);
      assertEquals([source.readable.locked, readable.locked], [false, false]);
    });
  }

  for (const way of ways) {
    test(`${way.name}, ${operator.name}: a stage that ends early cancels the source and closes the sink`, async () => {
      const source = countedSource(operator.input, Infinity);
      const sink = keepingSink();
      await way.run(source.readable, [operator.make(), take(2)], sink.writable);
      await turns();
      assertEquals(sink.chunks.length, 2);
      assertEquals([source.cancelReasons.length, sink.closeCount], [1, 1]);
      assertEquals([source.readable.locked, sink.writable.locked], [false, false]);
    });
  }
}
