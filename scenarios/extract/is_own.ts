import type { Stats } from "node:fs";
import process from "node:process";

/** Whether a file can be believed and written over: it is no link, has no other name, and is of this user. */
export function isOwn(stats: Pick<Stats, "isFile" | "nlink" | "uid"> | undefined): boolean {
  const user = process.geteuid?.();
  return stats !== undefined && stats.isFile() && stats.nlink === 1 &&
    (user === undefined || stats.uid === user);
}
