/**
 * What tests of streams need: time that moves as the test says, ends that the test holds, and
 * diagrams of what a stage does when, and recordings of runs.
 *
 * @module
 */
export {
  chaos,
  type ChaosContext,
  type ChaosFailure,
  type ChaosFastCheck,
  type ChaosFastCheckFunction,
  type ChaosFault,
  type ChaosOptions,
  type ChaosResult,
} from "./chaos.ts";
export { checkQueue } from "./check_queue.ts";
export type { CheckedQueue, CheckQueueOptions } from "./queue_law_run.ts";
export { checkSink } from "./check_sink.ts";
export { checkSource } from "./check_source.ts";
export { checkStage } from "./check_stage.ts";
export type { DiagramOptions } from "./diagram_options.ts";
export type {
  BrokenLaw,
  CheckedSink,
  CheckedSource,
  CheckedStage,
  CheckResult,
  CheckSinkOptions,
  CheckSourceOptions,
  CheckStageOptions,
  MadeFrom,
  WatchedReads,
  WatchedWrites,
} from "./law_types.ts";
export { type DiagramStage, expectDiagram } from "./expect_diagram.ts";
export { record } from "./record.ts";
export type { Recorded, RecordedEnds, RecordOptions } from "./record.ts";
export { replay, type ReplayedEnds, type ReplayOptions } from "./replay.ts";
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
} from "./end_settings.ts";
export { testSink } from "./test_sink.ts";
export { testSource } from "./test_source.ts";
export { virtualTime } from "./virtual_time.ts";
export type { RunOptions, VirtualTime, VirtualTimeOptions } from "./current_time.ts";
export type { WithBody, WithStream } from "../body_of.ts";
export type { Source } from "../source_types.ts";
export type { IterableStream, StreamOf, Transformer } from "../web_types.ts";
