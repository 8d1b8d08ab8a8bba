import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { installedRunners } from "./installed_runners.ts";
import type { PackageProject } from "./with_package.ts";

/** What a runner says of how many tests passed: all that there are. */
const passed = /\b10 pass(ed)?\b|pass 10\b/;

/** Runs the tests of the project's folder `runners`, which use the test kit, in each runner that it names. */
export async function checkRunners({ folder, run, deno }: PackageProject): Promise<void> {
  const [node, bun] = [
    (await findRuntime("node")).executable,
    (await findRuntime("bun")).executable,
  ];
  const modules = join("runners", "node_modules");
  const installed = await installedRunners(run);
  await symlink(installed, join(folder, modules), "junction");
  // Deno looks for the types that they bring beside package.json.
  await symlink(join(installed, "@types"), join(folder, "node_modules/@types"), "junction");
  const files = (name: string) => [`./runners/first_with_${name}.js`, `./runners/with_${name}.js`];
  const jest = [node, "--experimental-vm-modules", join(modules, "jest", "bin", "jest.js")];
  const programs: Readonly<Record<string, readonly string[]>> = {
    "node --test": [node, "--test", ...files("node")],
    "deno test": [deno, "test", "-A", "--node-modules-dir=manual", ...files("deno")],
    "bun test": [bun, "test", ...files("bun")],
    vitest: [node, join(modules, "vitest", "vitest.mjs"), "run", "--root", "runners"],
    jest: [...jest, "--rootDir", "runners", "--testMatch", "**/*with_jest.js"],
  };
  for (const [name, program] of Object.entries(programs)) {
    const output = await run(`the test kit in ${name}`, folder, program);
    if (!passed.test(output)) throw new Error(`the test kit in ${name} said otherwise:\n${output}`);
  }
}
