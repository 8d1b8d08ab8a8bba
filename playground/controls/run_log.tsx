import { EventLog } from "./event_log.tsx";
import type { Player } from "../gated/player.ts";
import type { Recorded } from "../gated/recorded.ts";

/** Whose events are shown. */
export interface RunLogOptions {
  readonly player: Player;
  readonly recorded: Recorded;
}

/** The log of a run: up to the present, or to what was gone back to. It is read out while the reader steps. */
export function RunLog({ player, recorded }: RunLogOptions) {
  void player.moves.value;
  const past = recorded.past.value;
  const events = past === undefined ? recorded.lastEvents() : past.events.slice(0, past.index + 1);
  return <EventLog events={events} isRead={!player.isPlaying.value} />;
}
