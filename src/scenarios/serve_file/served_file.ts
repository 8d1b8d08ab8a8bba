import { fstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type FileFacts, isUnchanged } from "./file_facts.ts";

/** The file is no longer what its answer's headers say; the answer must break off. */
export class FileChangedError extends Error {
  override name = "FileChangedError";
}

/** An open file, and the state it was in when it was opened. */
export class ServedFile {
  readonly #handle: FileHandle;
  readonly facts: FileFacts;
  #closing: Promise<void> | undefined;
  #reading: Promise<unknown> | undefined;

  constructor(handle: FileHandle, facts: FileFacts) {
    this.#handle = handle;
    this.facts = facts;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Fills `buffer` from `position` on as far as one read goes.
   *
   * @throws {FileChangedError} If the file has ended early or is no longer as it was when opened.
   */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    if (this.isClosed) throw new FileChangedError("Cannot read: the file is closed");
    const reading = this.#handle.read(buffer, 0, buffer.length, position);
    this.#reading = reading;
    const { bytesRead } = await reading;
    this.#reading = undefined;
    if (bytesRead === 0) throw new FileChangedError("Cannot read: the file has become shorter");
    if (this.isClosed) throw new FileChangedError("Cannot read: the file was closed meanwhile");
    // Synchronous, since of an open file it asks no disk; after the read, so that what was read is vouched for.
    if (!isUnchanged(this.facts, fstatSync(this.#handle.fd, { bigint: true }))) {
      throw new FileChangedError("Cannot read: the file has changed");
    }
    return bytesRead;
  }

  /** Closes the file, once; a read under way is waited for, lest its descriptor become another file's. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#reading !== undefined) await this.#reading.catch(() => {});
      await this.#handle.close();
    })();
    return this.#closing;
  }
}
