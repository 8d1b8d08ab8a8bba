import { constants, type FileHandle, open } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Output } from "./output.ts";
import { writeFully } from "./write_fully.ts";

const pauseMs = 25;

/** A device or a pipe: nothing can be put in its place, so it is written as it is. */
export class DirectOutput implements Output {
  readonly name: string;
  readonly hasOldContent = false;
  readonly #file: FileHandle;
  readonly #signal: AbortSignal | undefined;
  #isOpen = true;

  private constructor(name: string, file: FileHandle, signal: AbortSignal | undefined) {
    this.name = name;
    this.#file = file;
    this.#signal = signal;
  }

  /** Opens it; a named pipe as soon as there is a reader. */
  static async open(
    name: string,
    path: string,
    isPipe: boolean,
    signal: AbortSignal | undefined,
  ): Promise<DirectOutput> {
    const { O_WRONLY, O_NONBLOCK } = constants;
    while (true) {
      signal?.throwIfAborted();
      try {
        // Waiting in the kernel, or for a reader that has stopped, could not be ended by Ctrl-C.
        const file = isPipe ? await open(path, O_WRONLY | O_NONBLOCK) : await open(path, "w");
        return new DirectOutput(name, file, signal);
      } catch (error) {
        if (!isPipe || (error as { code?: unknown }).code !== "ENXIO") throw error;
      }
      await wait(pauseMs);
    }
  }

  write(bytes: Uint8Array): Promise<void> {
    return writeFully(this.#file.fd, bytes, this.#signal);
  }

  async commit(): Promise<void> {
    await this.discard();
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }
}
