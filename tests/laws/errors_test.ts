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
import { type Way, ways, writableMark } from "../lib/ways.ts";

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
            if (losesNothing(way)) {
              assertChunks(sink.chunks, operator);
            }
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
