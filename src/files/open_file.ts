import { fstatSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type FileState, fileState } from "./file_facts.ts";

/** An open file as the runtime reads it. */
export interface OpenFile {
  /** Fills `buffer` from `position` on as far as one read goes; tells how many bytes it read. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /** The same, at once: it blocks the event loop for as long as the disk takes. */
  readSync(buffer: Uint8Array, position: number): number;
  /** Its state now. Synchronous, since of an open file it asks no disk. */
  state(): FileState;
  close(): Promise<void>;
}

/** Reads a file through `node:fs`, as all runtimes can. */
export function openFile(handle: FileHandle): OpenFile {
  return {
    read: async (buffer, position) =>
      (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
    readSync: (buffer, position) => readSync(handle.fd, buffer, 0, buffer.length, position),
    state: () => fileState(fstatSync(handle.fd, { bigint: true })),
    close: () => handle.close(),
  };
}
