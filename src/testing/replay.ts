import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import { currentTime } from "./current_time.ts";
import { readRecording } from "./read_recording.ts";
import { type ReplayedEnds, ReplayedRun } from "./replayed_run.ts";
import { virtualTime } from "./virtual_time.ts";

/** Options of `replay`. */
export interface ReplayOptions {
  /** Makes a chunk of what `encode` of `record` made of it. Default: none, and a chunk that needs it fails. */
  // deno-lint-ignore no-explicit-any -- whatever `encode` gave
  readonly decode?: ((value: any) => unknown) | undefined;
  /** Whether the pipeline waits for real I/O, as in `run` of a virtual time. Default: `false`. */
  readonly io?: boolean | undefined;
  /** How many timers may fire beside those of the recording before it fails. A positive integer. Default: 10000. */
  readonly maxTimers?: number | undefined;
}

const action = "replay";

/**
 * Runs a pipeline between ends that do what was recorded, at the same points of time, under virtual time.
 *
 * What is asked for before its time waits until then; what is asked for later is answered at once, and in the recorded
 * order. A write without an answer in the recording never settles, unless the run was stopped. Failures come as an
 * `Error` with the text that was recorded.
 *
 * @typeParam R What the run gives.
 * @param recording What `record` made.
 * @param run Runs a pipeline between the ends that it is given.
 * @param options `decode`: makes a chunk of what `encode` made of it; `io`: whether it waits for real I/O (default:
 * `false`); `maxTimers`: how many timers may fire beside those of the recording (default: 10000).
 * @returns What the run gives; it rejects as the run does.
 * @throws {TypeError} If an option is unknown or of the wrong type, or a chunk was not recorded or needs `decode`.
 * @throws {SyntaxError} If the recording is none, or has lost events.
 * @throws {Error} If the run hangs, with what `pendingRuns` lists.
 *
 * @example The same chunks, written at the same times
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { record, replay } from "@hosepipe/streams/testing";
 * import assert from "node:assert/strict";
 *
 * const { recording } = await record(({ source, sink }) =>
 *   pipeline(source(["a", "b"]), sink(() => new Promise((resolve) => setTimeout(resolve, 5))))
 * );
 * const written = await replay(recording, async ({ source, sink, written }) => {
 *   await pipeline(source, map((text: string) => text.toUpperCase()), sink);
 *   return written;
 * });
 * assert.deepEqual(written, ["A", "B"]);
 * ```
 */
export async function replay<R>(
  recording: string,
  run: (ends: ReplayedEnds) => R | PromiseLike<R>,
  options: ReplayOptions = {},
): Promise<Awaited<R>> {
  if (typeof recording !== "string") throwTypeError(action, "recording", "a string", recording);
  checkFunction(action, "run", run);
  checkOptions(action, options, ["decode", "io", "maxTimers"]);
  const { decode, io = false, maxTimers = 10_000 } = options;
  if (decode !== undefined) checkFunction(action, "decode", decode);
  if (typeof io !== "boolean") throwTypeError(action, "io", "a boolean", io);
  checkInteger(action, "maxTimers", maxTimers, 1);
  const events = readRecording(recording);
  const own = currentTime() === undefined ? virtualTime() : undefined;
  const time = currentTime()!;
  try {
    const ends = new ReplayedRun(events, decode, time);
    const result = new Promise<R>((resolve) => resolve(run(ends)));
    return await time.run(result, { io, maxTimers: maxTimers + events.length });
  } finally {
    own?.restore();
  }
}
