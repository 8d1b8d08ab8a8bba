import { readFileSync } from "node:fs";
import process from "node:process";

/**
 * The most memory this process ever held, in MiB. On Linux it is the kernel's high-water mark of
 * the process; `maxRSS`, asked elsewhere, would there include what the spawning process held.
 */
export function peakRssMiB(): number {
  if (process.platform === "linux") {
    const status = readFileSync("/proc/self/status", "utf8");
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kibibytes !== undefined) return Number(kibibytes) / 1024;
  }
  return process.resourceUsage().maxRSS / 1024;
}
