import { runPipeline } from "./run_pipeline.ts";
import type { Pipeline } from "./pipeline_signatures.ts";
import type { PipelineResult } from "./pipeline_types.ts";

/**
 * Runs a whole job: pulls chunks from the source, runs each through the stages and passes it to the sink. Nothing is
 * read before the sink can take it, and the event loop gets its turn at least every 10 ms of synchronous work.
 *
 * On any failure, what the sink was given is written first. Then the source is cancelled, the sink is aborted and the
 * promise rejects, all with the same reason. After `signal` aborts, the promise rejects within a turn of the event
 * loop, even if something hangs.
 *
 * @param source A `ReadableStream`, an iterable or an async iterable, or what has a body: a `Blob`, a `Response` or a
 * `Request`.
 * @param stages Transformers, as `new TransformStream()` takes them; a pair of native streams, such as a
 * `CompressionStream`, or `() => pair` may stand among them.
 * @param sink A `WritableStream`, or a function that is given each chunk and may return a promise to be waited for.
 * @param options Last, and optional: `runName`, what failures and pending runs are listed by (default: `"pipeline"`); `signal`, an `AbortSignal` (default: none); `preventClose`,
 * `preventAbort` and `preventCancel`, which leave an end open, as in `pipeTo` (default: `false`); `onFailure`, a
 * function that is called with where the run has failed (default: none); `callSite`, whether a failure says where the
 * run was called (default: `false`).
 * @returns Counts and the elapsed time in milliseconds.
 *
 * @throws {TypeError} If source, a stage, the sink or an option is of the wrong kind, or a stream is locked.
 * @throws Whatever the source, a stage or the sink fails with, and the signal's reason.
 *
 * @example Count the words of a text
 * ```ts
 * import { filter, flatMap, lines, pipeline } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const words: string[] = [];
 * const { chunksRead, chunksWritten } = await pipeline(
 *   ["to be or\nnot ", "to be\n"],
 *   lines(),
 *   flatMap((line) => line.split(" ")),
 *   filter((word) => word !== "to"),
 *   (word) => void words.push(word),
 * );
 *
 * assert.deepEqual(words, ["be", "or", "not", "be"]);
 * assert.deepEqual([chunksRead, chunksWritten], [2, 4]);
 * ```
 */
export const pipeline: Pipeline = runAll as Pipeline;

const entrance = { entry: runAll };

function runAll(source: unknown, ...rest: readonly unknown[]): Promise<PipelineResult> {
  return runPipeline(source, rest, entrance);
}
