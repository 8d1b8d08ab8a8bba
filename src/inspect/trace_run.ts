import { yieldTurn } from "../engine/turn_budget.ts";
import { checkFunction, throwTypeError } from "../errors.ts";
import { type FailableSpan, failSpan } from "../fail_span.ts";
import { failureOf } from "./failure_of.ts";
import type { ProbeOutput } from "./probe_output.ts";
import { recorderOf } from "./create_output.ts";
import type { Recorder, RecorderLifecycle } from "./recorder.ts";
import type { StageRecord } from "./stage_record.ts";

/** What `traceRun` and `traceSave` need of a span of OpenTelemetry. */
export interface RunSpan extends FailableSpan {
  /** Adds attributes. */
  setAttributes(attributes: Record<string, string | number>): unknown;
  /** Ends it; a time is in milliseconds since 1970. */
  end(endTime?: number): void;
}

/** How a span begins. */
export interface RunSpanOptions {
  /** What is known of it from the beginning. */
  attributes?: Record<string, string | number> | undefined;
}

/** What `traceRun` needs of a `Tracer` of OpenTelemetry. */
export interface RunTracer<Span, Context> {
  /** Begins a span; its parent is the one that the context has. */
  startSpan(name: string, options?: RunSpanOptions, context?: Context): Span;
}

/** What `traceRun` needs of `@opentelemetry/api` itself: which span is active, and how another becomes a parent. */
export interface TraceApi<Span, Context> {
  /** Gives the context of the caller. */
  readonly context: { active(): Context };
  /** Makes a context that has a span. */
  readonly trace: { setSpan(context: Context, span: Span): Context };
}

/** A run that is traced. */
export interface RunTrace {
  /** Ends its spans now, as far as they are; they end by themselves with the run. */
  end(): void;
}

const action = "trace a run";

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Where it has failed, as attributes. */
function placeOf(reason: unknown): Record<string, string | number> {
  const { side, stage, name, chunkIndex, callSite } = failureOf(reason) ?? {};
  const all = { side, stage, name, chunk_index: chunkIndex, call_site: callSite };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [`hosepipe.failure.${key}`, value as string | number]),
  );
}

/** The spans of one run: its own, and one for each stage. */
class RunSpans<Span extends RunSpan, Context> implements RecorderLifecycle {
  readonly #recorder: Recorder;
  readonly #tracer: RunTracer<Span, Context>;
  readonly #api: TraceApi<Span, Context>;
  readonly #spans = new Map<StageRecord, Span>();
  readonly #endedAtMs = new Map<StageRecord, number>();
  #run: Span | undefined;
  #context: Context | undefined;
  #failure: { readonly reason: unknown; readonly stage: StageRecord } | undefined;
  #isOver = false;

  constructor(
    recorder: Recorder,
    tracer: RunTracer<Span, Context>,
    api: TraceApi<Span, Context>,
  ) {
    this.#recorder = recorder;
    this.#tracer = tracer;
    this.#api = api;
  }

