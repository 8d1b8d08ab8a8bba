import { setImmediate } from "node:timers";
import type { FileFacts } from "./file_facts.ts";
import type { OpenFile } from "./open_file.ts";
import { ReadPace } from "./read_pace.ts";

/** More than this is never read synchronously, however fast it would be. */
const largestSyncRead = 2 ** 20;

/** The file is no longer what its answer's headers say; the answer must break off. */
export class FileChangedError extends Error {
  override name = "FileChangedError";
}

/** An open file, and the state it was in when it was opened. */
export class ServedFile {
  readonly #file: OpenFile;
  readonly #pace = new ReadPace();
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
    const step = buffer.length > largestSyncRead ? "wait" : this.#pace.next();
    if (step === "yield") await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.isClosed) throw new FileChangedError("Cannot read: the file is closed");
    const bytesRead = step === "wait"
      ? await this.#readAsync(buffer, position)
      : this.#readSync(buffer, position);
    if (bytesRead === 0) throw new FileChangedError("Cannot read: the file has become shorter");
    if (this.isClosed) throw new FileChangedError("Cannot read: the file was closed meanwhile");
    // After the read, so that what was read is vouched for.
    if (!this.#file.isUnchanged()) throw new FileChangedError("Cannot read: the file has changed");
    return bytesRead;
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

  /** Closes the file, once; a read under way is waited for, lest its descriptor become another file's. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#reading !== undefined) await this.#reading.catch(() => {});
      await this.#file.close();
    })();
    return this.#closing;
  }
}
