import { detailOf } from "../kernels/failure_detail.ts";
import { findStage, nameOfPart, nameWith } from "../kernels/name_of_part.ts";
import { meaningOf } from "../kernels/registry.ts";
import { functionOfCall, nameOfCall, type RunFailure, type RunPlace } from "./run_failure.ts";

/** Where the run has failed in which a reason was thrown first. */
export const failureRecords = new WeakMap<object, RunFailure>();

/**
 * Keeps which side of a row has failed, or which of its stages. What was thrown is left as it is, and the first record of
 * it counts.
 */
export function noteFailure(
  reason: unknown,
  { call, from, pairAt = -1 }: RunPlace,
  side: RunFailure["side"],
  at?: { readonly index: number; readonly chunkIndex: number | undefined },
): RunFailure {
  const pipeline = nameOfCall(call);
  const { stages, stageCount = stages.length, input, output, startedAtMs, readCallSite } = call;
  const detail = detailOf(reason);
  let stage: number | undefined;
  let part: number | undefined;
  let failed = side === "source" ? call.source : call.sink;
  let chunkIndex = side === "source" ? input?.chunksRead : output?.failedIndex;
  const pair = side === "source" ? from - 1 : pairAt;
  if (at !== undefined || pair >= 0) {
    // What is beside its row is a pair, of which no more is known.
    chunkIndex = at?.chunkIndex;
    [stage, part, failed] = findStage(stages, at === undefined ? pair : from + at.index);
    side = "stage";
  }
  if (stage !== undefined && stage > stageCount) {
    // An end is made of stages, too.
    side = "sink";
    stage = part = undefined;
  }
  const isEnd = side === "sink" && call.stageCount !== undefined;
  const { timeOrigin } = performance;
  const failure: RunFailure = Object.freeze({
    pipeline,
    side,
    stage,
    stageCount,
    part,
    name: isEnd
      ? nameWith(functionOfCall(call), meaningOf(Object(failed))?.fn)
      : stage === undefined && detail?.name ||
        nameOfPart(failed, side === "source" ? "iterable" : undefined),
    chunkIndex: stage === undefined && detail && "chunkIndex" in detail
      ? detail.chunkIndex
      : chunkIndex,
    chunksRead: input?.chunksRead,
    chunksWritten: output?.chunksWritten,
    startedAt: startedAtMs === undefined ? undefined : new Date(timeOrigin + startedAtMs),
    callSite: readCallSite?.(),
  });
  if (Object(reason) === reason && !failureRecords.has(reason as object)) {
    failureRecords.set(reason as object, failure);
  }
  return failure;
}
