import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { pipeline } from "@hosepipe/streams";
import { type Bottleneck, probe } from "@hosepipe/streams/inspect";
import { findBottleneck, judgeLoads } from "../../src/inspect/bottleneck.ts";
import { Recorder } from "../../src/inspect/recorder.ts";
import { turns } from "../lib/turns.ts";
import { driven, HandQueue, loads, shown } from "./_by_hand.ts";
import { withClock } from "../lib/with_clock.ts";

/** A source that gives when it is told to, in a probe. */
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

/** What is done from such a source to a stage or a sink, with how much time between, and for how much it was waited for. */
const waits: readonly (readonly [parts: string, steps: string, share: number])[] = [
  ["sink", "push 30 write 10 push", 10 / 40],
  ["stage and sink", "push 30 transform 20 write 50 push", 50 / 100],
  ["nothing", "push 30 push", 0],
  ["stage", "push 0 transform 30 push", 0],
];

for (const [parts, steps, expected] of waits) {
  test(`a source that pushes into ${parts} is waited for only while no chunk is anywhere`, async () => {
    let nowMs = 0;
    const { look, push, readable, share } = pushing({ now: () => nowMs });
    const waiting: Record<string, (() => void)[]> = { transform: [], write: [] };
    const hang = (name: string) => new Promise<void>((resolve) => waiting[name]!.push(resolve));
    const strategy = { highWaterMark: 4 };
    const makeStage = () =>
      look.transformer<number, number>({
        transform: (chunk, controller) => hang("transform").then(() => controller.enqueue(chunk)),
      }, { readableStrategy: strategy });
    const given = parts.includes("stage")
      ? readable.pipeThrough(new TransformStream(makeStage(), undefined, strategy))
      : readable;
    if (parts.includes("sink")) {
      given.pipeTo(new WritableStream(look.writer({ write: () => hang("write") }))).catch(() => {});
    }
    for (const step of steps.split(" ")) {
      await turns();
      if (step === "push") push(1);
      else if (step in waiting) waiting[step]!.shift()!();
      else nowMs += Number(step);
    }
    assertEquals(share(), expected);
  });
}

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
  assertEquals(
    judgeLoads([{ ...load, busyShare: 0.49 }], ["reader"]).summary,
    "No bottleneck: no stage was busy more than 50 % of the time.",
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
  const recorder = new Recorder({ now: () => nowMs });
  const stage = recorder.stageList.add("reader", undefined);
  recorder.emit(stage, "read", 1, undefined, 0);
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

test("each event of a run by hand: when it was, what it learned, and where every chunk was then", () => {
  const run = driven();
  run.pull();
  run.pull();
  run.transform();
  run.work(7);
  run.write();
  run.pull();
  run.transform();
  run.transform();
  run.write();
  run.write();
  run.source.cancel("enough");
  run.stage.flush(run.changed as never);
  run.sink.close();
  assertEquals(shown(run.look), [
    "2 reader read, <1>, room 1, goes on, 1000000",
    "4 reader read, <2>, room 0, waits, 2000000",
    "4 reader backpressure, 2000000",
    "4 transformer transform, <1>, room 0, waits, took 3, 1010000",
    "7 transformer backpressure, 1001000",
    "14 writer write, <10>, took 5, 1000010",
    "19 writer written, <10>, 1000001",
    "19 reader drain, 1000001",
    "21 reader read, <3>, room 0, waits, 2000001",
    "21 reader backpressure, 2000001",
    "21 transformer drain, 1100001",
    "21 transformer transform, <2>, room 0, waits, took 3, 1010001",
    "24 transformer backpressure, 1001001",
    "24 transformer drain, 0101001",
    "24 transformer transform, <3>, room -1, waits, took 3, 0011001",
    "27 transformer backpressure, 0002001",
    "27 writer write, <20>, took 5, 0001011",
    "32 writer written, <20>, 0001002",
    "32 writer write, <30>, took 5, 0000012",
    "37 writer written, <30>, 0000003",
    "37 reader cancel, enough, 0000003",
    "37 transformer final, 0000003",
    "37 writer final, 0000003",
  ]);
  // It is over: what time passes now is none of its.
  run.work(100);
  assertEquals(loads(run.look, 37), [
    // Where chunks wait there is room for two before the stage, and for one before the sink.
    "reader worked 6, before it none, after it 11",
    "transformer worked 9, before it 11, after it 15",
    "writer worked 15, before it 15, after it none",
  ]);
});

test("writes that last overlap: each is timed, and the time in which any lasts counts once", async () => {
  const run = driven({ isSync: false });
  for (let n = 0; n < 3; n++) {
    run.pull();
    run.transform();
    run.write();
  }
  run.work(10);
  run.writes[1]!();
  await turns();
  run.work(10);
  run.writes[0]!();
  run.writes[2]!();
  await turns();
  assertEquals(shown(run.look).filter((line) => line.includes("writ")), [
    "5 writer write, <10>, took 45, 0000010",
    "15 writer write, <20>, took 25, 0000020",
    "25 writer write, <30>, took 25, 0000030",
    "40 writer written, <20>, 0000021",
    "50 writer written, <10>, 0000012",
    "50 writer written, <30>, 0000003",
  ]);
  assertEquals(loads(run.look, 50), [
    "reader worked 6, before it none, after it 0",
    "transformer worked 9, before it 0, after it 0",
    "writer worked 45, before it 0, after it none",
  ]);
});

test("quick calls count in full by a clock that was given, however many there are", () => {
  const run = driven({ stepMs: 0.001 });
  for (let n = 0; n < 200; n++) {
    run.pull();
    run.transform();
    run.write();
  }
  assertEquals(loads(run.look, 2000), [
    "reader worked 400, before it none, after it 0",
    "transformer worked 600, before it 0, after it 0",
    "writer worked 1000, before it 0, after it none",
  ]);
});

test("a chunk that could not be put in a queue is nowhere, and what its call threw is an event", () => {
  const look = probe({ now: () => 0 });
  const [read, changed] = [new HandQueue(3), new HandQueue(3)];
  const source = look.reader<unknown>({
    start: (controller) => {
      controller.enqueue(1);
      assertThrows(() => controller.enqueue("too much"), RangeError, "too much");
      controller.enqueue(2);
    },
  }) as Required<UnderlyingDefaultSource<unknown>>;
  const stage = look.transformer<unknown, unknown>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk);
      controller.enqueue("too much");
    },
  }) as Required<Transformer<unknown, unknown>>;
  source.start(read as never);
  assertEquals(look.occupancy().readerOut, 2);
  stage.start(changed as never);
  assertThrows(() => stage.transform(read.chunks.shift(), changed as never), RangeError);
  assertEquals(
    [look.occupancy().readerOut, look.occupancy().transforming, look.occupancy().transformerOut],
    [1, 0, 1],
  );
  assertEquals(look.events().slice(-2).map(({ event, reason }) => [event, reason]), [
    ["transform", undefined],
    ["error", "RangeError: too much"],
  ]);
});

