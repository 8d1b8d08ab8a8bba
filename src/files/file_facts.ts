import type { BigIntStats } from "node:fs";

/** What an answer says of a file: its length and its version. */
export interface FileFacts {
  readonly size: number;
  /** In whole milliseconds, which is what all runtimes tell alike. */
  readonly modifiedMs: number;
  /** When anything about it has last changed: its name, links and permissions, too. */
  readonly changedMs: number;
}

/** Which file it is. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

/** The same of a file that was opened. */
export interface OpenedIdentity extends FileIdentity {
  /** Just before it was looked at: a change after that shows, if the last one before is old enough. */
  readonly seenAtMs: number;
}

/** What tells one state of an open file from the next. */
export interface FileState {
  readonly size: number;
  /** As exact as the runtime tells it, which only that runtime's own answers compare with. */
  readonly modified: number | bigint;
}

const toMs = (nanoseconds: bigint) => Number(nanoseconds / 1_000_000n);

/** Takes from `stat`'s answer what headers are made of. */
export function fileFacts({ size, mtimeNs, ctimeNs }: BigIntStats): FileFacts {
  return { size: Number(size), modifiedMs: toMs(mtimeNs), changedMs: toMs(ctimeNs) };
}

/** Takes from `stat`'s answer which file it is. */
export function fileIdentity({ dev, ino }: BigIntStats, seenAtMs: number): OpenedIdentity {
  return { device: Number(dev), inode: Number(ino), seenAtMs };
}

/** Takes from `stat`'s answer what changes with a file's bytes: not its name, links or permissions. */
export function fileState({ size, mtimeNs }: BigIntStats): FileState {
  return { size: Number(size), modified: mtimeNs };
}
