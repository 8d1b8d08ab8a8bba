import { checkFunction, throwTypeError } from "../errors.ts";
import type { ProbeOutput } from "./probe_output.ts";
import { listBuffers, recorderOf } from "./create_output.ts";
import type { Recorder, RecorderObserver } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";
import type { ProbeBuffer, ProbedKind } from "./types.ts";
import { callListener } from "../call_listener.ts";

/** Takes a value when a meter collects. */
export interface TakeValue {
  /** Notes a value, with what it is of. */
  observe(value: number, attributes?: Record<string, string>): void;
}

/** An instrument that asks for its values when they are collected. */
export interface ObservableInstrument {
  /** Has a function asked. */
  addCallback(callback: (take: TakeValue) => void): void;
  /** Has it asked no longer. */
  removeCallback(callback: (take: TakeValue) => void): void;
}

/** An instrument that counts values by their size. */
export interface HistogramInstrument {
  /** Notes a value, with what it is of. */
  record(value: number, attributes?: Record<string, string>): void;
}

/** What an instrument says of itself. */
export interface InstrumentOptions {
  /** What is measured. */
  description?: string;
  /** Its unit, by the Unified Code for Units of Measure. */
  unit?: string;
  /** Where the buckets of a histogram end, if nothing else is configured. */
  advice?: { explicitBucketBoundaries?: number[] };
}

/** What `observe` needs of a `Meter` of OpenTelemetry. */
export interface ProbeMeter {
  /** Makes an instrument for values that go up and down. */
  createObservableGauge(name: string, options?: InstrumentOptions): ObservableInstrument;
  /** Makes an instrument for values that only grow. */
  createObservableCounter(name: string, options?: InstrumentOptions): ObservableInstrument;
  /** Makes an instrument for values of which there are many. */
  createHistogram(name: string, options?: InstrumentOptions): HistogramInstrument;
}

/** Lets several look at the times of one pipeline. */
class Observers implements RecorderObserver {
  readonly all = new Set<RecorderObserver>();

  waited(stage: StageRecord, waitedMs: number): void {
    this.#each((observer) => observer.waited(stage, waitedMs));
  }

  worked(stage: StageRecord, durationMs: number): void {
    this.#each((observer) => observer.worked(stage, durationMs));
  }

  #each(show: (observer: RecorderObserver) => void): void {
    for (const observer of this.all) callListener(show, observer);
  }
}

/** Has `observer` see the times of a pipeline, until the function that comes back is called. */
export function addObserver(recorder: Recorder, observer: RecorderObserver): () => void {
  const observers = recorder.observer as Observers | undefined ?? new Observers();
  recorder.observer = observers;
  observers.all.add(observer);
  return () => {
    observers.all.delete(observer);
    if (observers.all.size === 0) recorder.observer = undefined;
  };
}

/** Metrics that are being taken. */
export interface Observation {
  /** Takes no more. Recorded values stay with the meter. */
  close(): void;
}