  begin(): void {
    if (this.#run !== undefined) return;
    const { name, stages } = this.#recorder;
    const context = this.#api.context.active();
    const attributes = { "hosepipe.pipeline.name": name };
    this.#run = this.#tracer.startSpan(name, { attributes }, context);
    this.#context = this.#api.trace.setSpan(context, this.#run);
    for (const stage of stages) this.open(stage);
  }

  open(stage: StageRecord): void {
    this.begin();
    if (this.#spans.has(stage) || this.#isOver) return;
    const attributes = {
      "hosepipe.pipeline.name": this.#recorder.name,
      "hosepipe.stage.name": stage.name,
      "hosepipe.stage.kind": stage.kind,
    };
    this.#spans.set(stage, this.#tracer.startSpan(stage.name, { attributes }, this.#context));
  }

  fail(stage: StageRecord, reason: unknown): void {
    this.#failure ??= { reason, stage };
  }

  finish(stage: StageRecord): void {
    this.open(stage);
    this.#endedAtMs.set(stage, nowMs());
    if (!this.#recorder.isOver || this.#isOver) return;
    const isWhole = this.#recorder.stages.every(({ isOver, isWriteOnly }) => isOver || isWriteOnly);
    // What has failed is looked up where that is noted after the stage has said it.
    const isKnown = this.#failure === undefined || failureOf(this.#failure.reason) !== undefined;
    if (isWhole && isKnown) this.end();
    else yieldTurn(() => this.end());
  }

  end(): void {
    if (this.#run === undefined || this.#isOver) return;
    this.#isOver = true;
    const endMs = nowMs();
    const timeMs = this.#recorder.clock.read();
    for (const [stage, span] of this.#spans) {
      span.setAttributes({
        "hosepipe.stage.chunks": stage.done,
        "hosepipe.stage.working_time": stage.busyMs(timeMs) / 1000,
        "hosepipe.stage.waiting_time": stage.waitingTime / 1000,
      });
      if (this.#failure?.stage === stage) failSpan(span, this.#failure.reason);
      span.end(this.#endedAtMs.get(stage) ?? endMs);
    }
    if (this.#failure !== undefined) {
      failSpan(this.#run, this.#failure.reason);
      this.#run.setAttributes(placeOf(this.#failure.reason));
    }
    this.#run.end(endMs);
  }
}

/**
 * Makes spans of OpenTelemetry of what a probe sees: one for the run, from the first event to the last, and below it
 * one for each stage.
 *
 * | attribute                                      | of       |                                                      |
 * | ---------------------------------------------- | -------- | ---------------------------------------------------- |
 * | `hosepipe.pipeline.name`                       | all      | what the probe is called                             |
 * | `hosepipe.stage.name`, `hosepipe.stage.kind`   | stages   | as in metrics                                        |
 * | `hosepipe.stage.chunks`                        | stages   | chunks given, or by a writer written                 |
 * | `hosepipe.stage.working_time`                  | stages   | how long it was at work, in seconds                  |
 * | `hosepipe.stage.waiting_time`                  | stages   | how long chunks waited for it, all added, in seconds |
 * | `hosepipe.failure.side`, `.stage`, `.name`, `.chunk_index`, `.call_site` | the run | where it has failed, as `failureOf` tells |
 *
 * The parent of the run's span is the span that is active when the run begins. What the run has failed with is an
 * exception of its span and of that of the stage that failed first, and the status of both; a run that ends early, or
 * by a signal, has no error.
 *
 * @param probe What `probe()` made, of `@hosepipe/streams` or of `@hosepipe/streams/node`; before its run begins.
 * @param tracer A `Tracer` of `@opentelemetry/api`, or what has its `startSpan`.
 * @param api `@opentelemetry/api`, or what has its `context.active` and `trace.setSpan`.
 * @returns What ends the spans of a run that never ends: `end()`.
 *
 * @throws {TypeError} If `probe` is none or is traced already, or `tracer` or `api` lacks a method.
 *
 * @example
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { probe, traceRun } from "@hosepipe/streams/inspect";
 * import * as api from "@opentelemetry/api";
 * import {
 *   InMemorySpanExporter,
 *   SimpleSpanProcessor,
 *   TracerProvider,
 * } from "@opentelemetry/sdk-trace";
 * import assert from "node:assert/strict";
 *
 * const exporter = new InMemorySpanExporter();
 * const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
 *
 * const look = probe({ name: "orders" });
 * traceRun(look, provider.getTracer("shop"), api);
 * await pipeline(
 *   look.reader([1, 2, 3]),
 *   look.transformer(map((n) => n * 2), { name: "double" }),
 *   look.writer(() => {}, { name: "store" }),
 * );
 *
 * const spans = exporter.getFinishedSpans();
 * assert.deepEqual(spans.map(({ name }) => name), ["reader", "double", "store", "orders"]);
 * assert.deepEqual(spans[1]!.attributes["hosepipe.stage.chunks"], 3);
 * assert.deepEqual(spans[1]!.parentSpanContext?.spanId, spans[3]!.spanContext().spanId);
 * ```
 */
export function traceRun<Span extends RunSpan, Context>(
  probe: ProbeOutput,
  tracer: RunTracer<Span, Context>,
  api: TraceApi<Span, Context>,
): RunTrace {
  const recorder = recorderOf(action, probe);
  if (typeof tracer !== "object" || tracer === null) {
    throwTypeError(action, "tracer", "a Tracer of OpenTelemetry", tracer);
  }
  checkFunction(action, "tracer.startSpan", tracer.startSpan);
  checkFunction(action, "api.context.active", api?.context?.active);
  checkFunction(action, "api.trace.setSpan", api?.trace?.setSpan);
  if (recorder.lifecycle !== undefined) {
    throw new TypeError(`Cannot ${action}: the probe is traced already`);
  }
  const spans = new RunSpans(recorder, tracer, api);
  recorder.lifecycle = spans;
  return { end: () => spans.end() };
}
