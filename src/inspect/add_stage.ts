import type { Recorder } from "./recorder.ts";
import type { ProbedKind } from "./types.ts";
import { checkOptions, throwTypeError } from "../errors.ts";
import { StageEvents } from "./stage_events.ts";

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
  return new StageEvents(recorder, recorder.stageList.add(kind, name));
}
