import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";

/** Where its package has it, by platform. */
const names: Readonly<Record<string, string>> = {
  "linux x64": "linux-64",
  "linux arm64": "linux-arm64",
  "darwin x64": "darwin-64",
  "darwin arm64": "darwin-arm64",
  "win32 x64": "windows-64",
};

/** Finds workerd: `HOSEPIPE_WORKERD` if set, otherwise that of npm's package. */
export function findWorkerd(): string | undefined {
  const chosen = process.env.HOSEPIPE_WORKERD;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`Cannot find HOSEPIPE_WORKERD=${chosen}`);
    return chosen;
  }
  const name = names[`${process.platform} ${process.arch}`];
  if (name === undefined) return undefined;
  const file = process.platform === "win32" ? "workerd.exe" : "workerd";
  try {
    const here = createRequire(import.meta.url).resolve("workerd/package.json");
    const path = createRequire(here).resolve(`@cloudflare/workerd-${name}/bin/${file}`);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
