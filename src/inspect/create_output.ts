import { asyncDispose } from "../async_dispose.ts";
import { findBottleneck } from "./bottleneck.ts";
import { toChromeTrace } from "./chrome_trace.ts";
import { listBuffers } from "./list_buffers.ts";
import { toRecording } from "./recording.ts";
import type { ProbeOutput } from "./probe_output.ts";
import type { Recorder } from "./recorder.ts";
import type { ProbeEvent } from "./types.ts";

/** A reader that is slower than the ring forgets misses events, rather than holding them all. */
async function* follow(recorder: Recorder): AsyncGenerator<ProbeEvent, void, undefined> {
  const { ring } = recorder;
  let index = ring.dropped;
  while (true) {
    index = Math.max(index, ring.dropped);
    const event = recorder.eventAt(index);
    if (event !== undefined) {
      index++;
      yield event;
    } else if (recorder.isOver || recorder.isClosed) return;
    else await recorder.wait();
  }
}

/** What a recorder has to show, in the form of a probe's methods. */
export function createOutput(recorder: Recorder): ProbeOutput {
  return {
    name: recorder.name,
    occupancy: () => recorder.occupancy(),
    buffers: () => listBuffers(recorder.stages),
    bottleneck: () => findBottleneck(recorder),
    events: () => recorder.events(),
    dropped: () => recorder.ring.count - recorder.events().length,
    toJsonLines: () => toRecording(recorder),
    toChromeTrace: () => toChromeTrace(recorder),
    [Symbol.asyncIterator]: () => follow(recorder),
    [asyncDispose]: () => Promise.resolve(recorder.close()),
  };
}
