import type { RunPlace } from "../engine/run_failure.ts";
import type { Stage } from "../engine/stage.ts";
import type { PullInput } from "./pull_input.ts";
import type { PushOutput } from "./push_output.ts";

/** What a run is waited for that ends: its sink, its stages or its source. */
export type EndPhase = "sink" | "stages" | "source";

/** How far a run is. */
export interface RunLook {
  readonly place: RunPlace;
  readonly input: PullInput;
  readonly output: PushOutput;
  readonly stages: readonly Stage[];
  /** There while it ends. */
  readonly phase: EndPhase | undefined;
  readonly hasFailed: boolean;
  readonly startedAtMs: number;
  /** When it moved last, about. */
  readonly movedAtMs: number;
}

/** What can be looked at while it runs. */
export interface LookableRun {
  look(): RunLook;
}
