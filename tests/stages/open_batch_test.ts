import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { OpenBatch } from "../../src/stages/open_batch.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

test("a batch that its timer has handed on leaves none, and the next begins with its own time", async () => {
  await withTimerCount(async (pending) => {
    const batches: number[][] = [];
    const given = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const controller = {
      desiredSize: 1,
      enqueue(batch: number[]) {
        batches.push(batch);
        given[batches.length - 1]!.resolve();
      },
    } as TransformStreamDefaultController<number[]>;
    const batch = new OpenBatch<number>(controller, 2);
    batch.add(1, 0);
    batch.add(2, 0);
    assertEquals(pending(), 1);
    await given[0]!.promise;
    await Promise.resolve();
    assertEquals([batches, pending()], [[[1, 2]], 0]);
    batch.add(3, 0);
    // It is not due yet.
    batch.emitIfDue();
    assertEquals([batches.length, pending()], [1, 1]);
    await given[1]!.promise;
    await Promise.resolve();
    assertEquals([batches, pending()], [[[1, 2], [3]], 0]);
  });
});
