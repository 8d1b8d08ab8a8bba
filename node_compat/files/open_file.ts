import { fstatSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type FileFacts, isUnchanged } from "./file_facts.ts";

/** An open file as the runtime reads it. */
export interface OpenFile {
  /** Fills `buffer` from `position` on as far as one read goes; tells how many bytes it read. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** The same, at once: who calls it holds up everybody, for as long as the disk takes. */
  readSync(buffer: Uint8Array, position: number): number;
  /** Whether the file is still as it was when it was opened. Synchronous, since of an open file it asks no disk. */
  isUnchanged(): boolean;
  close(): Promise<void>;
}

/** Reads a file through `node:fs`, as all runtimes can. */
export function openFile(handle: FileHandle, facts: FileFacts): OpenFile {
  return {
    read: async (buffer, position) =>
      (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
    readSync: (buffer, position) => readSync(handle.fd, buffer, 0, buffer.length, position),
    isUnchanged: () => isUnchanged(facts, fstatSync(handle.fd, { bigint: true })),
    close: () => handle.close(),
  };
}
