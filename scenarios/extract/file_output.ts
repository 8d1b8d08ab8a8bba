import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DirectOutput } from "./direct_output.ts";
import { draftPath } from "./drafts.ts";
import type { Output } from "./output.ts";
import type { CheckpointFile } from "./resume/checkpoint_file.ts";
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
    hasOldContent: boolean,
    kept: CheckpointFile | undefined,
  ) {
    this.name = name;
    this.#target = target;
    this.#draft = draft;
    this.#file = file;
    this.hasOldContent = hasOldContent;
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

/**
 * Opens a file to be written. The bytes go to a draft beside it, which takes its place when all of them are on the
 * disk: even if something fails, the target is what it was, or whole. A link stays one: what it leads to is replaced.
 * Devices and pipes are written as they are; a named pipe is waited for until it has a reader.
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
  const mode = stats === undefined ? 0o666 : stats.mode & 0o777;
  // Bytes that are added go to the end, wherever that is after the cut.
  const file = await open(draft, kept === undefined ? "wx" : "a", mode);
  if (kept !== undefined) await file.truncate(kept.checkpoint.bytes);
  return new FileOutput(path, target, draft, file, stats !== undefined, kept);
}
