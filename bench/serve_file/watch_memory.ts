import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";

/** Files below `folder` that this process holds open; -1 where the system does not tell. */
export function openFilesBelow(folder: string): number {
  if (process.platform !== "linux") return -1;
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder);
    } catch {
      // Closed while we were looking.
      return false;
    }
  }).length;
}

/** What was seen of this process's memory, in MiB. */
export interface MemoryRecord {
  /** Twice a second, from the start on. */
  readonly rssMiB: readonly number[];
  /** The most that ArrayBuffers held. */
  readonly arrayBuffersMiB: number;
}

/** Looks at this process's memory until it is stopped. */
export function watchMemory(): () => MemoryRecord {
  const rssMiB: number[] = [];
  let arrayBuffersMiB = 0;
  const look = () => {
    const { rss, arrayBuffers } = process.memoryUsage();
    rssMiB.push(Math.round(rss / 2 ** 20));
    arrayBuffersMiB = Math.max(arrayBuffersMiB, arrayBuffers / 2 ** 20);
  };
  look();
  const timer = setInterval(look, 500);
  return () => {
    clearInterval(timer);
    look();
    return { rssMiB, arrayBuffersMiB };
  };
}
