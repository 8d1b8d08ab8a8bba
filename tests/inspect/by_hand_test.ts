import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { probe } from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";
import { driven, HandQueue, loads, shown } from "./_by_hand.ts";

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

test("what methods return is returned, and what they promise is waited for", async () => {
  const look = probe();
  const done: string[] = [];
  const slow = (name: string) => async () => {
    await turns(1);
    done.push(name);
  };
  const source = look.reader({
    ...{ start: slow("start source"), pull: slow("pull"), cancel: slow("cancel") },
  }) as Required<UnderlyingDefaultSource<unknown>>;
  const stage = look.transformer({
    ...{ start: slow("start stage"), transform: slow("transform"), flush: slow("flush") },
  }) as Required<Transformer<unknown, unknown>>;
  const sink = look.writer({
    ...{ start: slow("start sink"), write: slow("write"), close: slow("close") },
    abort: slow("abort"),
  }) as unknown as Required<UnderlyingSink<unknown>>;
  const queue = new HandQueue(1) as never;
  const calls: [name: string, call: () => unknown][] = [
    ["start source", () => source.start(queue)],
    ["start stage", () => stage.start(queue)],
    ["start sink", () => sink.start(queue)],
    ["pull", () => source.pull(queue)],
    ["transform", () => stage.transform(1, queue)],
    ["write", () => sink.write(1, queue)],
    ["cancel", () => source.cancel("why")],
    ["flush", () => stage.flush(queue)],
    ["close", () => sink.close()],
    ["abort", () => sink.abort("why")],
  ];
  for (const [name, call] of calls) {
    await call();
    assertEquals(done.at(-1), name);
  }
});

test("slow calls are each timed by the real clock, too, from when they begin to when they end", () => {
  const { now: real } = performance;
  let now = () => 100;
  performance.now = () => now();
  try {
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
  } finally {
    performance.now = real;
  }
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
async function withClockSteps(stepMs: number, run: () => Promise<void>): Promise<void> {
  const { now: real } = performance;
  let nowMs = 100;
  performance.now = () => nowMs += stepMs;
  try {
    await run();
  } finally {
    performance.now = real;
  }
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
      return Promise.resolve();
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
