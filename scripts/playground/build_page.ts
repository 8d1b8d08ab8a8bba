import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, stop } from "esbuild";
import { onlyTypes } from "./only_types.ts";
import { libraryEntry, sharedLibrary } from "./shared_library.ts";
import { readRecipes } from "./read_recipes.ts";
import { recordNodeLogs } from "./record_node_logs.ts";

const folder = new URL("../../playground/", import.meta.url);

const common: BuildOptions = {
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  platform: "browser",
  target: "es2024",
  logLevel: "silent",
  absWorkingDir: fileURLToPath(new URL("../../", import.meta.url)),
};

async function bundle(path: string, options: BuildOptions): Promise<string> {
  const entry = fileURLToPath(new URL(path, folder));
  const { outputFiles } = await build({ ...common, entryPoints: [entry], ...options });
  return outputFiles![0]!.text;
}

/** The library as a script by itself, which the page runs and gives to its workers. */
async function buildLibrary(): Promise<string> {
  const { outputFiles } = await build({
    ...common,
    stdin: { contents: libraryEntry, resolveDir: common.absWorkingDir!, loader: "ts" },
    format: "iife",
    globalName: "hosepipeLibrary",
  });
  return outputFiles![0]!.text;
}

/** An inline script ends at the first of these, wherever it stands. */
function inline(script: string): string {
  return script.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");
}

/** Builds the playground: one page that holds all it needs. */
export async function buildPage(): Promise<string> {
  try {
    const library = await buildLibrary();
    const plugins = [sharedLibrary, onlyTypes];
    const worker = await bundle("worker/worker.ts", { format: "iife", plugins });
    const script = await bundle("main.tsx", {
      format: "esm",
      plugins,
      jsx: "automatic",
      jsxImportSource: "preact",
      define: {
        builtWorkerSource: JSON.stringify(worker),
        builtRecipes: JSON.stringify(JSON.stringify(await readRecipes())),
        builtNodeLogs: JSON.stringify(JSON.stringify(await recordNodeLogs())),
      },
    });
    const style = await bundle("style/main.css", {});
    const page = await readFile(new URL("page.html", folder), "utf8");
    // Functions, since a replacement text would have marks of its own.
    return page
      .replace("/* style */", () => style.trim())
      .replace("/* library */", () => inline(library.trim()))
      .replace("/* script */", () => inline(script.trim()));
  } finally {
    await stop();
  }
}
