import { bufferNames, describeHose, formatCount } from "../words/format.ts";
import { type BufferView, type HoseView, isShut } from "./hose_view.ts";

/** How a stage is drawn. */
interface StageOptions {
  readonly name: "reader" | "transformer" | "writer";
  /** What it is called, where there may be several. Default: its name. */
  readonly title?: string;
  /** What the standard calls it. */
  readonly about: string;
  /** What it is doing. */
  readonly doing: string;
  /** Whether it works, waits, or may not. */
  readonly state: "busy" | "idle" | "paused";
  /** How far it is with its call, from 0 to 1. */
  readonly progress?: number;
}

/** A stage of a pipeline, and what it is doing. */
export function Stage({ name, title = name, about, doing, state, progress }: StageOptions) {
  return (
    <div class={`stage ${state}`} data-stage={name} data-state={state}>
      <div class="name" title={title}>{title}</div>
      <div class="about">{about}</div>
      <div class="doing">{doing}</div>
      <div class="progress">
        <i style={`width:${state === "busy" ? Math.round(100 * (progress ?? 1)) : 0}%`} />
      </div>
    </div>
  );
}

/** How a buffer is drawn. */
interface BufferOptions {
  readonly buffer: BufferView;
  /** Whether chunks carry their numbers. */
  readonly isNumbered: boolean;
  /** How many slots there is room for. */
  readonly slots?: number;
  /** What it is called. Default: by its kind. */
  readonly name?: string;
}

type SlotState = "free" | "waiting" | "hand" | "over";

function slotState(
  { waiting, inHand, mark = Infinity, used }: BufferView,
  place: number,
): SlotState {
  if (place >= waiting + inHand) return "free";
  if (place < inHand) return "hand";
  return place < mark || used !== undefined ? "waiting" : "over";
}

/** The slots of a buffer, the oldest chunk first, which stands at the right: there chunks leave. */
function Slots({ buffer, isNumbered, slots = 16 }: BufferOptions) {
  const { mark, waiting, inHand, first, used } = buffer;
  const count = waiting + inHand;
  // Where sizes count, no slot is the last one.
  const known = used !== undefined || mark === undefined || mark === Infinity ? 0 : mark;
  const drawn = Math.min(Math.max(known, count), Math.max(slots, known));
  const places = Array.from({ length: drawn }, (_, place) => {
    const state = slotState(buffer, place);
    const isLast = place === known - 1;
    return (
      <span key={place} class={`slot ${state}${isLast ? " last" : ""}`}>
        {isNumbered && state !== "free" ? first + place : ""}
      </span>
    );
  });
  return (
    <div class={`slots${mark === 0 ? " none" : ""}`}>
      {places}
      {count > drawn && <span class="more">+{formatCount(count - drawn)}</span>}
    </div>
  );
}

/** A buffer of more slots than can be drawn: how full it is. */
function Level({ buffer }: BufferOptions) {
  const { mark = 1, waiting, inHand } = buffer;
  const share = (waiting + inHand) / mark;
  const width = Math.min(1, share / Math.max(1, share));
  return (
    <div class="level">
      <i class={share > 1 ? "over" : ""} style={`width:${100 * Math.min(width, share)}%`} />
    </div>
  );
}

/** A buffer with the valve before it, its slots, its mark and its room. */
export function Buffer(options: BufferOptions) {
  const { buffer, slots = 16, name = bufferNames[buffer.kind] } = options;
  const { kind, mark, waiting, inHand, desiredSize, used } = buffer;
  const shut = isShut(buffer);
  const isLevel = mark !== undefined && mark !== Infinity && mark > slots;
  return (
    <div
      class={`buffer${shut ? " shut" : ""}`}
      data-buffer={kind}
      data-waiting={waiting}
      data-in-hand={inHand}
      data-desired-size={desiredSize}
    >
      <div class="tube">
        <i class="valve" title={shut ? "shut: no room" : "open"} />
        {isLevel ? <Level {...options} /> : <Slots {...options} />}
      </div>
      <div class="name">{name}</div>
      <div class="figures">
        <b>{formatCount(used ?? waiting + inHand)}</b>
        {mark !== undefined && ` of ${mark === Infinity ? "∞" : formatCount(mark)}`}
      </div>
      {desiredSize !== undefined && (
        <div class="desired">
          desiredSize <b>{desiredSize === Infinity ? "∞" : formatCount(desiredSize)}</b>
        </div>
      )}
    </div>
  );
}

