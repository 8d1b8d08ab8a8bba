import { callback, integer, readOptions, text } from "../read_options.ts";
import { Recorder } from "./recorder.ts";
import type { ProbeAnswer, ProbedKind, ProbeEvent } from "./types.ts";
import { checkOptions, throwTypeError } from "../errors.ts";
import { StageEvents } from "./stage_events.ts";

/** How a probe looks. */
export interface RecorderOptions {
  /** What the pipeline is called in recordings, pages and metrics. Default: `pipeline`. */
  name?: string | undefined;
  /** How many events are kept, the last ones; 0 keeps the counters alone. Default: 10,000. */
  capacity?: number | undefined;
  /** Names a chunk in events. Default: which of the stage's chunks it is, counted from 1. */
  // deno-lint-ignore no-explicit-any -- a probe sees chunks of every stage
  identify?: ((chunk: any) => string) | undefined;
  /** Called with each event as it happens. Default: none. */
  onEvent?: ((event: ProbeEvent) => void) | undefined;
  /** Called when a chunk has been put in a queue, with what its stage learned by that. Default: none. */
  onAnswer?: ((answer: ProbeAnswer) => void) | undefined;
  /** A clock, in milliseconds, that is read for each event. Default: `performance.now`, read when it matters. */
  now?: (() => number) | undefined;
}

/** Checks a probe's options, and makes its recorder. */
export function createRecorder(options: RecorderOptions): Recorder {
  return new Recorder(readOptions("create probe", options, {
    name: text("pipeline"),
    capacity: integer(10_000, 0),
    identify: callback(),
    onEvent: callback(),
    onAnswer: callback(),
    now: callback(),
  }));
}

/** Checks a stage and its options, and adds it to what `recorder` looks at. */
export function addStage(
  recorder: Recorder,
  kind: ProbedKind,
  value: unknown,
  options: unknown,
  known: readonly string[],
): StageEvents {
  const action = `probe ${kind}`;
  if ((typeof value !== "object" || value === null) && typeof value !== "function") {
    throwTypeError(action, "the stage", "an object or a function", value);
  }
  checkOptions(action, options, ["name", ...known]);
  const { name } = (options ?? {}) as { name?: string };
  if (name !== undefined && typeof name !== "string") {
    throwTypeError(action, "name", "a string", name);
  }
  return new StageEvents(recorder, recorder.addStage(kind, name));
}
