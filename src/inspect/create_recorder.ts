import { callback, integer, readOptions, text } from "../read_options.ts";
import { Recorder } from "./recorder.ts";
import type { ProbeAnswer, ProbeEvent } from "./types.ts";

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
