import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

/** What a visit to WebKit needs. */
export interface WebKitPrograms {
  readonly driver: string;
  readonly browser: string;
  readonly xvfb: string;
}

/** Where Debian and Fedora put WebKit's own programs. */
const libraries = ["/usr/lib", "/usr/lib64", "/usr/libexec"];

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? "").split(delimiter).filter(Boolean)
    .map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Finds WebKit for Linux, as packages install it: `webkit2gtk-driver`, `gir1.2-webkit2-4.1` and `xvfb` in Debian. */
export function findWebKit(): WebKitPrograms | undefined {
  const driver = onPath("WebKitWebDriver");
  const xvfb = onPath("Xvfb");
  const browser = libraries.flatMap(subfolders).flatMap((folder) => [folder, ...subfolders(folder)])
    .filter((folder) => folder.includes("webkit2gtk") || folder.includes("webkitgtk"))
    .map((folder) => join(folder, "MiniBrowser"))
    .find((path) => existsSync(path));
  if (driver === undefined || xvfb === undefined || browser === undefined) return undefined;
  return { driver, browser, xvfb };
}
