import type { FileFacts } from "./file_facts.ts";
import type { OpenFile } from "./open_file.ts";

/** The file is no longer what its answer's headers say; the answer must break off. */
export class FileChangedError extends Error {
  override name = "FileChangedError";
}

/** An open file, and the state it was in when it was opened. */
export class ServedFile {
  readonly #file: OpenFile;
  readonly facts: FileFacts;
  #closing: Promise<void> | undefined;
  #reading: Promise<unknown> | undefined;

  constructor(file: OpenFile, facts: FileFacts) {
    this.#file = file;
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
    const reading = this.#file.read(buffer, position);
    this.#reading = reading;
    const bytesRead = await reading;
    this.#reading = undefined;
    if (bytesRead === 0) throw new FileChangedError("Cannot read: the file has become shorter");
    if (this.isClosed) throw new FileChangedError("Cannot read: the file was closed meanwhile");
    // After the read, so that what was read is vouched for.
    if (!this.#file.isUnchanged()) throw new FileChangedError("Cannot read: the file has changed");
    return bytesRead;
  }

  /** Closes the file, once; a read under way is waited for, lest its descriptor become another file's. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#reading !== undefined) await this.#reading.catch(() => {});
      await this.#file.close();
    })();
    return this.#closing;
  }
}