const action = "observe";
/** In seconds; those that meters take by default are meant for milliseconds. */
const boundaries = [1e-5, 1e-4, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

const stageOf: Record<ProbeBuffer["kind"], ProbedKind> = {
  readerOut: "reader",
  transformerIn: "transformer",
  transformerOut: "transformer",
  writerIn: "writer",
};

function checkMeter(meter: unknown): void {
  if (typeof meter !== "object" || meter === null) {
    throwTypeError(action, "meter", "a Meter of OpenTelemetry", meter);
  }
  for (const name of ["createObservableGauge", "createObservableCounter", "createHistogram"]) {
    checkFunction(action, `meter.${name}`, (meter as Record<string, unknown>)[name]);
  }
}

/**
 * Reports what a probe sees to OpenTelemetry, through your own `Meter`:
 *
 * | metric                        | kind      | unit    | of each                                           |
 * | ----------------------------- | --------- | ------- | ------------------------------------------------- |
 * | `hosepipe.buffer.chunks`      | gauge     | chunks  | buffer                                            |
 * | `hosepipe.buffer.desired_size`| gauge     | its own | buffer whose room is known and has a limit        |
 * | `hosepipe.stage.chunks`       | counter   | chunks  | stage: given, or by a writer written              |
 * | `hosepipe.stage.waiting_time` | histogram | s       | stage: from when a chunk was given to it to when it began it |
 * | `hosepipe.stage.working_time` | histogram | s       | stage: how long it took                           |
 *
 * Their attributes are `hosepipe.pipeline.name`, `hosepipe.stage.name`, `hosepipe.stage.kind` and, of a buffer,
 * `hosepipe.buffer.kind`; name your stages. Gauges and counters are read when the meter collects. Of calls that answer
 * at once within 0.02 ms only one in 64 is measured, so that the count of `working_time` is not that of the chunks.
 * Nothing is known of waiting where the stage before is not wrapped.
 *
 * @param probe What `probe()` made, of `@hosepipe/streams` or of `@hosepipe/streams/node`.
 * @param meter A `Meter` of `@opentelemetry/api` 1.3 or newer, or anything with these three methods.
 * @returns What ends it: `close()`.
 *
 * @throws {TypeError} If `probe` is none, or `meter` lacks a method.
 *
 * @example
 * ```ts
 * import { pipeline } from "@hosepipe/streams";
 * import { observe, probe } from "@hosepipe/streams/inspect";
 * import { metrics } from "@opentelemetry/api";
 * import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
 * import assert from "node:assert/strict";
 *
 * class Reader extends MetricReader {
 *   protected override async onForceFlush() {}
 *   protected override async onShutdown() {}
 * }
 * const reader = new Reader();
 * metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
 *
 * const look = probe({ name: "orders" });
 * const { close } = observe(look, metrics.getMeter("shop"));
 * await pipeline(look.reader([1, 2, 3]), look.writer(() => {}, { name: "store" }));
 *
 * const { resourceMetrics } = await reader.collect();
 * const taken = resourceMetrics.scopeMetrics[0]!.metrics;
 * const chunks = taken.find(({ descriptor }) => descriptor.name === "hosepipe.stage.chunks")!;
 * assert.deepEqual(chunks.dataPoints.map(({ value }) => value), [3, 3]);
 * close();
 * ```
 */
export function observe(probe: ProbeOutput, meter: ProbeMeter): Observation {
  const recorder = recorderOf(action, probe);
  checkMeter(meter);
  const known = new Map<string, Record<string, string>>();
  const attributesOf = (name: string, kind: string, buffer?: string): Record<string, string> => {
    const key = `${kind} ${buffer} ${name}`;
    const attributes = known.get(key) ?? {
      "hosepipe.pipeline.name": recorder.name,
      "hosepipe.stage.name": name,
      "hosepipe.stage.kind": kind,
      ...(buffer === undefined ? {} : { "hosepipe.buffer.kind": buffer }),
    };
    known.set(key, attributes);
    return attributes;
  };
  const attributesOfStage = ({ name, kind }: StageRecord) => attributesOf(name, kind);

  const takeBuffers = (take: TakeValue, property: "count" | "desiredSize"): void => {
    for (const buffer of listBuffers(recorder.stages)) {
      const value = buffer[property];
      if (value === undefined || !Number.isFinite(value)) continue;
      take.observe(value, attributesOf(buffer.stage, stageOf[buffer.kind], buffer.kind));
    }
  };
  const readings: [instrument: ObservableInstrument, read: (take: TakeValue) => void][] = [
    [
      meter.createObservableGauge("hosepipe.buffer.chunks", {
        description: "Chunks in a buffer",
        unit: "{chunk}",
      }),
      (take) => takeBuffers(take, "count"),
    ],
    [
      meter.createObservableGauge("hosepipe.buffer.desired_size", {
        description:
          "The room that is left below a buffer's highWaterMark, in the unit of its size",
      }),
      (take) => takeBuffers(take, "desiredSize"),
    ],
    [
      meter.createObservableCounter("hosepipe.stage.chunks", {
        description: "Chunks that a stage has given, or a writer has written",
        unit: "{chunk}",
      }),
      (take) => {
        for (const stage of recorder.stages) {
          take.observe(stage.done, attributesOfStage(stage));
        }
      },
    ],
  ];
  const times = (name: string, description: string) =>
    meter.createHistogram(name, {
      description,
      unit: "s",
      advice: { explicitBucketBoundaries: boundaries },
    });
  const waiting = times("hosepipe.stage.waiting_time", "How long chunks wait for a stage");
  const working = times("hosepipe.stage.working_time", "How long a stage works on a chunk");
  for (const [instrument, read] of readings) instrument.addCallback(read);
  const removeObserver = addObserver(recorder, {
    waited: (stage, waitedMs) => waiting.record(waitedMs / 1000, attributesOfStage(stage)),
    worked: (stage, durationMs) => working.record(durationMs / 1000, attributesOfStage(stage)),
  });
  return {
    close() {
      removeObserver();
      for (const [instrument, read] of readings) instrument.removeCallback(read);
    },
  };
}
