import { setImmediate, setTimeout } from "node:timers/promises";
import { type FileFacts, type FileState, fileState, type OpenedIdentity } from "./file_facts.ts";
import { ReadPace } from "./read_pace.ts";
import type { SentFile } from "./sent_file.ts";
import { fstatSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";

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

/** More than this is never read synchronously, however fast it would be. */
const largestSyncRead = 2 ** 20;

/** How long a new time is given to be followed by a new size, in milliseconds from look to look. */
const recheckDelaysMs = [2, 10, 50, 200];

/** The file no longer holds what its answer's headers promise; the answer must be cut short. */
export class FileChangedError extends Error {
  override name = "FileChangedError";
}

/** How many files are open. */
let openCount = 0;

/** An open file, and what was promised of it when it was opened. */
export class ServedFile implements SentFile {
  readonly #file: OpenFile;
  readonly #pace = new ReadPace();
  readonly facts: FileFacts;
  readonly identity: OpenedIdentity | undefined;
  #seen: FileState;
  #closing: Promise<void> | undefined;
  #reading: Promise<unknown> | undefined;
  #onClosed: () => void = () => {};

  /** @param seen The file's state when `facts` were taken. */
  constructor(file: OpenFile, facts: FileFacts, seen: FileState, identity?: OpenedIdentity) {
    this.#file = file;
    this.facts = facts;
    this.identity = identity;
    this.#seen = seen;
    openCount++;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Fills `buffer` from `position` on as far as one read goes.
   *
   * @throws {FileChangedError} If the file has become shorter than it was, or was overwritten in place.
   */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    const step = buffer.length > largestSyncRead ? "wait" : this.#pace.next(openCount);
    if (step === "yield") await setImmediate();
    if (this.isClosed) throw new Error("Cannot read: the file is closed");
    const bytesRead = step === "wait"
      ? await this.#readAsync(buffer, position)
      : this.#readSync(buffer, position);
    if (bytesRead === 0) throw new FileChangedError("Cannot read: the file has become shorter");
    if (this.isClosed) throw new Error("Cannot read: the file was closed meanwhile");
    // After the read, so that what was read is vouched for.
    if (!this.#isAsPromised()) await this.#recheck();
    return bytesRead;
  }

  /**
   * Whether what was read is still the file that was opened: as long as then at least, since to grow is
   * to be appended to; and not written to at an unchanged length. Its name, links and permissions may
   * change: an open file is none of them.
   */
  #isAsPromised(): boolean {
    const now = this.#file.state();
    if (now.size < this.facts.size) {
      throw new FileChangedError("Cannot read: the file has become shorter");
    }
    if (now.size === this.#seen.size) return now.modified === this.#seen.modified;
    this.#seen = now;
    return true;
  }

  /** An append sets the file's time before its length, and may be caught between the two. */
  async #recheck(): Promise<void> {
    for (const ms of recheckDelaysMs) {
      await setTimeout(ms);
      if (this.isClosed) throw new Error("Cannot read: the file was closed meanwhile");
      if (this.#isAsPromised()) return;
    }
    throw new FileChangedError("Cannot read: the file was overwritten");
  }

  async #readAsync(buffer: Uint8Array, position: number): Promise<number> {
    const reading = this.#file.read(buffer, position);
    this.#reading = reading;
    const bytesRead = await reading;
    this.#reading = undefined;
    return bytesRead;
  }

  #readSync(buffer: Uint8Array, position: number): number {
    const startedAt = performance.now();
    const bytesRead = this.#file.readSync(buffer, position);
    this.#pace.note(performance.now() - startedAt);
    return bytesRead;
  }

  /** Sets what is called when the file, which is open, has been closed. */
  whenClosed(callback: () => void): void {
    this.#onClosed = callback;
  }

  /** Closes the file, once; a read under way is waited for, or its descriptor could become another file's. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      openCount--;
      if (this.#reading !== undefined) await this.#reading.catch(() => {});
      try {
        await this.#file.close();
      } finally {
        this.#onClosed();
      }
    })();
    return this.#closing;
  }
}
