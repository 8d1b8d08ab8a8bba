import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";

/** The files below `root` that a process holds open; only Linux tells, elsewhere there are none. */
export function openFiles(root: string, processId: number | "self" = "self"): string[] {
  if (process.platform !== "linux") return [];
  const folder = `/proc/${processId}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      const path = readlinkSync(`${folder}/${name}`);
      return path.startsWith(root) ? [path] : [];
    } catch {
      // Closed while we were looking.
      return [];
    }
  });
}

/** How many sockets a process holds open; only Linux tells, elsewhere it is none. */
export function openSockets(processId: number): number {
  if (process.platform !== "linux") return 0;
  const folder = `/proc/${processId}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

/** Waits until a process holds no file below `root` open; returns those it still holds after 10 s. */
export async function remainingFiles(
  root: string,
  processId: number | "self" = "self",
): Promise<string[]> {
  for (let tries = 0; tries < 100; tries++) {
    if (openFiles(root, processId).length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return openFiles(root, processId);
}
