import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DirectOutput } from "./direct_output.ts";
import { draftPath } from "./drafts.ts";
import type { Output } from "./output.ts";
import { resolveLinks } from "./resolve_links.ts";
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
  readonly hasOldContent: boolean;
  readonly #target: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  #isOpen = true;
  #isDraftThere = true;

  constructor(
    name: string,
    target: string,
    draft: string,
    file: FileHandle,
    hasOldContent: boolean,
  ) {
    this.name = name;
    this.#target = target;
    this.#draft = draft;
    this.#file = file;
    this.hasOldContent = hasOldContent;
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

/**
 * Opens a file to be written. The bytes go to a draft beside it, which takes its place when all of them are on the
 * disk: whatever happens, the target is what it was, or whole. A link stays one: what it leads to is replaced.
 * Devices and pipes are written as they are; a named pipe is waited for until it has a reader.
 *
 * @throws The signal's reason, if it aborts meanwhile.
 */
export async function openFileOutput(path: string, signal?: AbortSignal): Promise<Output> {
  const target = await resolveLinks(path);
  const stats = await stat(target).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) {
    return await DirectOutput.open(path, target, stats.isFIFO(), signal);
  }
  const draft = draftPath(target);
  const file = await open(draft, "wx", stats === undefined ? 0o666 : stats.mode & 0o777);
  return new FileOutput(path, target, draft, file, stats !== undefined);
}
