import { clearTimeout, setTimeout } from "node:timers";
import type { SentFile } from "./sent_file.ts";
import { readFileSync } from "node:fs";

/** What a system that does not say is taken to allow: the least that is common. */
const commonLimit = 256;

/** How many files the process may have open; read once, while there is a file left to read it with. */
export const processLimit: number = (() => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ??
      [];
    return Number(soft ?? commonLimit);
  } catch {
    return commonLimit;
  }
})();

/** An answer that has read nothing for this long may lose its place to one that waits. */
const stillMs = 250;

/** An answer that can be made to give its place back. */
export interface SlotHolder {
  /** Bytes that it has read. */
  readonly sent: number;
  /** For how many milliseconds it has not read. */
  readonly idleMs: number;
  /** Ends it; settles once its file is closed. */
  giveBack(): Promise<void>;
}

/** A number of places, and a line of those that wait for one. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<(hasSlot: boolean) => void>();
  /** The files that places are held for, and what reads them. */
  readonly #held = new Map<SentFile, SlotHolder | undefined>();
  /** How many places are being given back. */
  #giving = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether a place was free, or became so within `queueMs`; then it must be released. */
  take(queueMs: number): boolean | Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (queueMs === 0) {
      // Too late for this one, but the next finds a place.
      this.#makeRoom(1);
      return false;
    }
    return new Promise((resolve) => {
      const settle = (hasSlot: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve(hasSlot);
      };
      const timer = setTimeout(() => settle(false), queueMs);
      this.#waiting.add(settle);
      this.#makeRoom(this.#waiting.size);
    });
  }

  /** Gives a place back, to the first in line if there is one. */
  release(): void {
    const [first] = this.#waiting;
    if (first === undefined) this.#free++;
    else first(true);
  }

  /** Releases a place when a file is closed. */
  hold(file: SentFile): void {
    this.#held.set(file, undefined);
    file.whenClosed(() => {
      this.#held.delete(file);
      this.release();
    });
  }

  /** Says what reads a file, if a place is held for it. */
  watch(file: SentFile, holder: SlotHolder): void {
    if (this.#held.has(file)) this.#held.set(file, holder);
  }

  /** Takes back as many places as are waited for, now and again; looking at all that are held takes a while, so not each time. */
  #makeRoom(count: number): void {
    if (count === 0 || this.#timer !== undefined) return;
    this.#takeBack(count);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#makeRoom(this.#waiting.size);
    }, stillMs / 5);
    this.#timer.unref();
  }

  /**
   * Takes places back until so many are on their way, from answers that stand still: first from those that have moved
   * least, so that a slow client that is nearly done is not cut for one that has never read.
   */
  #takeBack(count: number): void {
    if (this.#giving >= count) return;
    const still = [...this.#held].filter(([, holder]) => holder && holder.idleMs >= stillMs) as [
      SentFile,
      SlotHolder,
    ][];
    still.sort(([, one], [, other]) => one.sent - other.sent || other.idleMs - one.idleMs);
    for (const [file, holder] of still.slice(0, count - this.#giving)) {
      this.#held.set(file, undefined);
      this.#giving++;
      // What fails to close has given its place back all the same.
      holder.giveBack().catch(() => {}).finally(() => this.#giving--);
    }
  }
}

/** A quarter of what the process may have open: the rest is for connections, and for what else it does. */
const defaultMaxOpenFiles = Math.max(1, Math.floor(processLimit / 4));

/** The places of all handlers that have none of their own. */
export const sharedSlots: Slots = new Slots(defaultMaxOpenFiles);
