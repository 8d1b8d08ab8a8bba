import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { flatMap } from "@hosepipe/streams";
import { countedSource, errorOf, keepingSink, turns } from "./_ends.ts";
import { operators } from "./_operators.ts";
import { ways } from "./_ways.ts";

const taken = 3;

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: no chunk is read that no buffer has room for`, async () => {
      const source = countedSource(operator.input, Infinity);
      const sink = keepingSink(taken);
      const abort = new AbortController();
      const run = way.run(source.readable, [operator.make()], sink.writable, abort.signal);
      const error = errorOf(run);
      await turns();
      const bound = taken + way.sumOfMarks(1) + operator.readAhead;
      assertEquals(sink.chunks.length, taken);
      assert(source.readCount <= bound, `read ${source.readCount} chunks, more than ${bound}`);
      const reason = new Error("enough");
      abort.abort(reason);
      sink.release();
      assertEquals(await error, [reason]);
    });

    test(`${way.name}, ${operator.name}: without a sink's demand nothing is read but ahead`, async () => {
      const source = countedSource(operator.input, Infinity);
      // A sink that has not started yet takes nothing out of its queue.
      const started = Promise.withResolvers<void>();
      const writable = new WritableStream<unknown>({ start: () => started.promise });
      const abort = new AbortController();
      const run = way.run(source.readable, [operator.make()], writable, abort.signal);
      const error = errorOf(run);
      await turns();
      const bound = way.sumOfMarks(1) + operator.readAhead;
      assert(source.readCount <= bound, `read ${source.readCount} chunks, more than ${bound}`);
      const reason = new Error("enough");
      abort.abort(reason);
      started.resolve();
      assertEquals(await error, [reason]);
    });

    test(`${way.name}, ${operator.name}: before a stage that hangs no more is read than queues hold`, async () => {
      const source = countedSource(operator.input, Infinity);
      const stalled = Promise.withResolvers<void>();
      const triple = flatMap((chunk) => [chunk, chunk, chunk]);
      const hanging: Transformer<unknown, unknown> = { transform: () => stalled.promise };
      const stages = [operator.make(), triple, { ...operator.make() }, hanging];
      const chunk = operator.input(0);
      // What an operator gives may be no chunk for another of its kind.
      if (typeof chunk === "string") stages.splice(2, 1);
      const abort = new AbortController();
      const sink = new WritableStream<unknown>();
      const error = errorOf(way.run(source.readable, stages, sink, abort.signal));
      await turns();
      // One that the last stage is given, and one that each stage holds.
      const bound = 1 + stages.length + way.sumOfMarks(stages.length) + 2 * operator.readAhead;
      assert(source.readCount <= bound, `read ${source.readCount} chunks, more than ${bound}`);
      const reason = new Error("enough");
      abort.abort(reason);
      stalled.resolve();
      assertEquals(await error, [reason]);
    });
  }
}
