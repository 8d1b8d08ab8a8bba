/// <reference lib="dom" />
import { type Signal, signal } from "@preact/signals";
import type { GateClock } from "./gate_clock.ts";

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
    const play = ++this.#play;
    if (prefersLessMotion()) this.#stepAlong(play);
    else this.#moveAlong(play, performance.now());
  }

  pause(): void {
    this.isPlaying.value = false;
  }

  /** Releases the next call, and pauses. */
  async step(): Promise<boolean> {
    this.pause();
    const hasMoved = await this.#clock().step();
    this.moves.value++;
    return hasMoved;
  }

  /** Releases calls until `isDone` says so, at once. */
  async finish(isDone: () => boolean): Promise<void> {
    this.pause();
    await this.#clock().advanceUntil(isDone);
    this.moves.value++;
  }

  #isPlay(play: number): boolean {
    return this.isPlaying.value && play === this.#play;
  }

  #moveAlong(play: number, lastMs: number): void {
    requestAnimationFrame(async (nowMs) => {
      if (!this.#isPlay(play)) return;
      const elapsedMs = Math.min(Math.max(0, nowMs - lastMs), longestFrameMs);
      if (this.isSeen && elapsedMs > 0) {
        await this.#clock().advance(elapsedMs * this.speed.value);
        this.moves.value++;
      }
      this.#moveAlong(play, nowMs);
    });
  }

  /** One call after the other, each left standing for a second. */
  #stepAlong(play: number): void {
    setTimeout(async () => {
      if (!this.#isPlay(play)) return;
      if (this.isSeen) {
        await this.#clock().step();
        this.moves.value++;
      }
      this.#stepAlong(play);
    }, 1000 / this.speed.value);
  }
}
