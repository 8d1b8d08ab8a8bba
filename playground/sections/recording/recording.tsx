/// <reference lib="dom" />
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Replay } from "../../controls/replay.tsx";
import { Section } from "../../controls/section.tsx";
import { Kept } from "../../gated/kept.ts";
import { formatCount } from "../../words/format.ts";
import { parseRecording, type Recording } from "./parse_recording.ts";

const recording: Signal<{ recording: Recording; kept: Kept } | undefined> = signal();
const failure: Signal<string> = signal("");
const isOver: Signal<boolean> = signal(false);

async function open(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  failure.value = "";
  try {
    const opened = parseRecording(await file.text());
    recording.value = { recording: opened, kept: new Kept(opened.events) };
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

function Opened({ recording, kept }: { readonly recording: Recording; readonly kept: Kept }) {
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
