import { checkOptions } from "../errors.ts";
import { isOptions } from "../is_options.ts";
import { runPipeline } from "../pipeline/run_pipeline.ts";
import { gatherOptionNames } from "../pipeline/pipeline_options.ts";
import type { GatherOptions } from "../pipeline/pipeline_types.ts";

/** The arguments of an end, sorted by kind. */
export interface GatherCall<Options> {
  /** The function that was called. */
  readonly entry: unknown;
  /** Whose errors they are. */
  readonly name: string;
  readonly source: unknown;
  readonly stages: readonly unknown[];
  /** How many of them are the user's. */
  readonly stageCount: number;
  readonly options: Options & GatherOptions;
}

const none = Object.freeze({});

/** Reads the arguments of the end `name`, whose options are `known` beside those of every run. */
export function readGatherCall<Options>(
  entry: unknown,
  name: string,
  known: readonly string[],
  [source, ...rest]: readonly unknown[],
): GatherCall<Options> {
  // With no argument left, what is last is undefined, which is none too.
  const hasOptions = isOptions(rest.at(-1));
  const options = (hasOptions ? rest.at(-1) : undefined) ?? none;
  if (options !== none) checkOptions(`run ${name}`, options, [...known, ...gatherOptionNames]);
  const stages = hasOptions ? rest.slice(0, -1) : rest;
  return {
    entry,
    name,
    source,
    stages,
    stageCount: stages.length,
    options: options as Options & GatherOptions,
  };
}

/** Runs the stages, and hands what comes out to `take`. */
export async function gather(
  { entry, name, source, stages, stageCount, options }: GatherCall<unknown>,
  take: (chunk: unknown) => void | Promise<void>,
): Promise<void> {
  const rest = [...stages, take];
  const given = options === none
    ? []
    : Object.entries(options).filter(([option, value]) =>
      value !== undefined && gatherOptionNames.includes(option)
    );
  if (given.length > 0) rest.push(Object.fromEntries(given));
  await runPipeline(source, rest, { action: `run ${name}`, stageCount, entry });
}
