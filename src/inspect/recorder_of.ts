import { throwTypeError } from "../errors.ts";
import type { Recorder } from "./recorder.ts";

const recorders = new WeakMap<object, Recorder>();

/** Lets `recorderOf` find the recorder of a probe later; answers the probe. */
export function rememberRecorder<Probe extends object>(probe: Probe, recorder: Recorder): Probe {
  recorders.set(probe, recorder);
  return probe;
}

/**
 * The recorder behind a probe.
 *
 * @throws {TypeError} If it is none.
 */
export function recorderOf(action: string, probe: unknown): Recorder {
  const recorder = recorders.get(probe as object);
  if (recorder === undefined) throwTypeError(action, "the probe", "made by probe()", probe);
  return recorder;
}
