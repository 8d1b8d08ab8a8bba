import { constants, type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { draftPath } from "./drafts.ts";
import { isOwn } from "./is_own.ts";
import type { Output } from "./output.ts";
import { resolveLinks } from "./resolve_links.ts";
import type { CheckpointFile } from "./resume/checkpoint_file.ts";
import { writeFully } from "./write_fully.ts";

const pauseMs = 25;

/** A device or a pipe: nothing can be put in its place, so it is written as it is. */
class DirectOutput implements Output {
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
  readonly #mode: number;
  readonly #target: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  readonly #kept: CheckpointFile | undefined;
  readonly keep?: Output["keep"];
  #bytes: number;
  #isOpen = true;
  #isDraftThere = true;

  constructor(
    name: string,
    target: string,
    draft: string,
    file: FileHandle,
    oldMode: number | undefined,
    kept: CheckpointFile | undefined,
  ) {
    this.name = name;
    this.#target = target;
    this.#draft = draft;
    this.#file = file;
    this.hasOldContent = oldMode !== undefined;
    this.#mode = (oldMode ?? 0o666 & ~process.umask()) & 0o777;
    this.#kept = kept;
    this.#bytes = kept?.checkpoint.bytes ?? 0;
    if (kept === undefined) return;
    this.keep = async (last, rows) => {
      await file.datasync();
      await kept.save(last, rows, this.#bytes);
    };
  }

  async write(bytes: Uint8Array): Promise<void> {
    await writeFully(this.#file.fd, bytes);
    this.#bytes += bytes.length;
  }

  async commit(): Promise<void> {
    // Some file systems have no such thing, and say so.
    await this.#file.chmod(this.#mode).catch(() => {});
    await this.#file.sync();
    await this.#close();
    await rename(this.#draft, this.#target);
    this.#isDraftThere = false;
    await syncFolder(dirname(this.#target));
    await this.#kept?.remove();
  }

  async discard(): Promise<void> {
    await this.#close();
    // What is safe of it is for another run.
    if (!this.#isDraftThere || this.#kept?.checkpoint.last !== undefined) return;
    this.#isDraftThere = false;
    await rm(this.#draft, { force: true });
    await this.#kept?.remove();
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }
}

/** Opens a draft that may be there: no link, and nothing that is another user's or may have another name. */
async function openKept(draft: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
  const file = await open(draft, flags).catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return open(draft, flags | O_CREAT | O_EXCL, 0o600);
  });
  if (isOwn(await file.stat())) return file;
  await file.close();
  throw new Error(`${basename(draft)} is another user's, or has another name`);
}

/**
 * Opens a file to be written. The bytes go to a draft beside it, which takes its place when all of them are on the
 * disk: even if something fails, the target is what it was, or whole. Only its owner can read the draft. A link
 * stays one: what it leads to is replaced. Devices and pipes are written as they are; a named pipe is waited for until
 * it has a reader.
 *
 * @param kept The checkpoint of a draft that outlives its process; it is then cut to what is safe of it.
 * @throws The signal's reason, if it aborts meanwhile.
 */
export async function openFileOutput(
  path: string,
  signal?: AbortSignal,
  kept?: CheckpointFile,
): Promise<Output> {
  const target = await resolveLinks(path);
  const stats = await stat(target).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) {
    return await DirectOutput.open(path, target, stats.isFIFO(), signal);
  }
  const draft = kept?.draft ?? draftPath(target);
  if (kept === undefined) {
    const file = await open(draft, "wx", 0o600);
    return new FileOutput(path, target, draft, file, stats?.mode, kept);
  }
  // Bytes that are added go to the end, wherever that is after the cut.
  const file = await openKept(draft);
  await file.chmod(0o600).catch(() => {});
  await file.truncate(kept.checkpoint.bytes);
  return new FileOutput(path, target, draft, file, stats?.mode, kept);
}
