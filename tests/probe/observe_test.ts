import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { map, observe, pipeline, probe, type ProbeMeter } from "@hosepipe/streams";
import { probe as nodeProbe, reader as nodeReader } from "@hosepipe/streams/node";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { turns } from "../lib/turns.ts";

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

test("a pipeline that fails with undefined is counted up to there", async () => {
  const { meter, points, end } = meterOf();
  const look = probe();
  observe(look, meter);
  let count = 0;
  const failed = await pipeline(
    look.reader([1, 2, 3]),
    look.writer(() => {
      if (++count === 2) throw undefined;
    }),
  ).then(() => "none", (reason) => reason);
  assertEquals(failed, undefined);
  assertEquals(
    (await points("hosepipe.stage.chunks")).find(({ stage }) => stage === "writer")!.value,
    2,
  );
  await end();
});

test("two meters see the same, and one that is closed sees no more", async () => {
  const [one, other] = [meterOf(), meterOf()];
  const look = nodeProbe();
  const closing = observe(look, one.meter);
  observe(look, other.meter);
  const stream = look.reader(nodeReader([1, 2, 3]));
  for await (const _ of stream) {
    closing.close();
    closing.close();
  }
  assertEquals(await one.points("hosepipe.stage.chunks"), []);
  assertEquals((await other.points("hosepipe.stage.chunks")).map(({ value }) => value), [3]);
  await one.end();
  await other.end();
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
