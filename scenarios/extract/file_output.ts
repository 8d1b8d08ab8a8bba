import { randomUUID } from "node:crypto";
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Output } from "./output.ts";
import { writeFully } from "./write_fully.ts";

/** Makes a rename last through a power cut, where folders can be synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } catch {
    // Some file systems have no such thing; the file itself is whole either way.
  } finally {
    await folder?.close();
  }
}

class FileOutput implements Output {
  readonly name: string;
  readonly #target: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  #isOpen = true;
  #isDraftThere = true;

  constructor(name: string, target: string, draft: string, file: FileHandle) {
    this.name = name;
    this.#target = target;
    this.#draft = draft;
    this.#file = file;
  }

  write(bytes: Uint8Array): Promise<void> {
    return writeFully(this.#file.fd, bytes);
  }

  async commit(): Promise<void> {
    await this.#file.sync();
    await this.#close();
    await rename(this.#draft, this.#target);
    this.#isDraftThere = false;
    await syncFolder(dirname(this.#target));
  }

  async discard(): Promise<void> {
    await this.#close();
    if (!this.#isDraftThere) return;
    this.#isDraftThere = false;
    await rm(this.#draft, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }
}

/** A device or a pipe: nothing can be put in its place, so it is written as it is. */
class DirectOutput implements Output {
  readonly name: string;
  readonly #file: FileHandle;
  #isOpen = true;

  constructor(name: string, file: FileHandle) {
    this.name = name;
    this.#file = file;
  }

  write(bytes: Uint8Array): Promise<void> {
    return writeFully(this.#file.fd, bytes);
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

/**
 * Opens a file to be written. The bytes go to a temporary file beside it, which takes its place when
 * all of them are on the disk: whatever happens, the target is what it was, or whole.
 */
export async function openFileOutput(path: string): Promise<Output> {
  // A symbolic link stays one: what it points to is replaced.
  const target = await realpath(path).catch(() => resolve(path));
  const stats = await stat(target).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) {
    return new DirectOutput(path, await open(target, "w"));
  }
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  const file = await open(draft, "wx", stats === undefined ? 0o666 : stats.mode & 0o777);
  return new FileOutput(path, target, draft, file);
}
