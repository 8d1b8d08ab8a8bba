import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { filter, map, pipeline } from "@hosepipe/streams";
import {
  type InstrumentOptions,
  observe,
  probe,
  type ProbeMeter,
  type TakeValue,
} from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";
import { driven, HandQueue, thrownDuring } from "./_by_hand.ts";

test("what is no probe or no meter is refused, before anything is made", () => {
  const made: string[] = [];
  const meter = {
    createObservableGauge: (name: string) => made.push(name),
    createObservableCounter: (name: string) => made.push(name),
  };
  assertThrows(
    () => observe(probe(), meter as unknown as ProbeMeter),
    TypeError,
    "Cannot observe: meter.createHistogram must be a function, got undefined",
  );
  for (const other of [undefined, null, "meter"]) {
    assertThrows(
      () => observe(probe(), other as never),
      TypeError,
      "Cannot observe: meter must be a Meter of OpenTelemetry, got",
    );
  }
  assertThrows(() => observe({} as never, meter as never), TypeError, "made by probe()");
  assertEquals(made, []);
});

/** A meter that writes down what is made of it and what it is given, each with its attributes. */
function writtenMeter() {
  const made: unknown[] = [];
  const records: string[] = [];
  const readings = new Map<string, Set<(take: TakeValue) => void>>();
  const show = (name: string, value: number, attributes: Record<string, string> = {}) => {
    const parts = Object.entries(attributes).map(([key, text]) =>
      `${key.split(".").at(-2)} ${text}`
    );
    return `${name}: ${value} ${parts.join(", ")}`;
  };
  const observable = (kind: string) => (name: string, options?: InstrumentOptions) => {
    made.push([kind, name, options]);
    const callbacks = new Set<(take: TakeValue) => void>();
    readings.set(name, callbacks);
    return {
      addCallback: (callback: (take: TakeValue) => void) => void callbacks.add(callback),
      removeCallback: (callback: (take: TakeValue) => void) => void callbacks.delete(callback),
    };
  };
  const meter: ProbeMeter = {
    createObservableGauge: observable("gauge"),
    createObservableCounter: observable("counter"),
    createHistogram(name, options) {
      made.push(["histogram", name, options]);
      return { record: (value, attributes) => void records.push(show(name, value, attributes)) };
    },
  };
  const read = () => {
    const seen: string[] = [];
    for (const [name, callbacks] of readings) {
      for (const callback of callbacks) {
        callback({ observe: (value, attributes) => void seen.push(show(name, value, attributes)) });
      }
    }
    return seen;
  };
  return { meter, made, records, read };
}

