/**
 * Readers, transformers and writers on the streams of the web platform.
 *
 * A stage is a WHATWG transformer, the plain dictionary that `new TransformStream()` takes.
 *
 * ```ts
 * import { lines, map, reader, writer } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const greetings: string[] = [];
 * await reader(["Ada\nAl", "an\n"])
 *   .pipeThrough(new TransformStream(lines()))
 *   .pipeThrough(new TransformStream(map((name: string) => `Hello, ${name}!`)))
 *   .pipeTo(writer((greeting: string) => greetings.push(greeting)));
 *
 * assert.deepEqual(greetings, ["Hello, Ada!", "Hello, Alan!"]);
 * ```
 *
 * @module
 */

export type { Batch, BatchFunction, ReaderSource } from "./src/sources/batch_source.ts";
export {
  attempt,
  type AttemptAnswer,
  type AttemptOptions,
  type CreateAttempt,
} from "./src/stages/attempt.ts";
export { batch, type BatchOptions } from "./src/stages/batch.ts";
export { batchBy, type BatchByOptions, type KeyedBatch } from "./src/stages/batch_by.ts";
export { changes, type ChangesOptions } from "./src/stages/changes.ts";
export { distinct } from "./src/stages/distinct.ts";
export type { DistinctOptions } from "./src/stages/known_keys.ts";
export { drop } from "./src/stages/drop.ts";
export { dropWhile } from "./src/stages/drop_while.ts";
export { encode, type EncodeOptions } from "./src/stages/encode.ts";
export { filter, type FilterOptions } from "./src/stages/filter.ts";
export { expand, type ExpandOptions } from "./src/stages/expand.ts";
export { flatMap, type FlatMapOptions, type FlatMapResult } from "./src/stages/flat_map.ts";
export { formatNdjson } from "./src/stages/format_ndjson.ts";
export { intersperse } from "./src/stages/intersperse.ts";
export { limitBytes, type LimitBytesOptions } from "./src/stages/limit_bytes.ts";
export { limitRate, type LimitRateOptions } from "./src/stages/limit_rate.ts";
export type { DecodingOptions } from "./src/decoding_options.ts";
export { lines, type LinesOptions } from "./src/stages/lines.ts";
export { map } from "./src/stages/map.ts";
export { pairwise } from "./src/stages/pairwise.ts";
export { sliding } from "./src/stages/sliding.ts";
export { parallel, type ParallelOptions } from "./src/stages/parallel.ts";
export { count } from "./src/ends/count.ts";
export { every } from "./src/ends/every.ts";
export { find } from "./src/ends/find.ts";
export { first } from "./src/ends/first.ts";
export { iterate } from "./src/ends/iterate.ts";
export { last } from "./src/ends/last.ts";
export { reduce } from "./src/ends/reduce.ts";
export { some } from "./src/ends/some.ts";
export { toArray } from "./src/ends/to_array.ts";
export { toBytes } from "./src/ends/to_bytes.ts";
export { toJson } from "./src/ends/to_json.ts";
export { toText } from "./src/ends/to_text.ts";
export type { Reduce } from "./src/ends/reduce_signatures.ts";
export type { Test } from "./src/ends/test_signatures.ts";
export type { ChunkTest, Reducer, Tested, TestOptions } from "./src/ends/test_types.ts";
export type { Gather } from "./src/ends/gather_signatures.ts";
export type {
  GatherContract,
  Gathered,
  ToArrayOptions,
  ToBytesOptions,
  ToTextOptions,
} from "./src/ends/gather_types.ts";
export { compose } from "./src/fuse/compose.ts";
export type { Compose } from "./src/fuse/compose_signatures.ts";
export { groupBy, type GroupByOptions } from "./src/fuse/group_by.ts";
export { fuse } from "./src/fuse/fuse.ts";
export type { Fuse } from "./src/fuse/fuse_signatures.ts";
export type { FuseStrategies } from "./src/fuse/types.ts";
export { pipeline } from "./src/pipeline/pipeline.ts";
export type { Pipeline } from "./src/pipeline/pipeline_signatures.ts";
export type {
  GatherOptions,
  PipelineOptions,
  PipelineResult,
} from "./src/pipeline/pipeline_types.ts";
export type { ThreadCounts } from "./src/thread_counts.ts";
export type {
  ChainStage,
  GeneratorStage,
  PairMaker,
  PipelineSink,
  PipelineSource,
  PipelineStage,
  StreamPair,
  WritableOf,
} from "./src/chain_types.ts";
export { parseNdjson, type ParseNdjsonOptions } from "./src/stages/parse_ndjson.ts";
export { rechunk, type RechunkOptions } from "./src/stages/rechunk.ts";
export { split, type SplitOptions } from "./src/stages/split.ts";
export { reader, type ReaderOptions } from "./src/sources/reader.ts";
export type { Source, Sources } from "./src/source_types.ts";
export { type Channel, channel } from "./src/sources/channel.ts";
export type { ChannelOptions, Overflow } from "./src/sources/channel_options.ts";
export { concat, type ConcatSource, type ConcatSources } from "./src/sources/concat.ts";
export {
  type EmitterLike,
  type EventName,
  fromEvents,
  type FromEventsOptions,
} from "./src/sources/from_events.ts";
export {
  type Hub,
  hub,
  type HubBranch,
  type HubOptions,
  type JoinOptions,
} from "./src/sources/hub.ts";
export { interval } from "./src/sources/interval.ts";
export { merge } from "./src/sources/merge.ts";
export { mergeBy, type MergeByOrder } from "./src/sources/merge_by.ts";
export { peek, type Peeked } from "./src/sources/peek.ts";
export { retry, type RetryAttempt, type RetryOptions } from "./src/sources/retry.ts";
export { tee, type TeeOptions } from "./src/sources/tee.ts";
export { timeout, type TimeoutOptions } from "./src/sources/timeout.ts";
export { zip, type ZipOptions } from "./src/sources/zip.ts";
export type { WithBody, WithStream } from "./src/body_of.ts";
export { scan, type ScanSeed } from "./src/stages/scan.ts";
export { type CreateStage, stage } from "./src/stages/stage.ts";
export type { StageContext } from "./src/kernels/stage_context.ts";
export type { StrategyOptions } from "./src/strategy.ts";
export { take, type TakeOptions } from "./src/stages/take.ts";
export { takeLast } from "./src/stages/take_last.ts";
export { takeUntil } from "./src/stages/take_until.ts";
export { takeWhile } from "./src/stages/take_while.ts";
export { tap } from "./src/stages/tap.ts";
export { writer } from "./src/sinks/writer.ts";
export type { WriterOptions } from "./src/sinks/writer_options.ts";
export type {
  Bytes,
  IterableStream,
  Strategy,
  StreamOf,
  Transformer,
  UnderlyingByteSource,
  UnderlyingDefaultSource,
  UnderlyingSink,
} from "./src/web_types.ts";
