import { tracingChannel } from "node:diagnostics_channel";
import {
  functionOfCall,
  nameOfCall,
  type RunCall,
  type RunFailure,
} from "../src/engine/run_failure.ts";
import { failureOf } from "../src/inspect/failure_of.ts";
import { nameOfPart } from "../src/kernels/name_of_part.ts";
import { type RunReporter, runs } from "../src/pipeline/run_reporter.ts";

/** What subscribers of the tracing channel `hosepipe:run` are given: the same object for all events of one run. */
export interface RunMessage {
  /** Its `runName`, otherwise the function that runs it: `"pipeline"`, `"toArray"` ... */
  readonly pipeline: string;
  /** What its source is called. */
  readonly source: string;
  /** What its stages are called. */
  readonly stages: readonly string[];
  /** What its sink is called, of an end what that is. */
  readonly sink: string;
  /** What it has come to, once it has. */
  readonly result?: unknown;
  /** What it has failed with, if it has. */
  readonly error?: unknown;
  /** Where it has failed, as `failureOf` tells. */
  readonly failure: RunFailure | undefined;
}

const channel = tracingChannel("hosepipe:run");

function isHeard(): boolean {
  const { hasSubscribers, start, end, asyncStart, asyncEnd, error } = channel;
  // Node before 22, and Bun, do not say it of the whole.
  return hasSubscribers ??
    [start, end, asyncStart, asyncEnd, error].some((part) => part.hasSubscribers);
}

function messageOf(call: RunCall): RunMessage {
  const { source, stages, stageCount, sink } = call;
  const pipeline = nameOfCall(call);
  return {
    pipeline,
    source: nameOfPart(source, "iterable"),
    stages: stages.slice(0, stageCount).map((stage) => nameOfPart(stage)),
    sink: stageCount === undefined ? nameOfPart(sink, "sink") : functionOfCall(call),
    get failure() {
      return failureOf(this.error);
    },
  };
}

/** Publishes how each run begins and ends on the tracing channel `hosepipe:run`; without a subscriber it does nothing. */
export const reporter: RunReporter = {
  get isHeard() {
    return isHeard();
  },
  report: (call, run) => channel.tracePromise(run, messageOf(call)),
};

runs.reporter = reporter;
