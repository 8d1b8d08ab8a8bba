import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { countedSource, errorOf, keepingSink, reasons, turns } from "./_ends.ts";
import { operators } from "./_operators.ts";
import { connectingWays, ways } from "./_ways.ts";

for (const operator of operators) {
  for (const way of connectingWays) {
    for (const { name, reason } of reasons) {
      test(`${way.name}, ${operator.name}: cancelling a stalled read with ${name} reaches the source`, async () => {
        const source = countedSource(operator.input, 1, "stall");
        const reader = way.connect(source.readable, [operator.make()]).getReader();
        assertEquals((await reader.read()).value, operator.output(0));
        const stalled = reader.read();
        await turns();
        await reader.cancel(reason);
        assertEquals(await stalled, { done: true, value: undefined });
        await turns();
        assertEquals(source.cancelReasons, [reason]);
      });
    }
  }

  for (const way of ways) {
    test(`${way.name}, ${operator.name}: an aborted run tells source and sink the reason`, async () => {
      const source = countedSource(operator.input, 1, "stall");
      const sink = keepingSink();
      const abort = new AbortController();
      const run = way.run(source.readable, [operator.make()], sink.writable, abort.signal);
      const error = errorOf(run);
      await turns();
      assertEquals(sink.chunks, [operator.output(0)]);
      const reason = new Error("aborted");
      abort.abort(reason);
      assertEquals(await error, [reason]);
      await turns();
      assertEquals([source.cancelReasons, sink.abortReasons], [[reason], [reason]]);
      assertEquals(sink.closeCount, 0);
    });
  }
}
