/// <reference lib="dom" />
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import {
  keptEvents,
  type Player,
  prefersLessMotion,
  type Recorded,
  type Rewind,
} from "../gated/player.ts";
import type { Signal } from "@preact/signals";
import { describeEvent, describeHose, formatCount, formatSeconds } from "../words/format.ts";
import { Buffer, Hose, Stage } from "../hose/hose.tsx";
import {
  bufferKinds,
  type BufferView,
  type CountedStage,
  countStages,
  hoseView,
  type Marks,
  type SeenStage,
} from "../hose/hose_view.ts";
import type { SeenEvent } from "../worker/messages.ts";
import { EventLog } from "./section.tsx";

/** A buffer, and whose it is. */
interface ChainBuffer extends BufferView {
  readonly stage: string;
}

/** How a pipeline of any number of stages is drawn. */
interface StageChainOptions {
  readonly stages: readonly CountedStage[];
  /** Those that have something to show. */
  readonly buffers: readonly ChainBuffer[];
}

const did = { reader: "gave", transformer: "took", writer: "wrote" } as const;
const about = { reader: "source", transformer: "stage", writer: "sink" } as const;

/** A chain in words. */
function describeChain(stages: readonly CountedStage[]): string {
  return stages.map(({ name, kind, count }) => `${name} ${did[kind]} ${formatCount(count)}`)
    .join(", ") + ".";
}

/** Each stage in a box of its own, and between them the buffers that there are. */
function StageChain({ stages, buffers }: StageChainOptions) {
  const draw = (stage: string, side: "In" | "Out") =>
    buffers.filter((buffer) => buffer.stage === stage && buffer.kind.endsWith(side)).map(
      (buffer) => (
        <Buffer
          key={buffer.kind}
          buffer={buffer}
          isNumbered={false}
          slots={8}
          name={side.toLowerCase()}
        />
      ),
    );
  return (
    <div class="frame">
      <div class="chain card row" role="img" aria-label={describeChain(stages)}>
        {stages.map(({ name, kind, count, isOver }) => (
          <>
            {draw(name, "In")}
            <div key={name} data-counted={name} data-of={count}>
              <Stage
                name={kind}
                title={name}
                about={about[kind]}
                state={isOver ? "idle" : "busy"}
                doing={`${did[kind]} ${formatCount(count)}`}
              />
            </div>
            {draw(name, "Out")}
          </>
        ))}
      </div>
    </div>
  );
}

/** What was recorded of a pipeline. */
interface ReplayOptions {
  readonly kept: Rewind;
  /** In the order of the pipeline. */
  readonly stages: readonly SeenStage[];
  readonly marks: Marks;
  /** Whether there are buffers between the stages. Default: true. */
  readonly hasBuffers?: boolean;
  /** What the last place of the slider is called. */
  readonly present: string;
}

const nothing = {
  ...{ readerOut: 0, transformerIn: 0, transforming: 0, transformerOut: 0 },
  ...{ writerIn: 0, writing: 0, written: 0 },
};

/** The buffers of each stage; where only their sums are known, those stand around all transformers. */
function buffersAt(
  event: SeenEvent | undefined,
  stages: readonly SeenStage[],
  marks: Marks,
): ChainBuffer[] {
  if (event?.places !== undefined) {
    return event.places.map(({ highWaterMark: mark, ...place }) => ({
      ...place,
      mark,
      desiredSize: mark === undefined ? undefined : mark - place.waiting - place.inHand,
      first: 0,
    }));
  }
  const transformers = stages.filter(({ kind }) => kind === "transformer");
  const owners = {
    readerOut: stages.find(({ kind }) => kind === "reader"),
    transformerIn: transformers[0],
    transformerOut: transformers.at(-1),
    writerIn: stages.find(({ kind }) => kind === "writer"),
  };
  const { buffers } = hoseView(event?.occupancy ?? nothing, marks);
  return bufferKinds.flatMap((kind, index) => {
    const owner = owners[kind];
    return owner === undefined ? [] : [{ ...buffers[index]!, stage: owner.name }];
  });
}

/** A recording: its picture at any of its events. */
export function Replay({ kept, stages, marks, hasBuffers = true, present }: ReplayOptions) {
  const past = kept.past.value;
  const events = kept.events();
  const event = kept.shown.value ?? events.at(-1);
  const until = past === undefined ? events : past.events.slice(0, past.index + 1);
  const hasEnded = until.some(({ event }) => event === "end");
  const counted = countStages(stages, until);
  const countOf = (kind: SeenStage["kind"]) => counted.find((stage) => stage.kind === kind)?.count;
  const [read, written] = [countOf("reader"), countOf("writer")];
  const isHose = hasBuffers && read !== undefined && written !== undefined &&
    stages.filter(({ kind }) => kind === "transformer").length < 2;
  const hasTransformer = stages.some(({ kind }) => kind === "transformer");
  const sums = hoseView(event?.occupancy ?? nothing, marks);
  const transformed = (countOf("transformer") ?? NaN) - sums.transforming;
  const view = {
    ...sums,
    read: read ?? sums.read,
    transformed: Number.isNaN(transformed) ? sums.transformed : transformed,
  };
  return (
    <>
      {isHose
        ? <Hose view={view} isNumbered={false} {...{ hasEnded, hasTransformer }} />
        : (
          <StageChain
            stages={counted}
            buffers={hasBuffers ? buffersAt(event, stages, marks) : []}
          />
        )}
      <p class="hidden" aria-live="polite">
        {past === undefined ? "" : isHose ? describeHose(view) : describeChain(counted)}
      </p>
      <Rewinder rewind={kept} present={present} />
      <EventLog
        events={until}
        isRead={past !== undefined}
      />
    </>
  );
}

