import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { countedSource, errorOf, keepingSink, reasons, turns } from "./_ends.ts";
import { operators } from "./_operators.ts";
import { ways } from "./_ways.ts";

/** Hands on three chunks and fails with the fourth. */
function failing(reason: unknown): Transformer<unknown, unknown> {
  let count = 0;
  return {
    transform(chunk, controller) {
      if (count++ === 3) throw reason;
      controller.enqueue(chunk);
    },
  };
}

for (const way of ways) {
  for (const operator of operators) {
    for (const { name, reason } of reasons) {
      const title = `${way.name}, ${operator.name}: ${name}`;

      test(`${title} in the source rejects the run and aborts the sink`, async () => {
        const source = countedSource(operator.input, 5, { reason });
        const sink = keepingSink();
        const run = way.run(source.readable, [operator.make()], sink.writable);
        assertEquals(await errorOf(run), [reason]);
        await turns(1);
        assertEquals([sink.abortReasons, sink.closeCount], [[reason], 0]);
      });

      test(`${title} in a stage after it rejects the run and ends both ends`, async () => {
        const source = countedSource(operator.input, Infinity);
        const sink = keepingSink();
        const stages = [operator.make(), failing(reason)];
        assertEquals(await errorOf(way.run(source.readable, stages, sink.writable)), [reason]);
        await turns();
        assertEquals([source.cancelReasons, sink.abortReasons], [[reason], [reason]]);
        assertEquals(sink.closeCount, 0);
      });

      test(`${title} in a stage before it rejects the run and ends both ends`, async () => {
        const source = countedSource(operator.input, Infinity);
        const sink = keepingSink();
        const stages = [failing(reason), operator.make()];
        assertEquals(await errorOf(way.run(source.readable, stages, sink.writable)), [reason]);
        await turns();
        assertEquals([source.cancelReasons, sink.abortReasons], [[reason], [reason]]);
        assertEquals(sink.closeCount, 0);
      });

      test(`${title} in the sink rejects the run and cancels the source`, async () => {
        const source = countedSource(operator.input, Infinity);
        const sink = keepingSink(3, { reason });
        const run = way.run(source.readable, [operator.make()], sink.writable);
        assertEquals(await errorOf(run), [reason]);
        await turns();
        assertEquals(source.cancelReasons, [reason]);
        assertEquals([sink.chunks.length, sink.closeCount], [3, 0]);
      });
    }
  }
}
