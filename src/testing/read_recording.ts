import type { RecordingHeader } from "../inspect/recording.ts";
import type { ProbeEvent } from "../inspect/types.ts";
import type { RecordedChunk } from "./recorded_chunk.ts";

/** An event of a recording, with its chunk if it is a read. */
export type RecordedEvent = Pick<ProbeEvent, "seq" | "timeMs" | "event" | "id" | "reason"> & {
  readonly kind: string;
  readonly chunk?: RecordedChunk;
};

const fail = (why: string): never => {
  throw new SyntaxError(`Cannot replay: ${why}`);
};

function parseLine(line: string, place: number): Record<string, unknown> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return fail(`line ${place} is no JSON`);
  }
}

/** Reads the events at the ends of a recording; throws if it is none that can be replayed. */
export function readRecording(text: string): RecordedEvent[] {
  const [first = "", ...lines] = text.trim().split("\n");
  const header = parseLine(first, 1) as unknown as RecordingHeader;
  if (header.format !== "hosepipe-probe") fail('the first line is no header of "hosepipe-probe"');
  if (header.version !== 1) fail(`the version is ${header.version}, known is 1`);
  if (header.dropped > 0) {
    fail(`the first ${header.dropped} events are not there; record with more capacity`);
  }
  const kinds = new Map(header.stages.map(({ name, kind }) => [name, kind]));
  return lines.map((line, index) => {
    const event = parseLine(line, index + 2);
    const { seq, timeMs, stage, event: name, chunk } = event;
    if (typeof seq !== "number" || typeof timeMs !== "number" || typeof name !== "string") {
      fail(`line ${index + 2} is no event`);
    }
    const kind = kinds.get(stage as string) ?? fail(`line ${index + 2} has no stage of the header`);
    if (name === "read" && chunk === undefined) {
      fail(`line ${index + 2} has no chunk; only what record() made can be replayed`);
    }
    return { ...event, kind } as unknown as RecordedEvent;
  });
}
