import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";

/** What a process holds open; only Linux tells, elsewhere it is nothing. */
function openPaths(processId: number | "self"): string[] {
  if (process.platform !== "linux") return [];
  const folder = `/proc/${processId}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed while we were looking.
      return [];
    }
  });
}

/** The files below `root` that a process holds open. */
export function openFiles(root: string, processId: number | "self" = "self"): string[] {
  return openPaths(processId).filter((path) => path.startsWith(root));
}

/** How many sockets a process holds open. */
export function openSockets(processId: number): number {
  return openPaths(processId).filter((path) => path.startsWith("socket:")).length;
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
