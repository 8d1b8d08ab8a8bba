/**
 * What a running chain does: how full each buffer is, where a run failed, and what it waits for.
 *
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { probe } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * const look = probe();
 * const twice = look.transformer(map((n: number) => n * 2), { name: "twice" });
 * await pipeline(look.reader([1, 2, 3]), twice, look.writer(() => {}));
 *
 * assert.deepEqual(look.bottleneck().stages.map(({ stage }) => stage), ["reader", "twice", "writer"]);
 * ```
 *
 * @module
 */

export { captureCallSites } from "./capture_call_sites.ts";
export { describeFailure } from "./describe_failure.ts";
export { failureOf } from "./failure_of.ts";
export { pendingRuns } from "./pending_runs.ts";
export { printPendingRuns } from "./print_pending_runs.ts";
export { reportOnSignal } from "./report_on_signal.ts";
export type { RunFailure } from "../engine/run_failure.ts";
export type { PendingPart, PendingRun } from "../pipeline/pending_run.ts";
export type { Bottleneck, StageLoad } from "./bottleneck.ts";
export type { ChromeTrace, TraceEvent } from "./chrome_trace.ts";
export {
  type HistogramInstrument,
  type InstrumentOptions,
  type ObservableInstrument,
  type Observation,
  observe,
  type ProbeMeter,
  type TakeValue,
} from "./observe.ts";
export {
  type RunSpan,
  type RunSpanOptions,
  type RunTrace,
  type RunTracer,
  type TraceApi,
  traceRun,
} from "./trace_run.ts";
export type { FailableSpan } from "../fail_span.ts";
export type { RecordedStage, RecordingHeader } from "./recording.ts";
export { type Probe, probe, type ProbedBatches } from "./probe.ts";
export type { ProbedSink, ProbeOutput } from "./probe_output.ts";
export type {
  Occupancy,
  ProbeAnswer,
  ProbeBuffer,
  ProbedKind,
  ProbeEvent,
  ProbeEventName,
  ProbeOptions,
  ProbeTransformerOptions,
  RecorderOptions,
} from "./types.ts";
