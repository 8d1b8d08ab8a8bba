import { checkOptions } from "../errors.ts";
import { isOptions } from "../is_options.ts";
import { runPipeline } from "../pipeline/run_pipeline.ts";
import type { GatherOptions } from "./gather_types.ts";

/** The arguments of an end, sorted by kind. */
export interface GatherCall<Options> {
  /** Whose errors they are. */
  readonly name: string;
  readonly source: unknown;
  readonly stages: readonly unknown[];
  /** How many of them are the user's. */
  readonly stageCount: number;
  readonly options: Options & GatherOptions;
}

/** Reads the arguments of the end `name`, whose options are `known` beside `signal`. */
export function readGatherCall<Options>(
  name: string,
  known: readonly string[],
  [source, ...rest]: readonly unknown[],
): GatherCall<Options> {
  // With no argument left, what is last is undefined, which is none too.
  const hasOptions = isOptions(rest.at(-1));
  const options = (hasOptions ? rest.at(-1) : undefined) ?? {};
  checkOptions(`run ${name}`, options, [...known, "signal"]);
  const stages = hasOptions ? rest.slice(0, -1) : rest;
  return {
    name,
    source,
    stages,
    stageCount: stages.length,
    options: options as Options & GatherOptions,
  };
}

/** Runs the stages, and hands what comes out to `take`. */
export async function gather(
  { name, source, stages, stageCount, options: { signal } }: GatherCall<unknown>,
  take: (chunk: unknown) => void,
): Promise<void> {
  await runPipeline(
    source,
    signal === undefined ? [...stages, take] : [...stages, take, { signal }],
    { action: `run ${name}`, stageCount },
  );
}
