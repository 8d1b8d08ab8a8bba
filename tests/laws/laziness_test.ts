import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
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
  }
}
