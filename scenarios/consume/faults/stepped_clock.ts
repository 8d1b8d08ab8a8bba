import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";

const libraries = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/** Debian's libfaketime, where it is installed. */
export const fakeTimeLibrary = libraries.find((path) => existsSync(path));

/** Environment of processes whose clock says what a file says, in the seconds that it adds. */
export function steppedClock(file: string): Record<string, string> {
  return {
    LD_PRELOAD: fakeTimeLibrary!,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
}

/** Sets the clock of those processes so many seconds from the machine's. */
export async function stepClock(file: string, seconds: number): Promise<void> {
  await writeFile(file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
}