/** Figures by their names; `data` is what tests read. */
interface FiguresOptions {
  readonly figures: readonly {
    readonly name: string;
    readonly text: string;
    readonly data?: Readonly<Record<`data-${string}`, string | number>>;
    readonly isOver?: boolean;
  }[];
}

/** Figures in a row. */
export function Figures({ figures }: FiguresOptions) {
  return (
    <dl class="counters row">
      {figures.map(({ name, text, data, isOver }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={isOver ? "over" : ""} {...data}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How far the stages are with their calls, from 0 to 1; `undefined` where there is no call. */
export interface Progress {
  readonly reader?: number;
  readonly transformer?: number;
  readonly writer?: number;
}

/** How a pipeline is drawn. */
export interface HoseOptions {
  readonly view: HoseView;
  /** Of the present only: a recording does not say how far a call was. */
  readonly progress?: Progress;
  readonly isNumbered?: boolean;
  /** Whether there is a transformer; default: if one has a mark. */
  readonly hasTransformer?: boolean;
  /** Whether the source has no more. */
  readonly hasEnded?: boolean;
  /** How many slots of a buffer there is room for. */
  readonly slots?: number;
}

function ReaderStage({ view, progress, isNumbered, hasEnded }: HoseOptions) {
  const isPaused = isShut(view.buffers[0]!);
  const isReading = progress?.reader !== undefined;
  return (
    <Stage
      name="reader"
      about="source"
      state={isReading ? "busy" : isPaused && !hasEnded ? "paused" : "idle"}
      doing={hasEnded
        ? "has no more"
        : isReading
        ? `reads ${isNumbered ? view.read + 1 : ""}`
        : isPaused
        ? "paused"
        : progress === undefined
        ? "may read"
        : "waits"}
      progress={progress?.reader}
    />
  );
}

function WriterStage({ view, progress, isNumbered }: HoseOptions) {
  const { writing, written } = view;
  return (
    <Stage
      name="writer"
      about="sink"
      state={writing > 0 ? "busy" : "idle"}
      doing={writing === 0
        ? "waits"
        : writing > 1
        ? `${writing} writes`
        : isNumbered
        ? `writes ${written + 1}`
        : "writes"}
      progress={progress?.writer}
    />
  );
}

/** The whole pipeline: its stages, and between them its buffers. */
export function Hose(options: HoseOptions) {
  const { view, isNumbered = true, progress, slots } = options;
  const { buffers, read, transforming, transformed, written, inside } = view;
  const shown = buffers.filter(({ mark, waiting, inHand }) =>
    mark !== undefined || waiting + inHand > 0
  );
  const draw = (from: string) =>
    shown.filter(({ kind }) => kind.startsWith(from)).map((buffer) => (
      <Buffer key={buffer.kind} {...{ buffer, isNumbered, slots }} />
    ));
  const hasTransformer = options.hasTransformer ??
    shown.some(({ kind }) => kind.startsWith("transformer"));
  return (
    <div class="frame">
      <div
        class={`hose card${hasTransformer ? "" : " short"}`}
        role="img"
        aria-label={describeHose(view)}
      >
        <ReaderStage {...options} isNumbered={isNumbered} />
        {draw("reader")}
        {hasTransformer && draw("transformerIn")}
        {hasTransformer && (
          <Stage
            name="transformer"
            about="transform()"
            state={transforming > 0 ? "busy" : "idle"}
            doing={transforming > 0
              ? isNumbered ? `works on ${transformed + 1}` : "works"
              : isShut(buffers[2]!)
              ? "waits for room"
              : "waits"}
            progress={progress?.transformer}
          />
        )}
        {hasTransformer && draw("transformerOut")}
        {draw("writer")}
        <WriterStage {...options} isNumbered={isNumbered} />
      </div>
      <Figures
        figures={Object.entries({ read, ...hasTransformer && { transformed }, written, inside })
          .map(([name, count]) => ({
            name,
            text: formatCount(count),
            data: { "data-count": name },
          }))}
      />
    </div>
  );
}
