/// <reference lib="dom" />
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { GateClock } from "./gate_clock.ts";
import { type Probe, probe, type ProbeEvent } from "@hosepipe/streams/inspect";

/** How many events can be gone back to. */
export const keptEvents = 2000;

/** The way back through what happened. */
export class Rewind {
  /** Those that are kept. */
  readonly events: () => readonly ProbeEvent[];
  /** What is gone back to: the events as they were then, and which of them is shown. */
  readonly past: Signal<{ events: readonly ProbeEvent[]; index: number } | undefined> = signal();
  /** The event that is shown; `undefined` for the present. */
  readonly shown: ReadonlySignal<ProbeEvent | undefined> = computed(() => {
    const past = this.past.value;
    return past?.events[past.index];
  });

  constructor(events: () => readonly ProbeEvent[]) {
    this.events = events;
  }

  /** How many events there were. */
  get count(): number {
    return this.events().length;
  }

  /** Goes back to one of the events that are kept, counted from 0; the last of them is not yet the present. */
  goBack(index: number): void {
    const events = this.past.value?.events ?? this.events();
    if (events.length === 0) return;
    this.past.value = { events, index: Math.min(Math.max(0, index), events.length - 1) };
  }

  /** Returns to the present. */
  goOn(): void {
    this.past.value = undefined;
  }
}

/** How many events the log keeps at hand. */
const loggedEvents = 40;

/** What a probe sees of a run: the present, and what was, as long as it is kept. */
export class Recorded extends Rewind {
  readonly look: Probe;
  readonly #last: ProbeEvent[] = [];
  #count = 0;

  constructor(clock: GateClock) {
    super(() => this.look.events());
    this.look = probe({
      capacity: keptEvents,
      now: () => clock.now(),
      onEvent: (event) => {
        this.#count++;
        this.#last.push(event);
        if (this.#last.length > loggedEvents) this.#last.shift();
      },
    });
  }

  override get count(): number {
    return this.#count;
  }

  /** The last of them, for a log. */
  lastEvents(): readonly ProbeEvent[] {
    return [...this.#last];
  }
}

/** Whether the reader's system asks for less motion. */
export function prefersLessMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** No frame stands for more than this: after a rest the clock does not leap. */
const longestFrameMs = 100;

/** Moves a clock: by the time that goes by, by single calls, or not at all. */
export class Player {
  readonly isPlaying: Signal<boolean> = signal(false);
  /** How many milliseconds of the clock go by in one of the reader's. */
  readonly speed: Signal<number> = signal(1);
  /** Whether nothing moves, nor will by itself. */
  readonly isSettled: Signal<boolean> = signal(true);
  /** Counts the moves: what is drawn depends on it. */
  readonly moves: Signal<number> = signal(0);
  /** What is out of sight rests. */
  isSeen = true;
  /** The clock to move. */
  readonly #clock: () => GateClock;
  /** Counts the plays, so that a frame of an earlier one is known. */
  #play = 0;

  constructor(clock: () => GateClock) {
    this.#clock = clock;
  }

  play(): void {
    if (this.isPlaying.value) return;
    this.isPlaying.value = true;
    const play = this.#begin();
    if (prefersLessMotion()) this.#stepAlong(play);
    else this.#moveAlong(play, performance.now());
  }

  pause(): void {
    this.isPlaying.value = false;
  }

  /** Releases the next call, and pauses. */
  async step(): Promise<void> {
    this.pause();
    const play = this.#begin();
    await this.#clock().step();
    this.#end(play);
  }

  /** Releases calls until `isDone` says so, at once, and goes on to a time if one is given. */
  async finish(isDone: () => boolean, untilMs = 0): Promise<void> {
    this.pause();
    const play = this.#begin();
    const clock = this.#clock();
    await clock.advanceUntil(isDone);
    await clock.advance(Math.max(0, untilMs - clock.now()));
    this.#end(play);
  }

  /** What was begun before ends. */
  #begin(): number {
    this.isSettled.value = false;
    return ++this.#play;
  }

  #end(play: number): void {
    this.moves.value++;
    if (play === this.#play) this.isSettled.value = true;
  }

  #isPlay(play: number): boolean {
    return this.isPlaying.value && play === this.#play;
  }

  #moveAlong(play: number, lastMs: number): void {
    requestAnimationFrame(async (nowMs) => {
      if (!this.#isPlay(play)) return this.#end(play);
      const elapsedMs = Math.min(Math.max(0, nowMs - lastMs), longestFrameMs);
      if (this.isSeen && elapsedMs > 0) {
        await this.#clock().advance(elapsedMs * this.speed.value, () => this.#isPlay(play));
        this.moves.value++;
      }
      this.#moveAlong(play, nowMs);
    });
  }

  /** One call after the other, each left standing for a second. */
  #stepAlong(play: number): void {
    setTimeout(async () => {
      if (!this.#isPlay(play)) return this.#end(play);
      if (this.isSeen) {
        await this.#clock().step();
        this.moves.value++;
      }
      this.#stepAlong(play);
    }, 1000 / this.speed.value);
  }
}