test("a reason that cannot be written as text is named by its type", () => {
  const unprintable = {
    toString() {
      throw new Error("no");
    },
  };
  for (const [reason, text] of [[unprintable, "object"], [Symbol("why"), "Symbol(why)"]] as const) {
    const run = driven();
    run.source.cancel(reason);
    assertEquals(run.look.events().at(-1)!.reason, text);
  }
});

test("slow calls are each timed by the real clock, too, from when they begin to when they end", () => {
  let now = () => 100;
  return withClock(() => now(), () => {
    const run = driven({ isExact: false });
    now = run.now;
    for (let n = 0; n < 100; n++) {
      run.pull();
      run.work(7);
      run.transform();
      run.work(7);
      run.write();
      run.work(7);
    }
    const times = (name: string) =>
      run.look.events().filter(({ event }) => event === name).map(({ durationMs }) => durationMs);
    assertEquals([new Set(times("transform")), new Set(times("write"))], [
      new Set([3]),
      new Set([5]),
    ]);
    assertEquals(
      run.look.bottleneck().stages.map(({ busyShare }) => Math.round(busyShare * 3100)),
      [200, 300, 500],
    );
  });
});

test("what a byte source answers to a request is a chunk, and its end is none", async () => {
  const look = probe({ now: () => 0 });
  const answers = [
    (request: ReadableStreamBYOBRequest) => request.respond(3),
    (request: ReadableStreamBYOBRequest) =>
      request.respondWithNewView(new Uint8Array(request.view!.buffer, 0, 2)),
  ];
  const source = look.reader({
    type: "bytes",
    pull(controller) {
      const request = controller.byobRequest!;
      assertEquals([controller.desiredSize, request.view!.byteLength], [0, 8]);
      const answer = answers.shift();
      if (answer !== undefined) return answer(request);
      controller.close();
      request.respond(0);
    },
  });
  const reader = new ReadableStream(source, { highWaterMark: 0 }).getReader({ mode: "byob" });
  const lengths: (number | undefined)[] = [];
  for (let count = 0; count < 3; count++) {
    lengths.push((await reader.read(new Uint8Array(8))).value?.length);
  }
  assertEquals(lengths, [3, 2, 0]);
  assertEquals(
    look.events().filter(({ event }) => event === "read" || event === "end")
      .map(({ event, id, desiredSize }) => [event, id, desiredSize]),
    [["read", "1", 0], ["read", "2", 0], ["end", undefined, undefined]],
  );
});

