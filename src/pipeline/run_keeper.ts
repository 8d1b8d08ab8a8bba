import type { RunCall, RunPlace } from "../engine/run_failure.ts";
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

/** Keeps the runs that have not ended: there once a function that lists them is imported. */
export interface RunKeeper {
  /** Answers what is to be called at its end. */
  add(run: LookableRun, call: RunCall): () => void;
  /** Calls back where a run has moved nothing for some time; answers what ends that. */
  watch(call: RunCall, stallAfterMs: number, onStall: (report: never) => void): () => void;
}

/** Tells others how runs begin and end: there once a room that does is imported. */
export interface RunReporter {
  /** Whether anything wants to know. */
  readonly isHeard: boolean;
  /** Runs, and settles as that does. */
  report<T>(call: RunCall, run: () => Promise<T>): Promise<T>;
}

export const runs: { keeper: RunKeeper | undefined; reporter: RunReporter | undefined } = {
  keeper: undefined,
  reporter: undefined,
};
