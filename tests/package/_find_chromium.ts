import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** The one without windows takes two thirds of the time. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

const elsewhere = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ...[process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA]
    .filter((folder) => folder !== undefined)
    .map((folder) => join(folder, "Google/Chrome/Application/chrome.exe")),
];

/** Finds a Chromium: `HOSEPIPE_CHROMIUM` if set, else on `PATH` or where installers put it. */
export function findChromium(): string | undefined {
  const chosen = process.env.HOSEPIPE_CHROMIUM;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`Cannot find HOSEPIPE_CHROMIUM=${chosen}`);
    return chosen;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere]
    .find((path) => existsSync(path));
}