test("a meter is asked for five instruments, which say what they measure and in which unit", () => {
  const { meter, made } = writtenMeter();
  observe(probe(), meter);
  const advice = {
    explicitBucketBoundaries: [1e-5, 1e-4, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  };
  assertEquals(made, [
    ["gauge", "hosepipe.buffer.chunks", { description: "Chunks in a buffer", unit: "{chunk}" }],
    ["gauge", "hosepipe.buffer.desired_size", {
      description: "The room that is left below a buffer's highWaterMark, in the unit of its size",
    }],
    ["counter", "hosepipe.stage.chunks", {
      description: "Chunks that a stage has given, or a writer has written",
      unit: "{chunk}",
    }],
    ["histogram", "hosepipe.stage.waiting_time", {
      description: "How long chunks wait for a stage",
      ...{ unit: "s", advice },
    }],
    ["histogram", "hosepipe.stage.working_time", {
      description: "How long a stage works on a chunk",
      ...{ unit: "s", advice },
    }],
  ]);
});

test("a meter is given each buffer, each stage and each chunk's times, by name and kind", async () => {
  const run = driven();
  const { meter, records, read } = writtenMeter();
  observe(run.look, meter);
  run.pull();
  run.work(1);
  run.transform();
  run.work(2);
  run.write();
  assertEquals(read(), [
    "hosepipe.buffer.chunks: 0 pipeline pipeline, stage reader, stage reader, buffer readerOut",
    "hosepipe.buffer.chunks: 0 pipeline pipeline, stage transformer, stage transformer, buffer transformerIn",
    "hosepipe.buffer.chunks: 0 pipeline pipeline, stage transformer, stage transformer, buffer transformerOut",
    "hosepipe.buffer.chunks: 0 pipeline pipeline, stage writer, stage writer, buffer writerIn",
    "hosepipe.buffer.desired_size: 2 pipeline pipeline, stage reader, stage reader, buffer readerOut",
    "hosepipe.buffer.desired_size: 1 pipeline pipeline, stage transformer, stage transformer, buffer transformerIn",
    "hosepipe.buffer.desired_size: 1 pipeline pipeline, stage transformer, stage transformer, buffer transformerOut",
    "hosepipe.buffer.desired_size: 1 pipeline pipeline, stage writer, stage writer, buffer writerIn",
    "hosepipe.stage.chunks: 1 pipeline pipeline, stage reader, stage reader",
    "hosepipe.stage.chunks: 1 pipeline pipeline, stage transformer, stage transformer",
    "hosepipe.stage.chunks: 1 pipeline pipeline, stage writer, stage writer",
  ]);
  const stage = (name: string) => `pipeline pipeline, stage ${name}, stage ${name}`;
  assertEquals(records, [
    `hosepipe.stage.working_time: 0.002 ${stage("reader")}`,
    `hosepipe.stage.waiting_time: 0.001 ${stage("transformer")}`,
    `hosepipe.stage.working_time: 0.003 ${stage("transformer")}`,
    `hosepipe.stage.waiting_time: 0.002 ${stage("writer")}`,
    `hosepipe.stage.working_time: 0.005 ${stage("writer")}`,
  ]);
  await turns(1);
});

test("an observation that is closed is given nothing more, the others all, and work goes on", async () => {
  const run = driven({ isSync: false });
  const [one, other] = [writtenMeter(), writtenMeter()];
  const first = observe(run.look, one.meter);
  const second = observe(run.look, other.meter);
  run.pull();
  run.transform();
  const seen = one.records.length;
  assertEquals([seen > 0, other.records], [true, one.records]);
  first.close();
  run.write();
  run.writes[0]!();
  await turns(1);
  assertEquals([one.records.length, one.read()], [seen, []]);
  assertEquals(other.records.length > seen, true);
  run.pull();
  run.pull();
  second.close();
  const last = other.records.length;
  run.transform();
  run.write();
  run.writes[1]!();
  await turns(1);
  assertEquals([other.records.length, run.look.occupancy().written], [last, 2]);
});

test("a stage's start and end are no work on a chunk, however long they last; a source's pull is", async () => {
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const { meter, records } = writtenMeter();
  observe(look, meter);
  const late = async () => {
    await turns(1);
    nowMs += 4;
  };
  const queue = new HandQueue(3) as never;
  const source = look.reader({ pull: late }) as Required<UnderlyingDefaultSource<unknown>>;
  const stage = look.transformer({ start: late, flush: late }) as Required<
    Transformer<unknown, unknown>
  >;
  await stage.start(queue);
  await stage.flush(queue);
  assertEquals(records, []);
  source.start(queue);
  await source.pull(queue);
  assertEquals(records, [
    "hosepipe.stage.working_time: 0.004 pipeline pipeline, stage reader, stage reader",
  ]);
});

test("what a meter throws is no error of the pipeline, is reported, and another meter hears all", async () => {
  const run = driven();
  const [broken, whole] = [writtenMeter(), writtenMeter()];
  const error = new Error("no");
  const record = () => {
    throw error;
  };
  observe(run.look, { ...broken.meter, createHistogram: () => ({ record }) });
  observe(run.look, whole.meter);
  const reported = await thrownDuring(async () => {
    run.pull();
    run.transform();
    run.write();
    await turns(1);
  });
  assertEquals([whole.records.length, reported], [5, Array(5).fill(error)]);
});

test("gauges say what buffers() says where that is known and has a limit", async () => {
  const { meter, read } = writtenMeter();
  const look = probe();
  observe(look, meter);
  const endless = { highWaterMark: Infinity };
  const strategy = { highWaterMark: 3 };
  const stage = look.transformer({}, { writableStrategy: strategy, readableStrategy: strategy });
  const readable = new ReadableStream(
    look.reader<number>({ start() {} }, { strategy: endless }),
    endless,
  )
    .pipeThrough(new TransformStream(stage, strategy, strategy));
  await turns();
  const shown = (property: "count" | "desiredSize") =>
    look.buffers().map((buffer) => buffer[property]).filter((value) => Number.isFinite(value));
  const seen = (name: string) =>
    read().filter((line) => line.startsWith(name)).map((line) => Number(line.split(" ")[1]));
  assertEquals(seen("hosepipe.buffer.chunks"), [0, 0, 0]);
  assertEquals(seen("hosepipe.buffer.desired_size"), [3, 3]);
  assertEquals([shown("count"), shown("desiredSize")], [[0, 0, 0], [3, 3]]);
  await readable.cancel();
});

test("in a pipeline each chunk's waiting is recorded, also where a stage that is not wrapped drops some", async () => {
  const { meter, records, read } = writtenMeter();
  const look = probe();
  observe(look, meter);
  await pipeline(
    look.reader(Array(100_000).keys()),
    filter((n: number) => n % 2 === 0),
    look.transformer(map((n: number) => n)),
    look.writer(() => {}),
  );
  const waited = (stage: string) =>
    records.filter((line) => line.startsWith("hosepipe.stage.waiting") && line.endsWith(stage));
  assertEquals(waited("writer").length, 50_000);
  assert(waited("transformer").length > 0);
  assertEquals(read().filter((line) => line.startsWith("hosepipe.stage.chunks")), [
    "hosepipe.stage.chunks: 100000 pipeline pipeline, stage reader, stage reader",
    "hosepipe.stage.chunks: 50000 pipeline pipeline, stage transformer, stage transformer",
    "hosepipe.stage.chunks: 50000 pipeline pipeline, stage writer, stage writer",
  ]);
});
