import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { probe } from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";

/** A pipeline whose source gives on demand, and whose clock goes when it is set. */
function pushed({ hasStage = false, queued = 4 } = {}) {
  let nowMs = 0;
  let push!: (chunk: number) => void;
  const writes: (() => void)[] = [];
  const transforms: (() => void)[] = [];
  const look = probe({ now: () => nowMs });
  const strategy = { highWaterMark: queued };
  const readable = new ReadableStream(
    look.reader<number>({
      start: (controller) => void (push = (chunk) => controller.enqueue(chunk)),
    }, { strategy }),
    strategy,
  );
  const running = hasStage
    ? readable.pipeThrough(
      new TransformStream(look.transformer<number, number>({
        transform: (chunk, controller) =>
          new Promise<void>((resolve) =>
            transforms.push(() => {
              controller.enqueue(chunk);
              resolve();
            })
          ),
      })),
    )
    : readable;
  const writable = new WritableStream(look.writer({
    write: () => new Promise<void>((resolve) => writes.push(resolve)),
  }));
  running.pipeTo(writable).catch(() => {});
  return {
    look,
    writes,
    transforms,
    push,
    async pass(ms: number) {
      await turns();
      nowMs += ms;
    },
    /** The share of the time in which the source was waited for. */
    share: () => look.bottleneck().stages[0]!.busyShare,
  };
}

test("a source that pushes is waited for only while no chunk is anywhere", async () => {
  const run = pushed();
  run.push(1);
  await run.pass(30);
  run.writes.shift()!();
  await run.pass(10);
  run.push(2);
  // 30 ms a write was in flight, 10 ms nothing was.
  assertEquals(run.share(), 10 / 40);
});

test("it is not waited for while a chunk is in a transformer's hands", async () => {
  const run = pushed({ hasStage: true });
  run.push(1);
  await run.pass(30);
  assertEquals(run.look.occupancy().transforming, 1);
  run.transforms.shift()!();
  await run.pass(20);
  run.writes.shift()!();
  await run.pass(50);
  run.push(2);
  assertEquals(run.share(), 50 / 100);
});

test("nor while chunks wait in a queue and none is worked on", () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const strategy = { highWaterMark: 4 };
  let push!: (chunk: number) => void;
  new ReadableStream(
    look.reader<number>({
      start: (controller) => void (push = (chunk) => controller.enqueue(chunk)),
    }, { strategy }),
    strategy,
  );
  push(1);
  nowMs += 30;
  push(2);
  assertEquals(look.bottleneck().stages[0]!.busyShare, 0);
  assertEquals(look.occupancy().readerOut, 2);
});

test("a source that pushes is waited for after a write that ended at once, by the real clock too", async () => {
  const look = probe();
  let push!: (chunk: number) => void;
  new ReadableStream(look.reader<number>({
    start: (controller) => void (push = (chunk) => controller.enqueue(chunk)),
  })).pipeTo(new WritableStream(look.writer({ write: () => {} })));
  // Most of so many calls are too short to be measured.
  for (let chunk = 0; chunk < 200; chunk++) {
    push(chunk);
    await turns(1);
  }
  push(200);
  const { kind, stages, summary } = look.bottleneck();
  assertEquals(kind, "reader", summary);
  assertEquals(stages[0]!.busyShare > 0.5, true, summary);
});

test("but not while another chunk waits in a buffer", async () => {
  const look = probe();
  let push!: (chunk: number) => void;
  const strategy = { highWaterMark: 1000 };
  const readable = new ReadableStream(
    look.reader<number>({
      start: (controller) => void (push = (chunk) => controller.enqueue(chunk)),
    }, { strategy }),
    strategy,
  );
  const write = look.writer(() => {});
  const defaultReader = readable.getReader();
  // One chunk more than is taken.
  push(0);
  for (let chunk = 1; chunk < 200; chunk++) {
    push(chunk);
    write((await defaultReader.read()).value!);
    await turns(1);
  }
  assertEquals(look.bottleneck().stages[0]!.busyShare, 0);
});

test("nor while a chunk waits behind a transformer that nothing reads", async () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  let push!: (chunk: number) => void;
  const readableStrategy = { highWaterMark: 4 };
  new ReadableStream(look.reader<number>({
    start: (controller) => void (push = (chunk) => controller.enqueue(chunk)),
  })).pipeThrough(
    new TransformStream(look.transformer({}, { readableStrategy }), undefined, readableStrategy),
  );
  push(1);
  await turns();
  assertEquals(look.occupancy().transformerOut, 1);
  nowMs += 30;
  push(2);
  assertEquals(look.bottleneck().stages[0]!.busyShare, 0);
});
