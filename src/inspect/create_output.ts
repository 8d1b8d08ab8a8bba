import { throwTypeError } from "../errors.ts";
import { asyncDispose } from "../async_dispose.ts";
import { findBottleneck } from "./bottleneck.ts";
import { toChromeTrace } from "./chrome_trace.ts";
import { toRecording } from "./recording.ts";
import type { ProbeOutput } from "./probe_output.ts";
import type { Recorder } from "./recorder.ts";
import type { ProbeBuffer, ProbeEvent } from "./types.ts";
import type { StageRecord } from "./stage_record.ts";

/** The buffer before a stage; what the stage has in hand still holds its place there. */
function describeIn(stage: StageRecord): ProbeBuffer {
  const { name, kind, in: count, inTotal: size, inHighWaterMark: highWaterMark } = stage;
  // A function may have more in hand than there are places, and how large what is in hand is, is not remembered.
  const isKnown = highWaterMark !== undefined && count !== undefined && !stage.isWriteOnly &&
    stage.inSize === undefined;
  return {
    stage: name,
    kind: kind === "writer" ? "writerIn" : "transformerIn",
    count,
    size,
    highWaterMark,
    desiredSize: isKnown ? highWaterMark - count - stage.inHand : undefined,
  };
}

/** The buffer after a stage. */
function describeOut(stage: StageRecord): ProbeBuffer {
  const { name, kind, out: count, outTotal: size } = stage;
  const highWaterMark = stage.gauge.highWaterMark ?? stage.outHighWaterMark;
  return {
    stage: name,
    kind: kind === "reader" ? "readerOut" : "transformerOut",
    count,
    size,
    highWaterMark,
    desiredSize: highWaterMark === undefined ? undefined : highWaterMark - size,
  };
}

/** Every buffer, one by one, in the order of the pipeline. */
export function listBuffers(stages: readonly StageRecord[]): ProbeBuffer[] {
  return stages.flatMap((stage) => [
    ...(stage.kind === "reader" ? [] : [describeIn(stage)]),
    ...(stage.kind === "writer" ? [] : [describeOut(stage)]),
  ]);
}

/** A reader that is slower than the ring forgets misses events, rather than holding them all. */
async function* follow(recorder: Recorder): AsyncGenerator<ProbeEvent, void, undefined> {
  let index = recorder.dropped;
  while (true) {
    index = Math.max(index, recorder.dropped);
    const event = recorder.eventAt(index);
    if (event !== undefined) {
      index++;
      yield event;
    } else if (recorder.isOver || recorder.isClosed) return;
    else await recorder.wait();
  }
}

const recorders = new WeakMap<object, Recorder>();

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

/** A probe: what wraps its parts, with what its recorder has to show. */
export function createOutput<Wrappers>(
  recorder: Recorder,
  wrappers: Wrappers,
): Wrappers & ProbeOutput {
  const probe: Wrappers & ProbeOutput = {
    ...wrappers,
    name: recorder.name,
    occupancy: () => recorder.occupancy(),
    buffers: () => listBuffers(recorder.stages),
    bottleneck: () => findBottleneck(recorder),
    events: () => recorder.events(),
    dropped: () => recorder.count - recorder.events().length,
    toJsonLines: () => toRecording(recorder),
    toChromeTrace: () => toChromeTrace(recorder),
    [Symbol.asyncIterator]: () => follow(recorder),
    [asyncDispose]: () => Promise.resolve(recorder.close()),
  };
  recorders.set(probe, recorder);
  return probe;
}
