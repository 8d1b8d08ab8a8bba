// deno-fmt-ignore-file -- one line for each length of chain
// Written by scripts/gate/write_signatures.ts.
import type { PipelineArguments, PipelineResult } from "./pipeline_types.ts";

/** The call signatures of `pipeline`: one for each number of arguments, so that no two compete. */
export interface Pipeline {
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0>(...args: PipelineArguments<[T0]>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20], End, Some>): Promise<PipelineResult>;
  /**
   * Pulls the source through the stages into the sink; the last argument may be options.
   *
   * @example
   * await pipeline(
   *   await fetch(url),
   *   lines(),
   *   map((line) => JSON.parse(line)),
   *   async (row) => await save(row),
   * );
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21, End = never, Some = unknown>(...args: PipelineArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21], End, Some>): Promise<PipelineResult>;
}
