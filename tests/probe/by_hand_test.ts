import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { probe } from "@hosepipe/streams";
import { turns } from "../lib/turns.ts";

/** The queue of a stream that is driven by hand, with what its controller offers. */
class HandQueue {
  readonly chunks: unknown[] = [];
  readonly highWaterMark: number;
  failure: unknown;

  constructor(highWaterMark: number) {
    this.highWaterMark = highWaterMark;
  }

  get desiredSize(): number {
    return this.highWaterMark - this.chunks.length;
  }

  enqueue(chunk: unknown): void {
    if (chunk === "too much") throw new RangeError("too much");
    this.chunks.push(chunk);
  }

  close(): void {}

  terminate(): void {}

  error(reason: unknown): void {
    this.failure = reason;
  }
}

/** A source, a transformer and a sink in a probe, whose clock goes only when they work. */
function driven({ stepMs = 1, isSync = true } = {}) {
  let nowMs = 100;
  const work = (ms: number): void => void (nowMs += ms * stepMs);
  const look = probe({ now: () => nowMs, identify: (chunk) => `<${chunk}>` });
  const [read, changed] = [new HandQueue(2), new HandQueue(1)];
  let next = 0;
  const source = look.reader<number>({
    pull(controller) {
      work(2);
      controller.enqueue(++next);
    },
  }) as Required<UnderlyingDefaultSource<number>>;
  const stage = look.transformer<number, number>({
    transform(n, controller) {
      work(3);
      controller.enqueue(n * 10);
    },
  }) as Required<Transformer<number, number>>;
  const writes: (() => void)[] = [];
  const sink = look.writer<number>({
    write() {
      work(5);
      if (!isSync) return new Promise<void>((resolve) => writes.push(resolve));
    },
  });
  source.start(read as never);
  stage.start(changed as never);
  sink.start({ signal: new AbortController().signal, error() {} } as never);
  return {
    ...{ look, read, changed, work, writes, source, stage, sink },
    pull: () => source.pull(read as never),
    transform: () => stage.transform(read.chunks.shift() as number, changed as never),
    write: () => sink.write(changed.chunks.shift() as number),
  };
}

const places = [
  ...["readerOut", "transformerIn", "transforming", "transformerOut", "writerIn", "writing"],
  "written",
] as const;

/** Events, one a line: when, which, how much room was left, how long it took, and where the chunks were. */
function shown(look: ReturnType<typeof probe>): string[] {
  return look.events().map((event) =>
    [
      `${event.timeMs} ${event.stage} ${event.event}`,
      event.id ?? "",
      event.reason ?? "",
      event.desiredSize === undefined ? "" : `room ${event.desiredSize}`,
      event.wantsMore === undefined ? "" : event.wantsMore ? "goes on" : "waits",
      event.durationMs === undefined ? "" : `took ${event.durationMs}`,
      places.map((place) => event.occupancy[place as keyof typeof event.occupancy]).join(""),
    ].filter(Boolean).join(", ")
  );
}

/** How long each stage worked, and for how long the room on either side of it was full, of `elapsedMs` in all. */
function loads(look: ReturnType<typeof probe>, elapsed: number): string[] {
  const time = (share: number | undefined) =>
    share === undefined ? "none" : Math.round(share * elapsed);
  return look.bottleneck().stages.map(({ stage, busyShare, fullnessBefore, fullnessAfter }) =>
    `${stage} worked ${time(busyShare)}, before it ${time(fullnessBefore)}, after it ${
      time(fullnessAfter)
    }`
  );
}

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
