import { type FileHandle, open, rm } from "node:fs/promises";
import { chunkSize } from "./read_chunks.ts";

/**
 * A file that takes lines, one `write` each, and writes them in pieces of 64 KiB. It is an underlying
 * sink, so `new WritableStream(sink)` takes it as it is.
 */
interface LineSink {
  /** Takes a line; a promise, when the file is due, must be awaited before the next `write`. */
  write(line: string): void | Promise<void>;
  /** Writes what is left and closes the file; does nothing the second time. */
  close(): Promise<void>;
  /** Closes the file and removes it; does nothing once it is closed. */
  abort(): Promise<void>;
}

class FileLineSink implements LineSink {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #encoder = new TextEncoder();
  readonly #bytes = new Uint8Array(chunkSize);
  #text = "";
  #flushing: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #isAborted = false;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  write(line: string): void | Promise<void> {
    if (this.#ending !== undefined) throw new Error("Cannot write line: the sink is closed");
    if (this.#flushing !== undefined) {
      throw new Error("Cannot write line: the previous write is still under way");
    }
    this.#text += line;
    if (this.#text.length >= chunkSize) return this.#flush();
  }

  close(): Promise<void> {
    if (this.#isAborted) return Promise.reject(new Error("Cannot close line sink: it was aborted"));
    return this.#ending ??= this.#finish();
  }

  abort(): Promise<void> {
    if (this.#ending !== undefined) return this.#ending.catch(() => {});
    this.#isAborted = true;
    return this.#ending = this.#discard();
  }

  async #flush(): Promise<void> {
    this.#flushing = this.#writePieces(chunkSize);
    await this.#flushing;
    this.#flushing = undefined;
  }

  async #finish(): Promise<void> {
    try {
      await this.#flushing;
      await this.#writePieces(1);
    } catch (error) {
      await this.#discard();
      throw error;
    }
    await this.#file.close();
  }

  async #discard(): Promise<void> {
    // The writer has that error already; the file is only closed when nothing writes to it.
    await this.#flushing?.catch(() => {});
    const isFile = (await this.#file.stat()).isFile();
    await this.#file.close();
    if (isFile) await rm(this.#path, { force: true });
  }

  /** Writes pieces of up to 64 KiB while at least `minimum` UTF-16 units wait, which are no fewer bytes. */
  async #writePieces(minimum: number): Promise<void> {
    while (this.#text.length >= minimum && !this.#isAborted) {
      const { read, written } = this.#encoder.encodeInto(this.#text, this.#bytes);
      this.#text = this.#text.slice(read);
      for (let offset = 0; offset < written;) {
        offset += (await this.#file.write(this.#bytes, offset, written - offset)).bytesWritten;
      }
    }
  }
}

/** Creates or empties a file and opens it for lines. */
async function openLineSink(path: string): Promise<LineSink> {
  return new FileLineSink(path, await open(path, "w"));
}

/**
 * Opens a line sink for `use`, then closes it, or aborts it if `use` fails. Where streams close or abort
 * it themselves this only waits for it: not all of them do, and some report a failure first.
 */
export async function withLineSink(
  path: string,
  use: (sink: LineSink) => Promise<void>,
): Promise<void> {
  const sink = await openLineSink(path);
  try {
    await use(sink);
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}
