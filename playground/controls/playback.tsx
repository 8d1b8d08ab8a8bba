/// <reference lib="dom" />
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { type Player, prefersLessMotion } from "../gated/player.ts";
import { keptEvents } from "../gated/rewind.ts";
import { Scrubber } from "./scrubber.tsx";
import type { Recorded } from "../gated/recorded.ts";

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
      <div class="buttons">
        <button type="button" class="primary" data-do="play" onClick={toggle}>
          {isPlaying ? "Pause" : "Play"}
        </button>
        <button type="button" data-do="step" onClick={step}>Step</button>
        <button type="button" data-do="restart" onClick={onRestart}>Restart</button>
        <Speed player={player} />
        {children}
      </div>
      {recorded !== undefined && (
        <Scrubber
          rewind={recorded}
          kept={Math.min(recorded.count, keptEvents)}
          count={recorded.count}
          present="now"
          onMove={() => player.pause()}
          save={() => recorded.look.toJsonLines()}
        />
      )}
      {prefersLessMotion() && (
        <p class="hint">
          Your system asks for less motion: nothing moves by itself. Step releases one call; Play
          releases one each second.
        </p>
      )}
    </div>
  );
}
