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

/**
 * Opens a device or a pipe: nothing can be put in its place, so it is written as it is. A named pipe opens as soon as
 * there is a reader.
 */
async function openDirect(
  name: string,
  path: string,
  isPipe: boolean,
  signal: AbortSignal | undefined,
): Promise<Output> {
  const { O_WRONLY, O_NONBLOCK } = constants;
  let file: FileHandle | undefined;
  while (file === undefined) {
    signal?.throwIfAborted();
    try {
      // Waiting in the kernel, or for a reader that has stopped, could not be ended by Ctrl-C.
      file = isPipe ? await open(path, O_WRONLY | O_NONBLOCK) : await open(path, "w");
    } catch (error) {
      if (!isPipe || (error as { code?: unknown }).code !== "ENXIO") throw error;
      await wait(pauseMs);
    }
  }
  const { fd } = file;
  const close = closeOnce(file);
  return {
    ...{ name, hasOldContent: false, commit: close, discard: close },
    write: (bytes) => writeFully(fd, bytes, signal),
  };
}

/** Closes a file the first time it is called. */
function closeOnce(file: FileHandle): () => Promise<void> {
  let isOpen = true;
  return async () => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
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
    return await openDirect(path, target, stats.isFIFO(), signal);
  }
  const draft = kept?.draft ?? draftPath(target);
  const file = kept === undefined ? await open(draft, "wx", 0o600) : await openKept(draft);
  let bytes = kept?.checkpoint.bytes ?? 0;
  if (kept !== undefined) {
    await file.chmod(0o600).catch(() => {});
    // Bytes that are added go to the end, wherever that is after the cut.
    await file.truncate(bytes);
  }
  const mode = (stats?.mode ?? 0o666 & ~process.umask()) & 0o777;
  const close = closeOnce(file);
  let isDraftThere = true;
  return {
    ...{ name: path, hasOldContent: stats !== undefined },
    async write(more) {
      await writeFully(file.fd, more);
      bytes += more.length;
    },
    ...(kept === undefined ? {} : {
      async keep(last: readonly string[], rows: number) {
        await file.datasync();
        await kept.save(last, rows, bytes);
      },
    }),
    async commit() {
      // Some file systems have no such thing, and say so.
      await file.chmod(mode).catch(() => {});
      await file.sync();
      await close();
      await rename(draft, target);
      isDraftThere = false;
      await syncFolder(dirname(target));
      await kept?.remove();
    },
    async discard() {
      await close();
      // What is safe of it is for another run.
      if (!isDraftThere || kept?.checkpoint.last !== undefined) return;
      isDraftThere = false;
      await rm(draft, { force: true });
      await kept?.remove();
    },
  };
}
