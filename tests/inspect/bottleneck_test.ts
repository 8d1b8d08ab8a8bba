import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { pipeline } from "@hosepipe/streams";
import { type Bottleneck, probe } from "@hosepipe/streams/inspect";
import { findBottleneck, judgeLoads } from "../../src/inspect/bottleneck.ts";
import { codeOf } from "../../src/inspect/event_ring.ts";
import { Recorder } from "../../src/inspect/recorder.ts";
import { turns } from "../lib/turns.ts";
import { HandQueue, loads } from "./_by_hand.ts";

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

interface Delays {
  readonly source?: number;
  readonly transformer?: number;
  readonly sink?: number;
}

/** Lets time pass only where a stage works, so that what is found does not depend on the machine. */
async function run(delays: Delays, machineryMs = 0.01): Promise<Bottleneck> {
  let nowMs = 0;
  const work = async (ms = 0): Promise<void> => {
    // One that works alone lets the others come to rest first.
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    nowMs += ms;
  };
  const look = probe({ now: () => nowMs += machineryMs });
  const strategy = { highWaterMark: 4 };
  let count = 0;
  const readable = new ReadableStream(
    look.reader<number>({
      async pull(controller) {
        await work(delays.source);
        if (count++ < 30) controller.enqueue(count);
        else controller.close();
      },
    }, { strategy }),
    strategy,
  );
  const stage = look.transformer<number, number>({
    async transform(n, controller) {
      await work(delays.transformer);
      controller.enqueue(n);
    },
  }, { writableStrategy: strategy, readableStrategy: strategy });
  await readable.pipeThrough(new TransformStream(stage, strategy, strategy)).pipeTo(
    new WritableStream(look.writer({ write: () => work(delays.sink) }, { strategy }), strategy),
  );
  return look.bottleneck();
}

test("the slow one of three is found: full before it, empty after it", async () => {
  for (const kind of ["reader", "transformer", "writer"] as const) {
    const delays = { [{ reader: "source", transformer: "transformer", writer: "sink" }[kind]]: 10 };
    const { load, stage, stages, summary, ...found } = await run(delays);
    assertEquals([found.kind, stage], [kind, kind], summary);
    assert(load!.busyShare > 0.9, summary);
    if (kind === "reader") assertEquals(load!.fullnessBefore, undefined);
    else assert(load!.fullnessBefore! > 0.5, summary);
    if (kind === "writer") assertEquals(load!.fullnessAfter, undefined);
    else assert(load!.fullnessAfter! < 0.2, summary);
    assert(summary.startsWith(`The ${kind} is the bottleneck: it is `), summary);
    assertEquals(stages.map(({ stage }) => stage), ["reader", "transformer", "writer"]);
  }
});

test("fullness is what waits before a stage, by the room of the queues on both sides of the pipe", async () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const [out, into] = [{ highWaterMark: 2 }, { highWaterMark: 3 }];
  const source = look.reader<number>({ pull: (controller) => controller.enqueue(1) }, {
    strategy: out,
  });
  let finish!: () => void;
  const stage = look.transformer<number, number>({
    transform: (chunk, controller) =>
      new Promise<void>((resolve) => {
        finish = () => resolve(controller.enqueue(chunk));
      }),
  }, { writableStrategy: into, readableStrategy: out });
  new ReadableStream(source, out).pipeThrough(new TransformStream(stage, into, out));
  await turns();
  // 2 in the reader's queue; of the 3 places after it one is that of the chunk in hand.
  assertEquals(look.buffers().map(({ count }) => count), [2, 2, 0]);
  // What is read in the place of what has gone on waits too.
  for (let times = 0; times < 2; times++) {
    nowMs += 100;
    finish();
    await turns();
  }
  const { load, stages } = look.bottleneck();
  assertEquals([load?.stage, load?.busyShare], ["transformer", 1]);
  assertEquals(stages.map(({ fullnessBefore }) => fullnessBefore), [undefined, 1]);
  assertEquals(
    look.bottleneck().summary,
    "The transformer is the bottleneck: it is always busy, and the buffers before it are full.",
  );
});

test("work that is not over yet counts up to now", () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const write = look.writer(() => new Promise<void>(() => {}), { name: "slow" });
  nowMs += 20;
  write(1);
  nowMs += 60;
  const { stage, load, summary } = look.bottleneck();
  assertEquals([stage, load?.busyShare], ["slow", 0.75]);
  assertEquals(
    summary,
    'The writer "slow" is the bottleneck: it is busy 75 % of the time.',
  );
});

test("what waits while nothing happens counts up to now", () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const strategy = { highWaterMark: 3 };
  const source = look.reader<number>({
    start(controller) {
      controller.enqueue(1);
      controller.enqueue(2);
      controller.enqueue(3);
    },
  }, { strategy });
  look.writer({ write: () => {} });
  new ReadableStream(source, strategy);
  nowMs += 100;
  assertEquals(look.bottleneck().stages.map(({ fullnessAfter }) => fullnessAfter), [1, undefined]);
});

