import type { VirtualTime } from "./virtual_time_types.ts";

/** What a wait has to know of the time that is held. */
export interface CurrentTime extends Pick<VirtualTime, "now" | "timers" | "advance" | "run"> {
  readonly isMoving: boolean;
  /** Whether it moves only where real I/O is quiet. */
  readonly hasIo: boolean;
  /** Calls back at a time, which is exact: timers take whole milliseconds, and one at least. */
  at(atMs: number, callback: () => void): void;
}

let held: CurrentTime | undefined;

/** Sets the time that is held in this realm, or says that none is. */
export function setCurrentTime(time: CurrentTime | undefined): void {
  held = time;
}

/** The time that is held in this realm; `undefined` while it is real. */
export function currentTime(): CurrentTime | undefined {
  return held;
}
