import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { underAllConditions } from "../lib/conditions.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { operators } from "../lib/operators.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";
import { connectingWays, ways, writableMark } from "../lib/ways.ts";

const oneChunk = { length: 1, atEnd: "stall" } as const;

for (const operator of operators) {
  for (const way of connectingWays) {
    for (const { name, reason } of reasons) {
      test(`${way.name}, ${operator.name}: cancelling a stalled read with ${name} reaches the source`, () =>
        underAllConditions(way, operator, async ({ mark }) => {
          const options = { ...oneChunk, chunk: operator.input, highWaterMark: mark };
          const source = countedSource(options);
          const reader = way.connect(source.readable, [operator.make()], mark).getReader();
          assertEquals((await reader.read()).value, operator.output(0));
          const stalled = reader.read();
          await turns();
          await reader.cancel(reason);
          assertEquals(await stalled, { done: true, value: undefined });
          await turns();
          assertEquals(source.cancelReasons, [reason]);
        }));
    }
  }

  for (const way of ways) {
    test(`${way.name}, ${operator.name}: an aborted run tells source and sink the reason`, () =>
      underAllConditions(way, operator, async ({ mark }) => {
        const source = countedSource({ ...oneChunk, chunk: operator.input, highWaterMark: mark });
        const sink = keepingSink({ highWaterMark: writableMark(mark) });
        const abort = new AbortController();
        const { signal } = abort;
        const run = way.run(source.readable, [operator.make()], sink.writable, { mark, signal });
        const error = errorOf(run);
        await turns();
        assertEquals(sink.chunks, [operator.output(0)]);
        const reason = new Error("aborted");
        abort.abort(reason);
        assertEquals(await error, [reason]);
        await turns();
        assertEquals([source.cancelReasons, sink.abortReasons], [[reason], [reason]]);
        assertEquals(sink.closeCount, 0);
      }));
  }
}
