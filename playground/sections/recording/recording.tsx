/// <reference lib="dom" />
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Replay } from "../../controls/playback.tsx";
import { Section } from "../../controls/section.tsx";
import { Rewind } from "../../gated/player.ts";
import { formatCount } from "../../words/format.ts";
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { type BufferKind, type Marks, marksOf, type SeenStage } from "../../hose/hose_view.ts";

/** What a file of `probe.toJsonLines()` holds. */
interface Recording {
  readonly name: string;
  /** In the order of the pipeline. */
  readonly stages: readonly SeenStage[];
  readonly dropped: number;
  readonly summary: string;
  readonly marks: Marks;
  readonly events: readonly ProbeEvent[];
}

interface HeaderStage extends SeenStage {
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

function refuse(reason: string): Error {
  return new Error(`Cannot read the recording: ${reason}`);
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line, (_key, value) => value === "Infinity" ? Infinity : value);
  } catch {
    throw refuse(`line ${number} is no JSON`);
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
  if (first < 0) throw refuse("the file is empty");
  const header = parseLine(lines[first]!, first + 1) as Header | null;
  const isHeader = header?.format === "hosepipe-probe";
  if (!isHeader) throw refuse('its first line is no header of "hosepipe-probe"');
  if (header.version !== 1) throw refuse(`its version is ${header.version}, known is 1`);
  const events: ProbeEvent[] = [];
  for (let index = first + 1; index < lines.length; index++) {
    if (lines[index] === "") continue;
    const event = parseLine(lines[index]!, index + 1);
    if (!isEvent(event)) throw refuse(`line ${index + 1} is no event`);
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

const recording: Signal<{ recording: Recording; kept: Rewind } | undefined> = signal();
const failure: Signal<string> = signal("");
const isOver: Signal<boolean> = signal(false);

async function open(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  failure.value = "";
  try {
    const opened = parseRecording(await file.text());
    recording.value = { recording: opened, kept: new Rewind(() => opened.events) };
  } catch (error) {
    recording.value = undefined;
    failure.value = `${file.name}: ${(error as Error).message}`;
  }
  document.getElementById("recording")?.scrollIntoView();
}

/** Files may be dropped anywhere: the browser would leave the page for them. */
function useDrop(): void {
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      isOver.value = false;
      void open(event.dataTransfer.files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
}

function Opened({ recording, kept }: { readonly recording: Recording; readonly kept: Rewind }) {
  const { name, stages, dropped, summary, marks, events } = recording;
  return (
    <div class="opened" data-opened={name}>
      <p class="now">
        <strong>{name}</strong>: {stages.map(({ name }) => name).join(" → ")}.{" "}
        {formatCount(events.length)} events
        {dropped > 0 && `, ${formatCount(dropped)} before them are not kept`}. {summary}
      </p>
      <Replay {...{ kept, stages, marks }} present="the end" />
    </div>
  );
}

/** What was recorded elsewhere, opened here. */
export function RecordingSection() {
  useDrop();
  return (
    <Section
      id="recording"
      title="Your recording"
      about={
        <>
          Drop a file of <code>probe.toJsonLines()</code>{" "}
          anywhere on this page, from a program of your own or from a section above, and go through
          it event by event. It is read here and sent nowhere.
        </>
      }
    >
      <label class={`drop${isOver.value ? " over" : ""}`}>
        Choose a recording, or drop it here
        <input
          type="file"
          accept=".jsonl,.ndjson,.json,.txt"
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
      </label>
      <div aria-live="polite">
        {failure.value !== "" && <p class="now writer" data-failure>{failure.value}</p>}
      </div>
      {recording.value !== undefined && <Opened {...recording.value} />}
    </Section>
  );
}
