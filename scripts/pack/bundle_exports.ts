import { readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { findShared, type SharedModules } from "./find_shared.ts";
import { markPure } from "./mark_pure.ts";
import { portableMap } from "./portable_map.ts";

const sharedFiles = { web: "shared.js", node: "shared_node.js" } as const;

const settings = {
  bundle: true,
  format: "esm",
  // Whichever runtime loads it: nothing is lowered.
  target: "esnext",
  platform: "neutral",
  external: ["node:*"],
  legalComments: "none",
  sourcemap: "linked",
  logLevel: "silent",
  write: false,
} as const satisfies BuildOptions;

/** Leaves imports of shared modules to the files that hold them. */
function leaveShared(folder: string, name: string, shared: SharedModules): Plugin {
  return {
    name: "leave-shared",
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const file = relative(folder, resolve(resolveDir, path)).split(sep).join("/");
        const kinds = ["web", "node"] as const;
        const kind = kinds.find((kind) => shared[kind].has(file));
        // What the shared files are made of stands in them.
        if (kind === undefined || sharedFiles[kind] === name) return undefined;
        const target = posix.relative(posix.dirname(name), sharedFiles[kind]);
        return { path: target.startsWith(".") ? target : `./${target}`, external: true };
      });
    },
  };
}

/** Throws if two modules export the same name, which a file of both could not. */
function checkNames(outputs: Metafile["outputs"]): void {
  const seen = new Map<string, string>();
  for (const { entryPoint = "", exports } of Object.values(outputs)) {
    for (const name of exports) {
      const other = seen.get(name);
      if (other !== undefined) {
        throw new Error(`Cannot bundle: ${other} and ${entryPoint} both export ${name}`);
      }
      seen.set(name, entryPoint);
    }
  }
}

/**
 * Joins the modules in `folder` into one file for each of `entries`, and what several of them use into one more, or two
 * where some of that needs Node: to find and open many files takes longer than to run them. Declarations stay. Each file
 * gets a source map, which has the sources of `root` in it.
 */
export async function bundleExports(
  folder: string,
  entries: readonly string[],
  root: string,
): Promise<void> {
  const read = async (files: readonly string[], options: BuildOptions = {}): Promise<Metafile> => {
    const { metafile } = await build({
      ...{ ...settings, absWorkingDir: folder, outdir: ".", sourcemap: false, ...options },
      ...{ metafile: true, entryPoints: [...files] },
    });
    return metafile;
  };
  const shared = findShared((await read(entries)).inputs, entries);
  // Each by itself: bundled, every one of them would be linked with all that it imports.
  const alone: BuildOptions = { bundle: false, external: undefined };
  for (const modules of Object.values(shared)) {
    checkNames((await read([...modules], alone)).outputs);
  }
  const parts: Record<string, readonly string[]> = {
    [sharedFiles.web]: [...shared.web],
    [sharedFiles.node]: [...shared.node],
    ...Object.fromEntries(entries.map((entry) => [entry, [entry]])),
  };
  const texts = new Map<string, string>();
  for (const [name, modules] of Object.entries(parts)) {
    if (modules.length === 0) continue;
    const contents = modules.map((path) => `export * from "./${path}";\n`).join("");
    const { outputFiles } = await build({
      ...settings,
      absWorkingDir: folder,
      outfile: name,
      stdin: { contents, resolveDir: folder, sourcefile: `exports of ${name}` },
      plugins: [leaveShared(folder, name, shared)],
    });
    for (const { path, text } of outputFiles) {
      const file = relative(folder, path).split(sep).join("/");
      if (!file.endsWith(".map")) texts.set(file, markPure(text));
      else {
        const place = { folder: dirname(path), root, file: `dist/${file}` };
        texts.set(file, portableMap(text, place));
      }
    }
  }
  for (const path of await readdir(folder, { recursive: true })) {
    if (path.endsWith(".js")) await rm(join(folder, path));
  }
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  // What is missing is an error here.
  await read(Object.keys(parts).filter((name) => texts.has(name)));
}
