/**
 * What tests of streams need: time that moves as the test says, and ends that the test holds.
 *
 * @module
 */
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
