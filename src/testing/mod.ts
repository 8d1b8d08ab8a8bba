/**
 * What tests of streams need: time that moves as the test says, ends that the test holds, and
 * diagrams of what a stage does when.
 *
 * @module
 */
export type { DiagramOptions } from "./diagram_options.ts";
export { type DiagramStage, expectDiagram } from "./expect_diagram.ts";
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
export type { Transformer } from "../web_types.ts";
