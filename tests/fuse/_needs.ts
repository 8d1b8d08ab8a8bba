import type { ChainDescription } from "./_chain_description.ts";
import type { ChainModel, StageModel } from "./_model.ts";

/** How much of a stage's output, or of the source, must have been asked for: everything, its end included, or so many chunks. */
export type Need = "all" | number;

/** What a stage must have done at least, `all` being everything, so that what follows it got what it needs. */
export function needBefore(stage: StageModel, need: Need): Need {
  if (need === 0) return 0;
  if (need !== "all") {
    const calls = stage.producedBy[need - 1]!;
    return calls === Infinity ? "all" : calls;
  }
  if (stage.endedBy === "start") return 0;
  return stage.endedBy === "transform" ? stage.callCount : "all";
}

/** The needs at each stage's output; the first element is that at the source. */
export function needsOf(model: ChainModel, need: Need): Need[] {
  const needs = [need];
  for (const stage of model.stages.toReversed()) needs.unshift(needBefore(stage, needs[0]!));
  return needs;
}

/**
 * The most chunks that we may read, all queues being full; only for strategies that count chunks. In a native chain
 * each stage's queue holds a chunk; in ours it holds what has become of one chunk of the source.
 */
export function readBound(chain: ChainDescription, model: ChainModel, need: Need): number {
  const { writableStrategy, source } = chain;
  const marks = Math.max(1, writableStrategy.highWaterMark ?? 1) + source.highWaterMark + 1;
  const native = readsFor(chain, model, need, 1) + marks;
  return Math.max(native, readsFor(chain, model, need, 0) + chain.stages.length + marks);
}

/** The chunks of the source that give what is needed, if each stage but the first may be `queued` chunks ahead. */
function readsFor(
  { stages, readableStrategy }: ChainDescription,
  model: ChainModel,
  need: Need,
  queued: number,
): number {
  let allowed = need === "all" ? Infinity : need + (readableStrategy.highWaterMark ?? 0) + 1;
  for (const [index, stage] of [...model.stages.entries()].toReversed()) {
    const concurrency = stages[index]!.operator === "parallel" ? 4 : 0;
    let calls = allowed === 0 ? 0 : stage.producedBy[allowed - 1] ?? Infinity;
    if (stage.endedBy === "start") calls = 0;
    if (stage.endedBy === "transform") calls = Math.min(calls, stage.callCount);
    allowed = calls + (index === 0 ? 0 : queued) + concurrency;
  }
  return allowed;
}
