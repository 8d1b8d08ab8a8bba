import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { map, pipeline } from "@hosepipe/streams";
import {
  type InstrumentOptions,
  observe,
  probe,
  type ProbeMeter,
  type TakeValue,
} from "@hosepipe/streams/inspect";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { turns } from "../lib/turns.ts";
import { driven, HandQueue } from "./_by_hand.ts";

interface Point {
  readonly value: number;
  readonly stage: string;
  readonly buffer: string | undefined;
}

/** The real SDK, with an exporter that keeps what it is given. */
function meterOf() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const provider = new MeterProvider({ readers: [reader] });
  const read = async () => {
    exporter.reset();
    await provider.forceFlush();
    return exporter.getMetrics().flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics }) => metrics)
    );
  };
  /** The points of one metric; a histogram's value is its count. */
  const points = async (name: string): Promise<Point[]> => {
    const metrics = (await read()).filter(({ descriptor }) => descriptor.name === name);
    return metrics.flatMap(({ dataPoints }) =>
      dataPoints.map(({ value, attributes }) => ({
        value: typeof value === "number" ? value : (value as { count: number }).count,
        stage: attributes["hosepipe.stage.name"] as string,
        buffer: attributes["hosepipe.buffer.kind"] as string | undefined,
      }))
    );
  };
  return { meter: provider.getMeter("test"), read, points, end: () => provider.shutdown() };
}

test("gauges say what buffers() says, in the moment of the collection", async () => {
  const { meter, points, end } = meterOf();
  const look = probe({ name: "orders" });
  observe(look, meter);
  const strategy = { highWaterMark: 3 };
  let isStopped = false;
  const readable = new ReadableStream(
    look.reader<number>({
      pull: (controller) => isStopped ? controller.close() : controller.enqueue(1),
    }, { strategy, name: "orders" }),
    strategy,
  ).pipeThrough(
    new TransformStream(
      look.transformer({}, { writableStrategy: strategy, readableStrategy: strategy }),
      strategy,
      strategy,
    ),
  );
  await turns();
  const buffers = look.buffers();
  assertEquals(
    (await points("hosepipe.buffer.chunks")).map(({ stage, buffer, value }) => [
      ...[stage, buffer, value],
    ]),
    buffers.map(({ stage, kind, count }) => [stage, kind, count!]),
  );
  assertEquals(
    (await points("hosepipe.buffer.desired_size")).map(({ value }) => value),
    buffers.map(({ desiredSize }) => desiredSize!),
  );
  assertEquals(buffers.map(({ count }) => count), [3, 3, 3]);
  const chunks = () => points("hosepipe.stage.chunks");
  assertEquals((await chunks()).map(({ value }) => value), [9, 3]);
  isStopped = true;
  await readable.cancel();
  await end();
});

test("each chunk's waiting is recorded once, and its time is what the clock says", async () => {
  const { meter, read, points, end } = meterOf();
  let nowMs = 0;
  const look = probe({ now: () => nowMs });
  const { close } = observe(look, meter);
  const strategy = { highWaterMark: 4 };
  await new ReadableStream(
    look.reader<number>({
      start(controller) {
        for (let count = 0; count < 4; count++) controller.enqueue(count);
        controller.close();
      },
    }, { strategy }),
    strategy,
  ).pipeTo(
    new WritableStream(
      look.writer({
        async write() {
          await turns(1);
          nowMs += 1000;
        },
      }, { name: "store", strategy }),
      strategy,
    ),
  );
  const metrics = await read();
  const histogram = (name: string) => {
    const metric = metrics.find(({ descriptor }) => descriptor.name === name)!;
    assertEquals(metric.descriptor.unit, "s");
    return metric.dataPoints.map(({ value, attributes }) => ({
      ...value as { count: number; sum: number; min: number; max: number },
      attributes,
    })).filter(({ attributes }) => attributes["hosepipe.stage.kind"] === "writer");
  };
  const [waiting, ...others] = histogram("hosepipe.stage.waiting_time");
  assertEquals(others, []);
  // They wait for 0, 1, 2 and 3 seconds, and each write lasts one.
  assertEquals([waiting!.count, waiting!.sum, waiting!.max], [4, 6, 3]);
  assertEquals(waiting!.attributes, {
    "hosepipe.pipeline.name": "pipeline",
    "hosepipe.stage.name": "store",
    "hosepipe.stage.kind": "writer",
  });
  const [working] = histogram("hosepipe.stage.working_time");
  assertEquals([working!.count, working!.sum, working!.min, working!.max], [4, 4, 1, 1]);
  close();
  assertEquals((await points("hosepipe.stage.waiting_time")).map(({ value }) => value), [4]);
  await end();
});

test("in a pipeline, too; one stage that is not wrapped makes nothing pile up", async () => {
  const { meter, points, end } = meterOf();
  const look = probe();
  observe(look, meter);
  await pipeline(
    look.reader(Array(100_000).keys()),
    {
      transform(n: number, controller: TransformStreamDefaultController<number>) {
        if (n % 2 === 0) controller.enqueue(n);
      },
    },
    look.transformer(map((n: number) => n)),
    look.writer(() => {}),
  );
  const waiting = await points("hosepipe.stage.waiting_time");
  const of = (stage: string) => waiting.find((point) => point.stage === stage)!.value;
  assertEquals(of("writer"), 50_000);
  assert(of("transformer") > 0);
  assertEquals((await points("hosepipe.stage.chunks")).map(({ value }) => value), [
    ...[100_000, 50_000, 50_000],
  ]);
  await end();
});

test("a buffer without a limit has no desired size", async () => {
  const { meter, points, end } = meterOf();
  const look = probe();
  observe(look, meter);
  const strategy = { highWaterMark: Infinity };
  new ReadableStream(look.reader<number>({ start() {} }, { strategy }), strategy);
  assertEquals(await points("hosepipe.buffer.desired_size"), []);
  assertEquals((await points("hosepipe.buffer.chunks")).length, 1);
  await end();
});

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
  const reported: unknown[] = [];
  const { queueMicrotask: real } = globalThis;
  globalThis.queueMicrotask = (task) =>
    real(() => {
      try {
        task();
      } catch (error) {
        reported.push(error);
      }
    });
  try {
    const run = driven();
    const [broken, whole] = [writtenMeter(), writtenMeter()];
    const error = new Error("no");
    observe(run.look, {
      ...broken.meter,
      createHistogram: () => ({
        record() {
          throw error;
        },
      }),
    });
    observe(run.look, whole.meter);
    run.pull();
    run.transform();
    run.write();
    await turns(1);
    assertEquals(whole.records.length, 5);
    assertEquals(reported, Array(5).fill(error));
  } finally {
    globalThis.queueMicrotask = real;
  }
});
