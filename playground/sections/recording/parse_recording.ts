import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { marksOf } from "../../hose/marks_of.ts";
import type { BufferKind, Marks } from "../../hose/hose_view.ts";
import type { SeenStage } from "../../hose/stage_counts.ts";

/** What a file of `probe.toJsonLines()` holds. */
export interface Recording {
  readonly name: string;
  /** In the order of the pipeline. */
  readonly stages: readonly SeenStage[];
  readonly dropped: number;
  readonly summary: string;
  readonly marks: Marks;
  readonly events: readonly ProbeEvent[];
}

interface HeaderStage {
  readonly name: string;
  readonly kind: "reader" | "transformer" | "writer";
  readonly inHighWaterMark?: number | "Infinity";
  readonly outHighWaterMark?: number | "Infinity";
}

interface Header {
  readonly format: string;
  readonly version: number;
  readonly name?: string;
  readonly dropped?: number;
  readonly summary?: string;
  readonly stages?: readonly HeaderStage[];
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line, (_key, value) => value === "Infinity" ? Infinity : value);
  } catch {
    throw new Error(`Cannot read the recording: line ${number} is no JSON`);
  }
}

function isEvent(value: unknown): value is ProbeEvent {
  const { seq, timeMs, stage, event, occupancy } = (value ?? {}) as Partial<ProbeEvent>;
  return typeof seq === "number" && typeof timeMs === "number" && typeof stage === "string" &&
    typeof event === "string" && typeof occupancy?.written === "number";
}

/** The buffers of the stages; a queue that holds nothing is still one. */
function buffersOf(stages: readonly HeaderStage[]) {
  return stages.flatMap(({ kind, inHighWaterMark, outHighWaterMark }) => {
    const before = kind === "writer" ? "writerIn" : "transformerIn";
    const after = kind === "reader" ? "readerOut" : "transformerOut";
    const toMark = (mark: number | "Infinity" | undefined) => mark === "Infinity" ? Infinity : mark;
    const incoming = { kind: before as BufferKind, highWaterMark: toMark(inHighWaterMark) };
    const outgoing = { kind: after as BufferKind, highWaterMark: toMark(outHighWaterMark) };
    return kind === "reader" ? [outgoing] : kind === "writer" ? [incoming] : [incoming, outgoing];
  });
}

/**
 * Reads what `probe.toJsonLines()` made.
 *
 * @throws {Error} If it is something else, with the line that is wrong.
 */
export function parseRecording(text: string): Recording {
  const lines = text.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => line !== "");
  if (first < 0) throw new Error("Cannot read the recording: the file is empty");
  const header = parseLine(lines[first]!, first + 1) as Header | null;
  if (header?.format !== "hosepipe-probe") {
    throw new Error('Cannot read the recording: its first line is no header of "hosepipe-probe"');
  }
  if (header.version !== 1) {
    throw new Error(`Cannot read the recording: its version is ${header.version}, known is 1`);
  }
  const events: ProbeEvent[] = [];
  for (let index = first + 1; index < lines.length; index++) {
    if (lines[index] === "") continue;
    const event = parseLine(lines[index]!, index + 1);
    if (!isEvent(event)) {
      throw new Error(`Cannot read the recording: line ${index + 1} is no event`);
    }
    events.push(event);
  }
  const { name = "pipeline", dropped = 0, summary = "", stages = [] } = header;
  const marks = marksOf(buffersOf(stages));
  return {
    name,
    dropped,
    summary,
    events,
    marks,
    stages: stages.map(({ name, kind }) => ({ name, kind })),
  };
}
