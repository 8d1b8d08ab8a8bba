import { posix } from "node:path";

/** The way from one page of the site to another of its files, which also holds where a site is opened from a disk. */
export function relativePath(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}
