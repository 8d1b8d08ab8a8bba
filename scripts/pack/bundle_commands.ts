import { readFile } from "node:fs/promises";
import { basename, relative } from "node:path";
import { build, type Plugin } from "esbuild";

/** What commands start as a thread or a process of its own, by its file. */
const started = [
  "scenarios/consume/order_stages.ts",
  "scenarios/consume/worker.ts",
  "scenarios/extract/threads/read_thread.ts",
];

/** The packages that are bundled; all others are clients of databases and brokers, the user's own. */
const bundled = /^(?:srvx|@std)\//;

/** Has modules name what they start as it lies in the package, commands as they are typed there, and clients as they are. */
const packed: Plugin = {
  name: "packed",
  setup({ onLoad, onResolve }) {
    onResolve(
      { filter: /^[^.]/ },
      ({ path, kind }) =>
        kind === "entry-point" || bundled.test(path) ? undefined : { path, external: true },
    );
    onLoad({ filter: /[\\/](?:cli|scenarios|runtimes)[\\/].*\.ts$/ }, async ({ path }) => {
      if (path.includes("node_modules")) return undefined;
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll(/new URL\("(?:[\w.]+\/)*(\w+)\.ts", import\.meta\.url\)/g, (_, name) => {
          if (started.some((file) => basename(file) === `${name}.ts`)) {
            return `new URL("${name}.js", import.meta.url)`;
          }
          throw new Error(
            `Cannot bundle: ${path} starts ${name}.ts, which is not among the entries`,
          );
        })
        .replaceAll(/deno task (?=serve|extract|load|consume|queue|demo)/g, "hosepipe ");
      return { contents, loader: "ts" };
    });
  },
};

/**
 * Bundles the commands into files beside each other in `folder`, `main.js` and what it loads; returns the packages that
 * they import if the user has them.
 */
export async function bundleCommands(folder: string, root: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["cli/main.ts", ...started].map((file) => ({
      in: file,
      out: basename(file, ".ts"),
    })),
    outdir: relative(root, folder),
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "esnext",
    platform: "node",
    charset: "utf8",
    legalComments: "none",
    logLevel: "error",
    metafile: true,
    plugins: [packed],
    // Node 22 has no import.meta.main.
    define: { "import.meta.main": "isMain" },
    banner: {
      js: "#!/usr/bin/env node\n" +
        'import { pathToFileURL as urlOf } from "node:url";\n' +
        "const isMain = import.meta.url === urlOf(process.argv[1] ?? '').href;",
    },
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external && !/^(?:node|bun):/.test(path))
    .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0]);
  return [...new Set(imported)].sort();
}
