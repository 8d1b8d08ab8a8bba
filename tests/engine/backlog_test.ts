import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { Backlog } from "../../src/engine/backlog.ts";
import { Stage } from "../../src/engine/stage.ts";
import { Slice } from "../../src/kernels/slice.ts";

function stagesOf(count: number): Stage[] {
  return Array.from(
    { length: count },
    (_, index) => new Stage({ transformer: {} }, index, {} as never, {} as never, false),
  );
}

function sliceOf(...chunks: unknown[]): Slice {
  const slice = new Slice();
  for (const chunk of chunks) slice.give(chunk);
  slice.swap();
  return slice;
}

/** What waits in a stage, taken out. */
function waiting(backlog: Backlog, stage: Stage): unknown[] {
  const slice = new Slice();
  backlog.take(stage, slice, 99);
  return slice.items.slice(0, slice.count);
}

test("stages are counted as ready once each, and no more once they are not", () => {
  const stages = stagesOf(3);
  const backlog = new Backlog(stages);
  backlog.markReady(stages[1]!);
  backlog.markReady(stages[1]!);
  assertEquals([backlog.readyCount, stages[1]!.isReady, stages[1]!.isFree], [1, true, false]);
  backlog.push(stages[2]!, "a");
  assertEquals([backlog.readyCount, backlog.queuedCount], [2, 1]);
  backlog.unmark(stages[1]!);
  assertEquals([backlog.readyCount, stages[1]!.isReady, stages[1]!.isFree], [1, false, true]);
  backlog.unmark(stages[2]!);
  assertEquals(backlog.readyCount, 0);
});

test("later stages are attended first, each until it has nothing to do", () => {
  const stages = stagesOf(4);
  const backlog = new Backlog(stages);
  const attended: number[] = [];
  /** How often each stage has something to do. */
  const left = [1, 2, 0, 1];
  const handler = {
    handle(stage: Stage) {
      attended.push(stage.index);
      return left[stage.index]!-- > 0;
    },
  };
  assertEquals([backlog.handleAny(handler), attended], [false, []]);
  for (const stage of [stages[0]!, stages[1]!, stages[3]!]) backlog.markReady(stage);
  while (backlog.handleAny(handler));
  assertEquals(attended, [3, 3, 1, 1, 1, 0, 0]);
  // What was passed over is looked at again only after a rewind, or as it is marked.
  attended.length = 0;
  assertEquals([backlog.handleAny(handler), attended], [false, []]);
  backlog.markReady(stages[2]!);
  assertEquals([backlog.handleAny(handler), attended], [false, [2, 1, 0]]);
  attended.length = 0;
  backlog.rewind();
  left[3] = 1;
  assertEquals([backlog.handleAny(handler), attended], [true, [3]]);
});

test("chunks wait in order: a slice behind what waits, what is put back before it", () => {
  const [stage] = stagesOf(1) as [Stage];
  const backlog = new Backlog([stage]);
  backlog.push(stage, "c");
  const parked = sliceOf("d", "e");
  backlog.park(stage, parked);
  assertEquals([parked.count, backlog.queuedCount], [0, 3]);
  backlog.putBack(stage, sliceOf("x", "a", "b"), 1);
  assertEquals([backlog.queuedCount, backlog.readyCount], [5, 1]);
  const slice = new Slice();
  backlog.take(stage, slice, 2);
  assertEquals([slice.items.slice(0, slice.count), backlog.queuedCount], [["a", "b"], 3]);
  assertEquals([waiting(backlog, stage), backlog.queuedCount], [["c", "d", "e"], 0]);
});

test("nothing is put back where nothing is left, or into a stage that is closed", () => {
  const [open, closed] = stagesOf(2) as [Stage, Stage];
  const backlog = new Backlog([open, closed]);
  backlog.putBack(open, sliceOf("a", "b"), 2);
  closed.closeReadable();
  backlog.putBack(closed, sliceOf("a", "b"), 0);
  assertEquals([backlog.readyCount, backlog.queuedCount], [0, 0]);
  assertEquals([waiting(backlog, open), waiting(backlog, closed)], [[], []]);
});

test("what waits in a stage is forgotten, and counted no more", () => {
  const stages = stagesOf(2) as [Stage, Stage];
  const backlog = new Backlog(stages);
  for (const chunk of ["a", "b", "c"]) backlog.push(stages[0], chunk);
  backlog.push(stages[1], "d");
  stages[0].hasMore = true;
  backlog.empty(stages[0]);
  assertEquals([backlog.queuedCount, stages[0].hasMore], [1, false]);
  assertEquals([waiting(backlog, stages[0]), waiting(backlog, stages[1])], [[], ["d"]]);
});
