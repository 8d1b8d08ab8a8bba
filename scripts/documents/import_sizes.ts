import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";
import * as hosepipe from "../../mod.ts";
import { markdownTable } from "./markdown_table.ts";

const root = new URL("../../", import.meta.url);

interface Page {
  readonly module: string;
  readonly document: string;
  /** What is imported, as in `import { map } from "@hosepipe/streams"`. */
  readonly imports: readonly string[];
}

/** Each export alone, then what is often imported together. */
const library = [
  ...Object.keys(hosepipe).sort(),
  "fuse, map",
  "pipeline, map",
  "pipeline, map, filter, lines, batch, parallel",
  "probe, observe",
  "*",
];

const formats = [
  ...["parseCsv", "formatCsv", "parseSse", "formatSse", "sseResponse", "sseSource"],
  ...["parseMultipart", "*"],
];

/** Figures this close to those that are printed are not printed again: each small change would touch the page. */
const tolerance = 0.05;

type Sizes = readonly [minified: number, zipped: number];

/** The sizes in KiB of a bundle for each of `imports`, in one build: what they share is parsed once. */
async function measure(module: string, imports: readonly string[]): Promise<Sizes[]> {
  const from = JSON.stringify(fileURLToPath(new URL(module, root)));
  const { outputFiles } = await build({
    entryPoints: imports.map((_, index) => ({ in: `import:${index}`, out: `${index}` })),
    plugins: [{
      name: "imports",
      setup({ onLoad, onResolve }) {
        onResolve({ filter: /^import:/ }, ({ path }) => ({ path, namespace: "imports" }));
        onLoad({ filter: /^import:/, namespace: "imports" }, ({ path }) => {
          const names = imports[Number(path.slice("import:".length))]!;
          const what = names === "*" ? "*" : `{ ${names} }`;
          return { contents: `export ${what} from ${from};`, resolveDir: fileURLToPath(root) };
        });
      },
    }],
    outdir: fileURLToPath(root),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    write: false,
  });
  const contents = new Map(
    outputFiles.map(({ path, contents }) => [Number(basename(path, ".js")), contents]),
  );
  return imports.map((_, index) => {
    const bytes = contents.get(index)!;
    return [bytes.length / 1024, gzipSync(bytes, { level: 9 }).length / 1024];
  });
}

/** The sizes that the page has now, by what is imported. */
function printedSizes(page: string): Map<string, readonly number[]> {
  const rows = page.matchAll(/^\| `([^`]+)` +\| +([\d.]+) KiB +\| +([\d.]+) KiB +\|$/gm);
  return new Map([...rows].map(([, names, ...sizes]) => [names!, sizes.map(Number)]));
}

async function tabulate({ module, document, imports }: Page): Promise<string> {
  const printed = printedSizes(await readFile(new URL(document, root), "utf8"));
  const measured = await measure(module, imports);
  const rows = imports.map((names, row) => {
    const sizes = measured[row]!.map((size, index) => {
      const before = printed.get(names)?.[index];
      const isClose = before !== undefined && Math.abs(size - before) <= tolerance * before;
      return `${(isClose ? before : size).toFixed(1)} KiB`;
    });
    return [`\`${names}\``, ...sizes];
  });
  return markdownTable(["import", "minified", "and gzipped"], rows);
}

/** What importing parts of the library adds to a bundle; the rest is left out of it. */
export const importSizes: string = await tabulate({
  ...{ module: "mod.ts", document: "docs/platforms.md", imports: library },
});

/** The same of each format. */
export const formatSizes: string = await tabulate({
  ...{ module: "src/formats/mod.ts", document: "docs/formats.md", imports: formats },
});

await stop();
