/**
 * What tests of streams need: time that moves as the test says, ends that the test holds, and
 * diagrams of what a stage does when, and recordings of runs.
 *
 * @module
 */
export { chaos } from "./chaos.ts";
export type {
  ChaosContext,
  ChaosFailure,
  ChaosFastCheck,
  ChaosFastCheckFunction,
  ChaosFault,
  ChaosOptions,
  ChaosResult,
} from "./chaos_types.ts";
export { checkQueue } from "./check_queue.ts";
export type { CheckedQueue, CheckQueueOptions } from "./check_queue_types.ts";
export { checkSink } from "./check_sink.ts";
export { checkSource } from "./check_source.ts";
export { checkStage } from "./check_stage.ts";
export type { DiagramOptions } from "./diagram_options.ts";
export type {
  CheckedSink,
  CheckedSource,
  CheckSinkOptions,
  CheckSourceOptions,
  MadeFrom,
  WatchedReads,
  WatchedWrites,
} from "./end_law_types.ts";
export { type DiagramStage, expectDiagram } from "./expect_diagram.ts";
export type { BrokenLaw, CheckedStage, CheckResult, CheckStageOptions } from "./law_types.ts";
export { record } from "./record.ts";
export type { Recorded, RecordedEnds, RecordOptions } from "./record.ts";
export { replay } from "./replay.ts";
export type { ReplayOptions } from "./replay.ts";
export type { ReplayedEnds } from "./replayed_run.ts";
export type {
  NodeCallback,
  NodeReadableClass,
  NodeReadableOptions,
  NodeWritableClass,
  NodeWritableOptions,
  TestEndOptions,
  TestSink,
  TestSinkOptions,
  TestSource,
  TestSourceOptions,
} from "./test_end_types.ts";
export { testSink } from "./test_sink.ts";
export { testSource } from "./test_source.ts";
export { virtualTime } from "./virtual_time.ts";
export type { RunOptions, VirtualTime, VirtualTimeOptions } from "./virtual_time_types.ts";
export type { WithBody, WithStream } from "../body_of.ts";
export type { Source } from "../source_types.ts";
export type { IterableStream, StreamOf, Transformer } from "../web_types.ts";
