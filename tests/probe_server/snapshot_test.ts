import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { takeSnapshot } from "../../src/probe_server/snapshot.ts";
import { recorderOf } from "../../src/inspect/recorder_of.ts";
import { turns } from "../lib/turns.ts";
import { driven } from "../inspect/_by_hand.ts";

test("a snapshot says of each stage what it has done, what it does and for how much of the time", () => {
  const run = driven({ isSync: false });
  for (let n = 0; n < 2; n++) run.pull();
  run.transform();
  run.write();
  run.work(4);
  run.transform();
  run.source.cancel("enough");
  const snapshot = takeSnapshot(recorderOf("test", run.look), undefined);
  const { summary, buffers } = snapshot;
  const stage = (name: string, rest: object) => ({ name, kind: name, ...rest });
  assertEquals(snapshot, {
    ...{ name: "pipeline", isOver: false, summary: run.look.bottleneck().summary },
    buffers: run.look.buffers(),
    stages: [
      stage("reader", { done: 2, inFlight: 0, isPaused: true, state: "failed", busyShare: 0.21 }),
      stage("transformer", {
        done: 2,
        inFlight: 0,
        isPaused: true,
        state: "running",
        busyShare: 0.32,
      }),
      stage("writer", { done: 0, inFlight: 1, isPaused: false, state: "running", busyShare: 0.63 }),
    ] as never,
  });
  assertEquals([summary.length > 0, buffers.length], [true, 4]);
  run.stage.flush(run.changed as never);
  assertEquals(takeSnapshot(recorderOf("test", run.look), undefined).stages[1]!.state, "over");
});

test("texts of chunks and reasons are shown up to 200 characters", () => {
  for (const length of [199, 200, 201]) {
    const run = driven();
    const recorder = recorderOf("test", run.look);
    recorder.chunkWatchers = 1;
    const text = "x".repeat(length);
    const shown = length > 200 ? `${"x".repeat(200)}…` : text;
    const stageOf = (show: (chunk: unknown) => string) => takeSnapshot(recorder, show).stages;
    assertEquals(stageOf(() => text).map(({ chunk }) => chunk), [undefined, undefined, undefined]);
    run.pull();
    run.transform();
    run.write();
    run.source.cancel(text);
    assertEquals(stageOf(() => text).map(({ chunk, reason }) => [chunk, reason]), [
      [shown, shown],
      [shown, undefined],
      [shown, undefined],
    ]);
    assertEquals(stageOf(String).map(({ chunk }) => chunk), ["1", "1", "10"]);
    assertEquals(
      stageOf(() => {
        throw new Error("no");
      })[0]!.chunk,
      "show failed: no",
    );
    assertEquals(
      stageOf(() => {
        throw undefined;
      })[0]!.chunk,
      "show failed: not with an Error",
    );
  }
});

test("a writer has done what is written, and what it still writes is in its hands", async () => {
  const run = driven({ isSync: false });
  for (let n = 0; n < 2; n++) {
    run.pull();
    run.transform();
    run.write();
  }
  const done = () =>
    takeSnapshot(recorderOf("test", run.look), undefined).stages
      .map(({ done, inFlight }) => [done, inFlight]);
  assertEquals(done(), [[2, 0], [2, 0], [0, 2]]);
  run.writes[0]!();
  await turns(1);
  assertEquals(done(), [[2, 0], [2, 0], [1, 1]]);
});
