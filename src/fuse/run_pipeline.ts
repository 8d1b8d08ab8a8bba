import { checkOptions } from "../errors.ts";
import { type PipelineResult, Run } from "./run.ts";
import { isSink, openSink } from "./sink.ts";
import { checkSource, openSource } from "./source.ts";

/** Options of a run. */
export interface PipelineOptions {
  /** Aborts the run: cancels the source and aborts the sink with the signal's reason; default: none. */
  readonly signal?: AbortSignal;
}

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
  const stages = rest.slice(0, sinkIndex);
  const run = new Run(openSource(source), stages, openSink(sink));
  return await run.execute(signal);
}
