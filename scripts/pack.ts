import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleExports } from "./pack/bundle_exports.ts";
import { parseCommandLine } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const execute = promisify(execFile);

/** Documents every symbol of every export in one text. */
async function describeSymbols(deno: string, signal: AbortSignal): Promise<string> {
  const { exports } = JSON.parse(await readFile(join(root, "deno.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const parts = [await readFile(join(root, "llms.txt"), "utf8")];
  for (const [path, file] of Object.entries(exports)) {
    const { stdout } = await execute(deno, ["doc", file], {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1" },
      maxBuffer: 2 ** 26,
      signal,
    });
    // Where a symbol stands on this machine is no one's concern.
    const text = stdout.replaceAll(/^Defined in .*\n\n?/gm, "").trim();
    parts.push(`# @hosepipe/streams${path.slice(1)}\n\n${text}\n`);
  }
  return parts.join("\n");
}

/** The files in `dist/` that package.json exports. */
async function listEntries(): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly default: string }>;
  };
  return Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.default.replace("./dist/", "")]
  );
}

/** Builds the library as `npm pack` ships it: JavaScript and types in `dist/`. */
async function buildPackage(signal: AbortSignal): Promise<void> {
  const { executable } = await findRuntime("deno");
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-pack-"));
  const dist = join(root, "dist");
  try {
    const tarball = join(folder, "streams.tgz");
    const flags = ["--allow-dirty", "--output", tarball];
    await execute(executable, ["pack", ...flags], { cwd: root, signal });
    await rm(dist, { recursive: true, force: true });
    await mkdir(dist);
    await execute("tar", ["-xzf", tarball, "-C", dist, "--strip-components=1"], { signal });
    // The package has its own at its root.
    for (const name of ["package.json", "README.md", "LICENSE", "CHANGELOG.md"]) {
      await rm(join(dist, name));
    }
    await bundleExports(dist, await listEntries(), root);
    await writeFile(join(root, "llms-full.txt"), await describeSymbols(executable, signal));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await runCommand(async (args, signal) => {
  parseCommandLine(args, {
    command: "deno run -A scripts/pack.ts",
    about:
      "Builds the library into dist/, as npm's tarball has it, and llms-full.txt, the documentation\n" +
      "of every symbol; npm pack runs it by itself.",
    flags: {},
    examples: ["deno run -A scripts/pack.ts", "npm pack"],
  });
  await buildPackage(signal);
});
