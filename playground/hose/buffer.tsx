import { bufferNames } from "../words/describe_hose.ts";
import { formatCount } from "../words/format.ts";
import { type BufferView, isShut } from "./hose_view.ts";

/** How a buffer is drawn. */
export interface BufferOptions {
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