/** Hands a text to the reader as a file. */
function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A way back through what happened. */
interface ScrubberOptions {
  /** The place that is shown, of so many; the last one is the present. */
  readonly place: number;
  readonly count: number;
  /** What is shown, in words. */
  readonly text: string;
  /** What tests read. */
  readonly shown?: number | "now" | undefined;
  readonly goTo: (place: number) => void;
  readonly children?: ComponentChildren;
}

/** Goes back, one by one or by the slider. */
function Scrubber({ place, count, text, shown, goTo, children }: ScrubberOptions) {
  const id = useId();
  const stepTo = (next: number, label: string, sign: string) => (
    <button
      type="button"
      aria-label={label}
      disabled={next < 0 || next > count}
      onClick={() => goTo(next)}
    >
      {sign}
    </button>
  );
  return (
    <div class="scrubber row">
      <label for={id}>go back</label>
      {stepTo(place - 1, "One event back", "‹")}
      <input
        id={id}
        type="range"
        min={0}
        max={count}
        value={place}
        aria-valuetext={text}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      {stepTo(place + 1, "One event on", "›")}
      <output for={id} data-shown={shown}>{text}</output>
      {children}
    </div>
  );
}

/** Whose past can be gone back to. */
interface RewinderOptions {
  readonly rewind: Rewind;
  /** What the last place is called: there the present is shown. */
  readonly present: string;
  /** Called before the reader goes to a place. */
  readonly onMove?: () => void;
  readonly children?: ComponentChildren;
}

/** Goes back through the events that are kept. */
function Rewinder({ rewind, present, onMove, children }: RewinderOptions) {
  const past = rewind.past.value;
  const count = past?.events.length ?? Math.min(rewind.count, keptEvents);
  const event = past?.events[past.index];
  const goTo = (place: number) => {
    onMove?.();
    if (place >= count) rewind.goOn();
    else rewind.goBack(place);
  };
  return (
    <Scrubber
      place={past?.index ?? count}
      text={event === undefined
        ? `${present}, ${formatCount(rewind.count)} events`
        : describeEvent(event)}
      shown={event?.seq ?? "now"}
      {...{ count, goTo, children }}
    />
  );
}

/** A run of which any time can be gone back to. */
interface TimedPlaybackOptions {
  readonly player: Player;
  /** The times of what happened, in order, as far as it has. */
  readonly times: readonly number[];
  /** The time that is shown; `undefined` for the present. */
  readonly shownMs: Signal<number | undefined>;
  readonly onRestart: () => void;
  /** Moves on to the end at once. */
  readonly onFinish: () => void;
}

/** Play, step, to the end, and back to the time of any event. */
export function TimedPlayback(
  { player, times, shownMs, onRestart, onFinish }: TimedPlaybackOptions,
) {
  const { value } = shownMs;
  const count = times.length;
  const place = value === undefined ? count : times.findLastIndex((timeMs) => timeMs <= value);
  return (
    <>
      <Playback player={player} onRestart={onRestart}>
        <button type="button" data-do="finish" onClick={onFinish}>To the end</button>
      </Playback>
      <Scrubber
        place={Math.max(0, place)}
        count={count}
        text={value === undefined ? "now" : formatSeconds(value)}
        goTo={(next) => {
          player.pause();
          shownMs.value = times[next];
        }}
      />
    </>
  );
}

const speeds = [0.25, 0.5, 1, 2, 4, 16];

/** What the reader may do with time. */
export interface PlaybackOptions {
  readonly player: Player;
  /** What can be gone back to; without it there is no way back. */
  readonly recorded?: Recorded;
  /** Called before the reader goes on or takes a step. Default: `recorded` returns to the present. */
  readonly onGoOn?: () => void;
  readonly onRestart: () => void;
  /** More controls. */
  readonly children?: ComponentChildren;
}

function Speed({ player }: { readonly player: Player }) {
  const id = useId();
  return (
    <span class="speed">
      <label for={id}>speed</label>
      <select
        id={id}
        value={player.speed.value}
        onChange={(event) => player.speed.value = Number(event.currentTarget.value)}
      >
        {speeds.map((speed) => <option key={speed} value={speed}>{speed}×</option>)}
      </select>
    </span>
  );
}

/** Play, pause, step, speed, from the start; and the way back. */
export function Playback(options: PlaybackOptions) {
  const { player, recorded, onRestart, children } = options;
  const { onGoOn = () => recorded?.goOn() } = options;
  // Drawn again at each move.
  void player.moves.value;
  const isPlaying = player.isPlaying.value;
  const toggle = () => {
    onGoOn();
    if (isPlaying) player.pause();
    else player.play();
  };
  const step = () => {
    onGoOn();
    void player.step();
  };
  return (
    <div class="playback" data-settled={String(player.isSettled.value)}>
      <div class="row">
        <button type="button" class="primary" data-do="play" onClick={toggle}>
          {isPlaying ? "Pause" : "Play"}
        </button>
        <button type="button" data-do="step" onClick={step}>Step</button>
        <button type="button" data-do="restart" onClick={onRestart}>Restart</button>
        <Speed player={player} />
        {children}
      </div>
      {recorded !== undefined && (
        <Rewinder
          rewind={recorded}
          present="now"
          onMove={() => player.pause()}
        >
          <button
            type="button"
            class="quiet"
            data-do="save"
            onClick={() => saveText("pipeline.jsonl", recorded.look.toJsonLines())}
          >
            Save the recording
          </button>
        </Rewinder>
      )}
      {prefersLessMotion() && (
        <p class="aside">
          Your system asks for less motion: nothing moves by itself. Step releases one call; Play
          releases one each second.
        </p>
      )}
    </div>
  );
}
