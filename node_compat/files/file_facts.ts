import type { BigIntStats } from "node:fs";

/** What tells one state of a file from another. */
export interface FileFacts {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: number;
  readonly links: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

/** Takes from `stat`'s answer what we compare. */
export function fileFacts(stats: BigIntStats): FileFacts {
  return {
    device: stats.dev,
    inode: stats.ino,
    size: Number(stats.size),
    links: stats.nlink,
    modifiedNs: stats.mtimeNs,
    // Where the system has no time of change, the time of modification is all there is.
    changedNs: stats.ctimeNs > 0n ? stats.ctimeNs : stats.mtimeNs,
  };
}

/** Tells whether a file is as it was: not written, truncated, renamed, replaced or removed. */
export function isUnchanged(facts: FileFacts, stats: BigIntStats): boolean {
  const now = fileFacts(stats);
  return facts.size === now.size && facts.modifiedNs === now.modifiedNs &&
    facts.changedNs === now.changedNs && facts.links === now.links &&
    facts.inode === now.inode && facts.device === now.device;
}
