import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { probe } from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";

/** A source that gives when it is told to, in a probe whose clock goes when it is set. */
function pushing(options: Parameters<typeof probe>[0] = {}, highWaterMark = 4) {
  const look = probe(options);
  const strategy = { highWaterMark };
  let push!: (chunk: number) => void;
  const start = (controller: ReadableStreamDefaultController<number>) =>
    void (push = (chunk) => controller.enqueue(chunk));
  const readable = new ReadableStream(look.reader<number>({ start }, { strategy }), strategy);
  /** The share of the time in which the source was waited for. */
  const share = () => look.bottleneck().stages[0]!.busyShare;
  return { look, push, readable, share };
}

/** A pipeline from such a source, whose chunks are let go on one by one. */
function pushed({ hasStage = false } = {}) {
  let nowMs = 0;
  const writes: (() => void)[] = [];
  const transforms: (() => void)[] = [];
  const source = pushing({ now: () => nowMs });
  const { look, readable } = source;
  const running = hasStage
    ? readable.pipeThrough(
      new TransformStream(look.transformer<number, number>({
        async transform(chunk, controller) {
          await new Promise<void>((resolve) => transforms.push(resolve));
          controller.enqueue(chunk);
        },
      })),
    )
    : readable;
  const write = () => new Promise<void>((resolve) => writes.push(resolve));
  running.pipeTo(new WritableStream(look.writer({ write }))).catch(() => {});
  return {
    ...source,
    writes,
    transforms,
    async pass(ms: number) {
      await turns();
      nowMs += ms;
    },
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
  const { look, push, share } = pushing({ now: () => nowMs });
  push(1);
  nowMs += 30;
  push(2);
  assertEquals([share(), look.occupancy().readerOut], [0, 2]);
});

test("a source that pushes is waited for after a write that ended at once, by the real clock too", async () => {
  const { look, push, readable, share } = pushing();
  readable.pipeTo(new WritableStream(look.writer({ write: () => {} })));
  // Most of so many calls are too short to be measured.
  for (let chunk = 0; chunk < 200; chunk++) {
    push(chunk);
    await turns(1);
  }
  push(200);
  const { kind, summary } = look.bottleneck();
  assertEquals([kind, share() > 0.5], ["reader", true], summary);
});

test("but not while another chunk waits in a buffer", async () => {
  const { look, push, readable, share } = pushing({}, 1000);
  const write = look.writer(() => {});
  const defaultReader = readable.getReader();
  // One chunk more than is taken.
  push(0);
  for (let chunk = 1; chunk < 200; chunk++) {
    push(chunk);
    write((await defaultReader.read()).value!);
    await turns(1);
  }
  assertEquals(share(), 0);
});

test("nor while a chunk waits behind a transformer that nothing reads", async () => {
  let nowMs = 0;
  const { look, push, readable, share } = pushing({ now: () => nowMs }, 1);
  const readableStrategy = { highWaterMark: 4 };
  const stage = look.transformer({}, { readableStrategy });
  readable.pipeThrough(new TransformStream(stage, undefined, readableStrategy));
  push(1);
  await turns();
  assertEquals(look.occupancy().transformerOut, 1);
  nowMs += 30;
  push(2);
  assertEquals(share(), 0);
});
