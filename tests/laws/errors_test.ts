import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { underAllConditions } from "../lib/conditions.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import type { Operator, Stage } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";
import { range } from "../lib/range.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";
import { connectingWays, type Way, ways, writableMark } from "../lib/ways.ts";
import { take } from "@hosepipe/streams";

const before = 3;

/** Hands on three chunks and fails with the fourth. */
function failing(reason: unknown): Stage {
  let count = 0;
  return {
    transform(chunk, controller) {
      if (count++ === before) throw reason;
      controller.enqueue(chunk);
    },
  };
}

/** Whether what was begun before a failure is delivered, by what works ahead, too: native streams drop their queues. */
function losesNothing({ name }: Way): boolean {
  return name !== "native";
}

function assertChunks(chunks: readonly unknown[], { keepsOrder, output }: Operator): void {
  assertEquals(
    keepsOrder ? chunks : (chunks as number[]).toSorted((a, b) => a - b),
    range(before).map(output),
  );
}

for (const way of ways) {
  for (const operator of operators) {
    for (const { name, reason } of reasons) {
      const title = `${way.name}, ${operator.name}: ${name}`;

      test(`${title} in the source rejects the run and aborts the sink`, () =>
        underAllConditions(way, operator, async ({ mark, burst }) => {
          const source = countedSource({
            ...{ chunk: operator.input, length: before, atEnd: { reason } },
            ...{ highWaterMark: mark, burst },
          });
          const sink = keepingSink({ highWaterMark: writableMark(mark) });
          const run = way.run(source.readable, [operator.make()], sink.writable, { mark });
          assertEquals(await errorOf(run), [reason]);
          await turns(1);
          assertEquals([sink.abortReasons, sink.closeCount], [[reason], 0]);
          // A source's own queue is lost with it.
          if (losesNothing(way) && mark === 0 && burst === 1) {
            assertChunks(sink.chunks, operator);
          }
        }));

      for (const place of ["after", "before"]) {
        test(`${title} in a stage ${place} it rejects the run and ends both ends`, () =>
          underAllConditions(way, operator, async ({ mark, burst }) => {
            const source = countedSource({ chunk: operator.input, highWaterMark: mark, burst });
            const sink = keepingSink({ highWaterMark: writableMark(mark) });
            const stages = [operator.make(), failing(reason)];
            if (place === "before") stages.reverse();
            const run = way.run(source.readable, stages, sink.writable, { mark });
            assertEquals(await errorOf(run), [reason]);
            await turns();
            assertEquals([source.cancelReasons, sink.abortReasons], [[reason], [reason]]);
            assertEquals(sink.closeCount, 0);
            if (place === "after" && !operator.keepsOrder) {
              // Which come first is not said.
              assertEquals(new Set(sink.chunks).size, sink.chunks.length);
              if (losesNothing(way)) assertEquals(sink.chunks.length, before);
            } else if (losesNothing(way)) assertChunks(sink.chunks, operator);
          }));
      }

      test(`${title} in the sink rejects the run and cancels the source`, () =>
        underAllConditions(way, operator, async ({ mark, burst }) => {
          const source = countedSource({ chunk: operator.input, highWaterMark: mark, burst });
          const sink = keepingSink({
            ...{ length: before, then: { reason } },
            highWaterMark: writableMark(mark),
          });
          const run = way.run(source.readable, [operator.make()], sink.writable, { mark });
          assertEquals(await errorOf(run), [reason]);
          await turns();
          assertEquals(source.cancelReasons, [reason]);
          assertEquals([sink.chunks.length, sink.closeCount], [before, 0]);
        }));
    }
  }
}

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
