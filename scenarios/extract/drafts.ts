import { createHash, randomUUID } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { isOwn } from "./is_own.ts";

/** A name must not become longer than file systems take. */
const longestName = 150;

/** Numbers of processes mean something on one machine, and in one container, alone. */
const place = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

/** How the names of all drafts of a target begin. */
export function draftPrefix(target: string): string {
  const name = basename(target);
  const isShort = new TextEncoder().encode(name).length <= longestName;
  const short = isShort ? name : createHash("sha256").update(name).digest("hex").slice(0, 32);
  return `.${short}.${place}-`;
}

/** A new name beside the target, which tells whose draft it is. */
export function draftPath(target: string): string {
  return join(dirname(target), `${draftPrefix(target)}${process.pid}-${randomUUID()}.tmp`);
}

/** Whether there is a process of that number on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another process is there anyway.
    return (error as { code?: unknown }).code === "EPERM";
  }
}

/**
 * Takes away what runs that were killed have left beside a target, on this machine.
 *
 * @returns The names and sizes of what is gone.
 */
export async function sweepDrafts(target: string): Promise<{ name: string; bytes: number }[]> {
  const [folder, prefix] = [dirname(target), draftPrefix(target)];
  const swept: { name: string; bytes: number }[] = [];
  const isOver = (pid: string | undefined) =>
    pid !== undefined && Number(pid) !== process.pid && !isRunning(Number(pid));
  for (const name of await readdir(folder).catch(() => [])) {
    const isDraft = name.startsWith(prefix) &&
      isOver(/^(\d+)-[\da-f-]{36}\.tmp$/.exec(name.slice(prefix.length))?.[1]);
    // An empty one is made and taken away to see whether that can be done.
    const isTrial = name.startsWith(`${basename(target)}.`) &&
      isOver(/^\.(\d+)\.tmp$/.exec(name.slice(basename(target).length))?.[1]);
    if (!isDraft && !isTrial) continue;
    const stats = await lstat(join(folder, name)).catch(() => undefined);
    if (stats === undefined || !isOwn(stats) || (isTrial && stats.size > 0)) continue;
    await rm(join(folder, name), { force: true });
    if (isDraft) swept.push({ name, bytes: stats.size });
  }
  return swept;
}
