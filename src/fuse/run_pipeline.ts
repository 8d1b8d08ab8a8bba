import { checkOptions } from "../errors.ts";
import { flattenStages } from "../kernels/composition.ts";
import type { PipelineOptions, PipelineResult } from "../pipeline/pipeline_types.ts";
import { Run } from "./run.ts";
import { isSink, openSink } from "./sink.ts";
import { checkSource, openSource } from "./source.ts";

/** Reads the arguments of `pipeline`, checks them before anything is touched, and runs. */
export async function runPipeline(
  source: unknown,
  rest: readonly unknown[],
): Promise<PipelineResult> {
  const hasOptions = !isSink(rest.at(-1));
  const options = (hasOptions ? rest.at(-1) : undefined) as PipelineOptions | undefined;
  const sinkIndex = rest.length - (hasOptions ? 2 : 1);
  const sink = rest[sinkIndex];
  checkSource(source);
  if (!isSink(sink)) {
    throw new TypeError(
      "Cannot run pipeline: sink must be a WritableStream or a function, and come after the stages",
    );
  }
  checkOptions("run pipeline", options, ["signal"]);
  const signal = options?.signal;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError("Cannot run pipeline: signal must be an AbortSignal");
  }
  if ((sink as WritableStream).locked) {
    throw new TypeError("Cannot run pipeline: sink is locked to another writer");
  }
  return await runStages(source, flattenStages(rest.slice(0, sinkIndex)), sink, signal);
}

function isPair(stage: unknown): stage is ReadableWritablePair<unknown, unknown> {
  return typeof stage === "object" && stage !== null && "readable" in stage && "writable" in stage;
}

/** Runs the stages; a pair of streams among them, such as a `CompressionStream`, is the end of one run and the start of another. */
async function runStages(
  source: unknown,
  stages: readonly unknown[],
  sink: unknown,
  signal: AbortSignal | undefined,
): Promise<PipelineResult> {
  const index = stages.findIndex(isPair);
  const pair = stages[index] as ReadableWritablePair<unknown, unknown> | undefined;
  const run = new Run(
    openSource(source),
    pair === undefined ? stages : stages.slice(0, index),
    openSink(pair === undefined ? sink : pair.writable),
  );
  if (pair === undefined) return await run.execute(signal);
  const [, after] = await Promise.allSettled([
    run.execute(signal),
    runStages(pair.readable, stages.slice(index + 1), sink, signal),
  ]);
  // What fails before the pair comes out of it; where only its writable side failed, it has ended early.
  if (after.status === "rejected") throw after.reason;
  return { ...after.value, chunksRead: run.chunksRead };
}
