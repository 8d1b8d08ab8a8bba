import { readdir, rm, writeFile } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";

const opening = /^var (\w+) = (?:class( \w+)?( extends [^{]+)?|(\[|\{))(?: \{)?$/;
const call = /^(var \w+ = )((?:new )?[\w$.]+\(|"[^"]*"\.)/;
/** What the making of a class or a list calls. */
const computedOrStatic =
  /^ {2}(?:(?:async|get|set|static) |\*)*\[(?!Symbol\.)|^ {2}static [#\w]+ = /;
const spreadOrComputed = /^ {2}(?:\.\.\.|\[(?!Symbol\.))/;
/** A call among the arguments of another. */
const innerCall = /([(,] ?)((?:new )?[\w$]+(?:\.[\w$]+)*\()/g;

/** The line that ends what `start` begins: what esbuild writes is indented. */
function endOf(lines: readonly string[], start: number, closing: string): number {
  return lines.indexOf(`${closing};`, start + 1);
}

/**
 * Marks what a bundler may leave out of a module that esbuild has made of several. Of a module that no one uses
 * `sideEffects` in package.json says so; within one, a bundler keeps each class that extends another or has a computed
 * name, with all that it needs.
 *
 * @param text The module; nothing that it declares at its top may do anything but make a value.
 */
function markPure(text: string): string {
  const lines = text.split("\n");
  lines.forEach((line, start) => {
    const found = opening.exec(line);
    if (found === null) {
      const marked = line.replace(call, "$1/* @__PURE__ */ $2");
      const mayMarkInner = marked !== line && !/["'`]/.test(line);
      lines[start] = mayMarkInner ? marked.replace(innerCall, "$1/* @__PURE__ */ $2") : marked;
      return;
    }
    const [, name, inner = ` ${name}`, parent = "", bracket] = found;
    const closing = bracket === "[" ? "]" : "}";
    const end = endOf(lines, start, closing);
    if (end === -1) return;
    const isClass = bracket === undefined;
    const mayAct = isClass ? computedOrStatic : spreadOrComputed;
    if (parent === "" && !lines.slice(start, end).some((part) => mayAct.test(part))) return;
    const isObject = bracket === "{";
    const value = isClass ? `class${inner}${parent} {` : isObject ? "({" : "[";
    lines[start] = `var ${name} = /* @__PURE__ */ (() => ${value}`;
    lines[end] = `${closing}${isObject ? ")" : ""})();`;
  });
  return lines.join("\n");
}

/** The modules that several exports use. */
interface SharedModules {
  readonly web: ReadonlySet<string>;
  /** Those that need Node's modules, or a module that does: browsers have none. */
  readonly node: ReadonlySet<string>;
}

/** Finds the modules that are reached from several of `entries`, but for these themselves. */
function findShared(inputs: Metafile["inputs"], entries: readonly string[]): SharedModules {
  const reach = (from: string): Set<string> => {
    const reached = new Set([from]);
    for (const path of reached) {
      for (const { path: next, external } of inputs[path]!.imports) {
        if (external !== true) reached.add(next);
      }
    }
    return reached;
  };
  const needsNode = (from: string): boolean =>
    [...reach(from)].some((path) => inputs[path]!.imports.some(({ external }) => external));
  const counts = new Map<string, number>();
  for (const entry of entries) {
    for (const path of reach(entry)) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const shared = [...counts.keys()].filter((path) =>
    counts.get(path)! > 1 && !entries.includes(path)
  ).sort();
  return {
    web: new Set(shared.filter((path) => !needsNode(path))),
    node: new Set(shared.filter(needsNode)),
  };
}

const sharedFiles = { web: "shared.js", node: "shared_node.js" } as const;

const settings = {
  bundle: true,
  format: "esm",
  // Whichever runtime loads it: nothing is lowered.
  target: "esnext",
  platform: "neutral",
  external: ["node:*"],
  legalComments: "none",
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
 * where some of that needs Node: to find and open many files takes longer than to run them. Declarations stay. There are
 * no source maps: the files have names and lines to read, and maps with the sources in them would be three times as large.
 */
export async function bundleExports(
  folder: string,
  entries: readonly string[],
): Promise<void> {
  const read = async (files: readonly string[], options: BuildOptions = {}): Promise<Metafile> => {
    const { metafile } = await build({
      ...settings,
      absWorkingDir: folder,
      outdir: ".",
      ...options,
      metafile: true,
      entryPoints: [...files],
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
    texts.set(name, markPure(outputFiles[0]!.text));
  }
  for (const path of await readdir(folder, { recursive: true })) {
    if (path.endsWith(".js")) await rm(join(folder, path));
  }
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  // What is missing is an error here.
  await read(Object.keys(parts).filter((name) => texts.has(name)));
}
