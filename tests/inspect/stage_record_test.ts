import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { StageRecord } from "../../src/inspect/stage_record.ts";

test("of short calls one in 64 is measured and counts for all; after a slow one the next is, too", () => {
  const record = new StageRecord("a", "reader", 0);
  const measured = (calls: number) =>
    Array.from({ length: calls }, () => record.isMeasured).filter(Boolean).length;
  assertEquals(measured(3), 3);
  record.addCall(5, false);
  assertEquals([measured(3), record.busyMs(0)], [3, 5]);
  // The first short one was measured as a slow one is; from then on it stands for 64.
  record.addCall(1 / 64, false);
  assertEquals([measured(64), measured(640), record.busyMs(0)], [1, 10, 5 + 1 / 64]);
  record.addCall(0.5, false);
  assertEquals([measured(3), record.busyMs(0)], [3, 37 + 1 / 64]);
  record.addCall(1, false);
  assertEquals(record.busyMs(0), 38 + 1 / 64);
  record.addCall(0.02, false);
  assertEquals(measured(64), 1);
});

test("with a clock that was given each call counts once", () => {
  const record = new StageRecord("a", "reader", 0);
  for (let calls = 0; calls < 4; calls++) record.addCall(0.25, true);
  for (let calls = 0; calls < 64; calls++) record.addCall(0.015625, true);
  assertEquals(record.busyMs(0), 2);
});

test("work that lasts counts once, however many pieces of it overlap, and up to now", () => {
  const record = new StageRecord("a", "writer", 0);
  assertEquals(record.busyMs(100), 0);
  record.beginWork(10);
  record.beginWork(20);
  assertEquals(record.busyMs(25), 15);
  record.endWork(30);
  assertEquals(record.busyMs(35), 25);
  record.endWork(40);
  assertEquals([record.busyMs(40), record.busyMs(90)], [30, 30]);
  record.beginWork(100);
  assertEquals(record.busyMs(101), 31);
});

test("nothing waits for a stage that is over or has failed, and what is not known stays so", () => {
  for (const end of ["isOver", "hasFailed"] as const) {
    const [record, next] = [
      new StageRecord("a", "reader", 0),
      new StageRecord("b", "writer", 1),
    ];
    next.previous = record;
    record.given = 5;
    next.begun = 2;
    assertEquals([record.in, next.in, next.waitingBehind(1)], [undefined, 3, 2]);
    record[end] = next[end] = true;
    assertEquals([record.in, next.in, next.waitingBehind(1)], [undefined, 0, 0]);
  }
});

test("a writer has done what it has written and not failed, another what it has given", () => {
  for (const kind of ["reader", "transformer", "writer"] as const) {
    const record = new StageRecord("a", kind, 0);
    Object.assign(record, { given: 9, begun: 7, finished: 5, failed: 2 });
    assertEquals([record.done, record.inFlight], [kind === "writer" ? 3 : 9, 2]);
  }
});