test("none, when time passes between the stages", async () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  await pipeline(
    look.reader(function* () {
      for (let n = 0; n < 20; n++) yield n;
    }()),
    look.transformer<number, number>({
      transform(n, controller) {
        controller.enqueue(n);
      },
    }),
    // Not wrapped, so that its time is that of no stage.
    {
      transform(n: number, controller: TransformStreamDefaultController<number>) {
        nowMs += 5;
        controller.enqueue(n);
      },
    },
    look.writer(() => {}),
  );
  const { kind, stage, load, summary, stages } = look.bottleneck();
  assertEquals([kind, stage, load], ["none", undefined, undefined]);
  assertEquals(
    summary,
    "No bottleneck: no stage was busy more than 50 % of the time.",
  );
  assertEquals(stages.length, 3);
});

test("a source that pushes is the bottleneck while nothing is in the pipeline", async () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  await new ReadableStream(look.reader<number>({
    async start(controller) {
      for (let n = 0; n < 10; n++) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        nowMs += 10;
        controller.enqueue(n);
      }
      controller.close();
    },
  })).pipeTo(new WritableStream(look.writer({})));
  assertEquals(look.bottleneck().kind, "reader");
});

test("a probe that has seen nothing names no stage, and knows of no load", () => {
  assertEquals(probe().bottleneck().kind, "none");
  const none = { busyShare: 0, fullnessBefore: undefined, fullnessAfter: undefined };
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  look.reader([1]);
  const write = look.writer(() => void (nowMs += 5));
  nowMs += 100;
  const [source, sink] = [{ ...none, stage: "reader" }, { ...none, stage: "writer" }];
  assertEquals(look.bottleneck().stages, [source, sink]);
  // Where queues are not known, no share is made up.
  write(1);
  assertEquals(look.bottleneck().stages, [source, { ...sink, busyShare: 5 / 105 }]);
});

test("a run of less than a millisecond has its loads, too", () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const write = look.writer(() => void (nowMs += 0.25));
  nowMs += 0.25;
  write(1);
  assertEquals(look.bottleneck().stages.map(({ busyShare }) => busyShare), [0.5]);
});

test("the sentence names the buffers before and after the stage, each with how full it was", () => {
  const load = { stage: "reader", busyShare: 0.745, fullnessBefore: 0.5, fullnessAfter: 0 };
  assertEquals(
    judgeLoads([load], ["reader"]).summary,
    "The reader is the bottleneck: it is busy 75 % of the time, the buffers before it are 50 % full, " +
      "and the buffers after it are empty.",
  );
});

/** Runs a stage that works for 0.3 ms after one that does nothing. */
async function watchBusyStage() {
  const look = probe();
  let calls = 0;
  await pipeline(
    look.reader(Array.from({ length: 300 }, (_, index) => index)),
    look.transformer<number, number>({
      transform(n, controller) {
        controller.enqueue(n);
      },
    }, { name: "quick" }),
    look.transformer<number, number>({
      transform(n, controller) {
        calls++;
        const endMs = performance.now() + 0.3;
        while (performance.now() < endMs);
        controller.enqueue(n);
      },
    }, { name: "busy" }),
    look.writer(() => {}),
  );
  return { look, calls };
}

test("with the real clock, too: a stage that works and never waits, and short calls by a sample", async () => {
  let run = await watchBusyStage();
  // A machine that takes the time away just in a short call's sample lets the wrong one look busy.
  for (let tries = 1; tries < 4 && run.look.bottleneck().stage !== "busy"; tries++) {
    run = await watchBusyStage();
  }
  const { look, calls } = run;
  assertEquals([look.bottleneck().stage, calls], ["busy", 300]);
  const measured = (name: string) =>
    look.events().filter(({ stage, durationMs }) => stage === name && durationMs !== undefined);
  assertEquals(measured("busy").length, 300);
  assert(measured("quick").length < 300);
});

test("the last of the busy stages that are waited for is chosen, from half of the time and of the room on", () => {
  const choose = (...loads: [busy: number, before: number | undefined][]) => {
    const stages = loads.map(([busyShare, fullnessBefore], index) => ({
      ...{ stage: String(index), busyShare, fullnessBefore },
      fullnessAfter: undefined,
    }));
    return judgeLoads(stages, loads.map(() => "transformer")).stage;
  };
  assertEquals(choose([0.9, 0.6], [0.7, 0.5], [0.8, 0.4], [0.8, undefined]), "1");
  assertEquals(choose([0.9, 0.4], [0.95, undefined], [0.5, 0.2]), "1");
  assertEquals(choose([0.9, 0.9], [0.49, 1]), "0");
  assertEquals([choose([0.5, 0]), choose([0.49, 1]), choose()], ["0", undefined, undefined]);
});

test("no stage is busy for more than all of the time, though a sample counts for many", () => {
  let nowMs = 0;
  const recorder = new Recorder({ name: "", capacity: 9, now: () => nowMs } as never);
  const stage = recorder.addStage("reader", undefined);
  recorder.emit(stage, codeOf.read, 1, undefined, 0);
  nowMs = 10;
  stage.addCall(0, false);
  stage.addCall(9, false);
  assertEquals(findBottleneck(recorder).stages[0]!.busyShare, 1);
});

test("a stage that is wrapped late has waited for nothing before", () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const queue = new HandQueue(4);
  const source = look.reader({ start: (controller) => controller.enqueue(1) });
  (source as unknown as { start(controller: unknown): void }).start(queue);
  nowMs = 10;
  const sink = look.writer<number>({ write: () => void (nowMs += 30) });
  sink.write(queue.chunks.pop() as number);
  assertEquals(loads(look, 40), [
    "reader worked 0, before it none, after it 0",
    "writer worked 30, before it 0, after it none",
  ]);
});