test("queues are counted by their sizes where only one side has any, too", () => {
  const size = (chunk: unknown) => (chunk as string).length;
  for (const sides of ["out", "in", "both", "none"]) {
    const out = sides === "out" || sides === "both" ? { size } : {};
    const into = sides === "in" || sides === "both" ? { size } : {};
    const look = probe({ now: () => 0 });
    const queue = new HandQueue(9, sides === "out" || sides === "both" ? size : () => 1);
    const stage = look.transformer<string, string>({
      transform: (chunk, controller) => controller.enqueue(chunk),
    }, { readableStrategy: { highWaterMark: 9, ...out } }) as Required<Transformer<string, string>>;
    const sink = look.writer<string>({ write() {} }, { strategy: { highWaterMark: 7, ...into } });
    stage.start(queue as never);
    for (const chunk of ["a", "bb", "ccc"]) stage.transform(chunk, queue as never);
    // Two have left the stage's queue, and one of them has been written.
    queue.chunks.splice(0, 2);
    sink.write("a");
    const [, after, before] = look.buffers();
    const isSized = out.size !== undefined;
    assertEquals([after!.count, after!.size, after!.desiredSize], isSized ? [1, 3, 6] : [1, 1, 8]);
    assertEquals([before!.count, before!.size, before!.desiredSize], [
      1,
      into.size === undefined ? 1 : 2,
      into.size === undefined ? 6 : undefined,
    ]);
  }
});

test("a queue that shows no room says so, and one that is counted by sizes is counted at each event", () => {
  const look = probe({ now: () => 0 });
  const queue = new HandQueue(5, Number);
  const source = look.reader<number>({
    start(controller) {
      for (const chunk of [2, 1, 4]) controller.enqueue(chunk);
      Object.defineProperty(queue, "desiredSize", { value: null });
      controller.enqueue(3);
    },
  }, { strategy: { size: Number } }) as Required<UnderlyingDefaultSource<number>>;
  source.start(queue as never);
  assertEquals(shown(look), [
    "0 reader read, 1, room 3, goes on, 1000000",
    "0 reader read, 2, room 2, goes on, 2000000",
    "0 reader read, 3, room -2, waits, 3000000",
    "0 reader backpressure, 3000000",
    "0 reader read, 4, room null, waits, 1000000",
  ]);
});

/** Runs while the real clock goes on by this much at each reading: where it stands still, quick calls are not measured. */
function withClockSteps(stepMs: number, run: () => void | Promise<void>): Promise<void> {
  let nowMs = 100;
  return withClock(() => nowMs += stepMs, run);
}

test("an iterator that keeps no event ends with the last write, though its source ended before", async () => {
  for (const isLate of [true, false]) {
    for (const stepMs of [0, 1]) {
      await withClockSteps(stepMs, async () => {
        const look = probe({ capacity: 0 });
        const writing = Promise.withResolvers<void>();
        const write = look.writer((n: number) => isLate && n === 3 ? writing.promise : undefined);
        const source = look.reader<number>({
          start(controller) {
            for (const chunk of [1, 2, 3]) controller.enqueue(chunk);
            controller.close();
          },
        }) as Required<UnderlyingDefaultSource<number>>;
        source.start(new HandQueue(2) as never);
        let isOver = false;
        const ended = Array.fromAsync(look).then(() => isOver = true);
        await turns(1);
        write(1);
        write(2);
        await turns(1);
        assertEquals(isOver, false);
        const written = write(3);
        writing.resolve();
        await written;
        await ended;
      });
    }
  }
});

test("what a write function answers is answered as it is, and the chunk is written then", async () => {
  for (const stepMs of [0, 1]) {
    await withClockSteps(stepMs, () => {
      const look = probe();
      const write = look.writer((n: number) => n * 2);
      for (const n of [1, 2, 3]) {
        assertEquals([write(n), look.occupancy().written], [n * 2, n]);
      }
    });
  }
});

test("the places of a probe that has one stage count what is known of it alone", () => {
  const look = probe();
  const write = look.writer(() => {});
  assertEquals(Object.values(look.occupancy()), [0, 0, 0, 0, 0, 0, 0]);
  write(1);
  assertEquals(Object.values(look.occupancy()), [0, 0, 0, 0, 0, 0, 1]);
});
