import { readFile } from "node:fs/promises";

/**
 * Calls back once if a process holds more memory than it may, on Linux; a changed loop may fill the machine within
 * seconds. Returns what ends the watch.
 */
export function limitMemory(pid: number, mebibytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kibibytes > mebibytes * 1024) {
      clearInterval(timer);
      onExceeded();
    }
  }, 100);
  return () => clearInterval(timer);
}
