import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Plugin, stop } from "esbuild";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { messageDelays } from "../../scenarios/concurrency/last_admitting_sink.ts";
import { demos } from "../../scenarios/demo/demos.ts";
import { recordDemo } from "../../scenarios/demo/record_demo.ts";
import { runsInPlayground } from "../site/site_pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The parts of the library that the playground takes from `src` itself. */
const parts = [
  "mod.ts",
  "src/kernels/name_of_part.ts",
  "src/inspect/bottleneck.ts",
  "src/inspect/mod.ts",
  "src/sinks/writer.ts",
  "src/workers/mod.ts",
];

/** The module that exports all of them. */
const libraryEntry: string = parts
  .map((path, index) => `export * as part${index} from "./${path}";\n`).join("");

/** Takes what is imported of the library from the script that has all of it, so that a page holds it once. */
const sharedLibrary: Plugin = {
  name: "shared library",
  setup(build) {
    build.onResolve({ filter: /^@hosepipe\/streams$/ }, () => ({ path: "0", namespace: "shared" }));
    build.onResolve({ filter: /^@hosepipe\/streams\/inspect$/ }, () => ({
      path: String(parts.indexOf("src/inspect/mod.ts")),
      namespace: "shared",
    }));
    build.onResolve({ filter: /\/src\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const file = relative(root, fileURLToPath(new URL(path, `file://${resolveDir}/`)))
        .replaceAll("\\", "/");
      const index = parts.indexOf(file);
      if (index < 0) {
        return { errors: [{ text: `${file} is not among the parts that are shared` }] };
      }
      return { path: String(index), namespace: "shared" };
    });
    build.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
      contents: `module.exports = hosepipeLibrary.part${path};`,
    }));
  },
};

/** Runs the demos on node streams, on a clock of its own, with the delays that the page gives to Web Streams. */
async function recordNodeLogs() {
  const logs: Record<string, object[]> = {};
  for (const demo of demos) {
    const events = await recordDemo(demo, "node", messageDelays(demo.messages, seededRandom(1)));
    logs[demo.number] = events.map(({ hose: _, answer: __, ...event }) => event);
  }
  const { name, version } = currentRuntime();
  return { recordedIn: `${name} ${version}`, demos: logs };
}

/** The first block under each heading of the recipes that runs in the playground as it stands. */
async function readRecipes() {
  const text = await readFile(new URL("../../docs/recipes.md", import.meta.url), "utf8");
  return text.split(/^## /m).slice(1).flatMap((section) => {
    const name = section.slice(0, section.indexOf("\n"));
    const blocks = Array.from(section.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code!);
    const code = blocks.find(runsInPlayground);
    return code === undefined ? [] : [{ name, code }];
  });
}

/** The parts of sucrase for other languages than TypeScript, for other modules and for maps of sources. */
const unused =
  /[\\/]sucrase[\\/]dist[\\/]esm[\\/](?:CJSImportProcessor|computeSourceMap|formatTokens|parser[\\/]plugins[\\/](?:flow|jsx[\\/]\w+)|transformers[\\/](?:CJSImport|Flow|JSX|Jest\w*|ReactDisplayName|ReactHotLoader)Transformer)\.js$/;

/** Leaves out of sucrase what does not strip types, which is half of it. */
const onlyTypes: Plugin = {
  name: "only types",
  setup(build) {
    build.onLoad({ filter: unused }, () => ({ contents: "module.exports = {};", loader: "js" }));
    // Options are checked by a library of its own; ours are in one place, and are right.
    build.onLoad({ filter: /[\\/]sucrase[\\/]dist[\\/]esm[\\/]Options\.js$/ }, () => ({
      contents: "export function validateOptions() {}",
      loader: "js",
    }));
  },
};

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
        builtRecipes: JSON.stringify(await readRecipes()),
        builtNodeLogs: JSON.stringify(await recordNodeLogs()),
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
