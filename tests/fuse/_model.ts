import { buildStage } from "./_build_stage.ts";
import type { ChainDescription } from "./_chain_description.ts";
import { Recorder, text } from "./_recorder.ts";

/** How a sequence of chunks ends. */
export type End = { readonly failed: false } | { readonly failed: true; readonly label: string };

/** What one stage does if it is given all that the stage before it can give. */
export interface StageModel {
  /** Its effects, in order. */
  readonly log: readonly string[];
  /** How many calls of `transform` that takes. */
  readonly callCount: number;
  /** For each chunk it gives: how many calls that took, `Infinity` if `flush` gave it. */
  readonly producedBy: readonly number[];
  /** For each call: which chunk of the source it is due to, from 1. */
  readonly origins: readonly number[];
  /** What ended it: its input, or it did so itself while it did this. */
  readonly endedBy: "input" | "start" | "transform" | "flush";
  readonly end: End;
}

/** What a chain must do: each chunk walks the whole chain before the next begins. */
export interface ChainModel {
  readonly stages: readonly StageModel[];
  readonly chunks: readonly string[];
  readonly end: End;
  /** Whether calls were in flight when an input failed: how many of them still give their chunks is a matter of time. */
  readonly isUncertain: boolean;
}

interface Run {
  readonly outputs: unknown[];
  readonly producedBy: number[];
  readonly origins: number[];
  ended: { failed: boolean; reason?: unknown } | undefined;
}

/**
 * Interprets a chain slowly and plainly. A stage sees nothing of its neighbours but the order of its chunks and how
 * they end, so walking stage by stage gives what walking chunk by chunk gives, and each stage's calls are an upper
 * bound for runs that end early.
 */
export async function interpret(
  chain: ChainDescription,
  sourceChunks: readonly string[],
): Promise<ChainModel> {
  const recorder = new Recorder(chain.stages.length);
  let chunks: readonly unknown[] = sourceChunks;
  let origins: readonly number[] = sourceChunks.map((_, index) => index + 1);
  let endOrigin = Infinity;
  let reason = chain.source.ending === "close"
    ? undefined
    : { value: recorder.reason("source", chain.source.kind) };
  const stages: StageModel[] = [];
  for (const [index, description] of chain.stages.entries()) {
    const stage = await interpretStage(
      buildStage(description, index, recorder),
      chunks,
      origins,
      endOrigin,
      reason,
    );
    const { ended } = stage.run;
    // Of calls that overlap one may fail long after others have begun, or only when the stage is flushed.
    const failingCall = description.operator === "parallel"
      ? description.failure?.at ?? Infinity
      : Infinity;
    if (failingCall < stage.callCount && stage.endedBy !== "input") {
      stage.callCount = failingCall + 1;
      stage.endedBy = "transform";
    }
    stages.push({
      log: recorder.logs[index]!,
      callCount: stage.callCount,
      producedBy: producedBy(description.operator, stage.run, stage.callCount),
      origins: origins.slice(0, stage.callCount),
      endedBy: stage.endedBy,
      end: ended!.failed
        ? { failed: true, label: recorder.label(ended!.reason) }
        : { failed: false },
    });
    if (stage.endedBy === "start") endOrigin = 0;
    if (stage.endedBy === "transform") endOrigin = origins[stage.callCount - 1]!;
    chunks = stage.run.outputs;
    origins = stage.run.origins;
    reason = ended!.failed ? { value: ended!.reason } : undefined;
  }
  const isInputFailed = (index: number) =>
    index === 0 ? chain.source.ending !== "close" : stages[index - 1]!.end.failed;
  const isUncertain = chain.stages.some(({ operator, timing }, index) =>
    operator === "parallel" && timing !== "sync" && isInputFailed(index)
  );
  return { stages, chunks: chunks.map(text), end: stages.at(-1)!.end, isUncertain };
}

/** Overlapping calls give chunk n because of call n, however many have begun by then. */
function producedBy(operator: string, run: Run, callCount: number): number[] {
  if (operator !== "parallel") return run.producedBy;
  const startCount = run.producedBy.filter((calls) => calls === 0).length;
  return run.producedBy.map((_, index) => {
    const call = Math.max(0, index + 1 - startCount);
    return call > callCount ? Infinity : call;
  });
}

async function interpretStage(
  stage: Transformer<unknown, unknown>,
  inputs: readonly unknown[],
  inputOrigins: readonly number[],
  endOrigin: number,
  failure: { value: unknown } | undefined,
) {
  const run: Run = { outputs: [], producedBy: [], origins: [], ended: undefined };
  let callCount = 0;
  let isFlushing = false;
  const end = (ending: Run["ended"]) => run.ended ??= ending;
  const controller: TransformStreamDefaultController<unknown> = {
    desiredSize: 1,
    enqueue(chunk) {
      if (run.ended !== undefined) throw new TypeError("enqueue after the end");
      run.outputs.push(chunk);
      run.producedBy.push(isFlushing ? Infinity : callCount);
      run.origins.push(isFlushing ? endOrigin : inputOrigins[callCount - 1] ?? 0);
    },
    error: (reason) => void end({ failed: true, reason }),
    terminate: () => void end({ failed: false }),
  };
  const attempt = async (effect: () => unknown) => {
    try {
      await effect();
    } catch (reason) {
      end({ failed: true, reason });
    }
  };
  const done = (endedBy: StageModel["endedBy"]) => ({ run, callCount, endedBy });

  await attempt(() => stage.start?.(controller));
  if (run.ended !== undefined) return done("start");
  for (const chunk of inputs) {
    callCount++;
    if (stage.transform === undefined) controller.enqueue(chunk);
    else await attempt(() => stage.transform!(chunk, controller));
    if (run.ended !== undefined) return done("transform");
  }
  if (failure !== undefined) {
    await attempt(() => stage.cancel?.(failure.value));
    end({ failed: true, reason: failure.value });
    return done("input");
  }
  isFlushing = true;
  await attempt(() => stage.flush?.(controller));
  if (run.ended !== undefined) return done("flush");
  end({ failed: false });
  return done("input");
}
