import { checkFunction, checkInteger, checkOptions } from "../errors.ts";
import { Recorder } from "./recorder.ts";
import type { ProbeAnswer, ProbeEvent } from "./types.ts";

/** How a probe looks. */
export interface RecorderOptions {
  /** How many events are kept, the last ones; 0 keeps the counters alone. Default: 10,000. */
  capacity?: number;
  /** Names a chunk in events. Default: which of the stage's chunks it is, counted from 1. */
  // deno-lint-ignore no-explicit-any -- a probe sees chunks of every stage
  identify?: (chunk: any) => string;
  /** Called with each event as it happens. Default: nobody is. */
  onEvent?: (event: ProbeEvent) => void;
  /** Called when a chunk has been put in a queue, with what its stage learned by that. Default: nobody is. */
  onAnswer?: (answer: ProbeAnswer) => void;
  /** A clock, in milliseconds, that is read for each event. Default: `performance.now`, read when it matters. */
  now?: () => number;
}

/** Checks a probe's options, and makes its recorder. */
export function createRecorder(options: RecorderOptions): Recorder {
  const action = "create probe";
  checkOptions(action, options, ["capacity", "identify", "onEvent", "onAnswer", "now"]);
  const { capacity = 10_000, identify, onEvent, onAnswer, now } = options;
  checkInteger(action, "capacity", capacity, 0);
  for (const [name, value] of Object.entries({ identify, onEvent, onAnswer, now })) {
    if (value !== undefined) checkFunction(action, name, value);
  }
  return new Recorder({ capacity, identify, onEvent, onAnswer, now });
}
