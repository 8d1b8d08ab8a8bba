import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readRuns } from "../bench/results/read_result_file.ts";
import type { ResultFile } from "../bench/results/result.ts";
import { parseCommandLine, resolvePath } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { generators } from "./documents/generators.ts";
import { drawOperator } from "./documents/operators/draw_operator.ts";
import { operatorPrograms } from "./documents/operators/operator_programs.ts";
import { Anchors } from "./site/markdown/render_markdown.ts";
import { bullet } from "./documents/markdown_table.ts";

/** A page's table of contents: its headings of the second level as links, in one list. */
export function contents(page: string): string {
  const anchors = new Anchors();
  const headings = page.replace(/^```.*?^```/gms, "").matchAll(/^(#+) (.*)$/gm);
  const links = Array.from(headings, ([, level, title]) => {
    const anchor = anchors.next(title!);
    // A link is not broken, as `deno fmt` does not break one.
    return level === "##" ? [`[${title!.replaceAll(" ", "\u2060")}](#${anchor})`] : [];
  }).flat();
  return bullet(`On this page: ${links.join(", ")}`).replaceAll("\u2060", " ");
}

const block = /^(<!-- generated:([a-z0-9-]+) -->\n)(.*?)(^<!-- \/generated:\2 -->$)/gms;

/**
 * Replaces what stands between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`, each on a
 * line of its own, by what `generate` makes of the name.
 *
 * @throws {Error} If a block is opened and not closed.
 */
function replaceGenerated(text: string, generate: (name: string) => string): string {
  let replaced = 0;
  const fresh = text.replaceAll(block, (_all, opening: string, name: string, _old, closing) => {
    replaced++;
    return `${opening}\n${generate(name).trim()}\n\n${closing}`;
  });
  const opened = text.match(/^<!-- generated:.*$/gm)?.length ?? 0;
  if (opened !== replaced) {
    throw new Error(`Cannot replace generated blocks: ${opened} opened, ${replaced} whole`);
  }
  return fresh;
}

/** The images that documents show and that are drawn again, by file name; each time the same to the byte. */
const images: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  Object.entries(operatorPrograms).map(([name, program]) => [
    `operator-${name}.svg`,
    () => drawOperator(name, program),
  ]),
);

/** The runs that were published together, or what there is. */
async function committedRuns(folder: URL): Promise<readonly ResultFile[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const name = names.includes("published.json") ? "published.json" : "latest.json";
  return await readRuns(fileURLToPath(new URL(name, folder)));
}

const root = new URL("../", import.meta.url);

async function defaultDocuments(): Promise<string[]> {
  const docs = await readdir(new URL("docs/", root), { recursive: true }).catch((): string[] => []);
  return ["README.md", ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)]
    .map((name) => fileURLToPath(new URL(name, root)));
}

/** Draws every image again; returns the paths of those that differ from what is there. */
async function updateImages(
  folder: string,
  check: boolean,
) {
  const stale: string[] = [];
  for (const [name, draw] of Object.entries(images)) {
    const path = join(folder, name);
    const fresh = await draw();
    if (fresh === await readFile(path, "utf8").catch(() => undefined)) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(folder, { recursive: true });
    await writeFile(path, fresh);
  }
  return stale;
}

/** The command that regenerates the documents' tables; returns its exit code. */
export async function readme(args: readonly string[]): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task dev readme",
    about: "Writes measured tables into README.md and docs/*.md, or the documents named,\n" +
      "between <!-- generated:NAME --> and <!-- /generated:NAME -->, and draws their images.",
    positional: "[DOCUMENT…]",
    flags: {
      results: {
        kind: "text",
        value: "FILE",
        about: "default: committed results, or the latest run",
      },
      images: {
        kind: "text",
        value: "FOLDER",
        about: "where images go; default: docs/images, none if documents are named",
      },
      check: { kind: "boolean", about: "change nothing; exit 1 if something would change" },
    },
    examples: ["deno task dev readme", "deno task dev readme docs/benchmarks.md --check"],
  });
  const named = flags._.length > 0;
  const folder = flags.images ?? (named ? undefined : fileURLToPath(new URL("docs/images", root)));
  const documents = named ? flags._ : await defaultDocuments();
  const runs = flags.results === undefined
    ? await committedRuns(new URL("bench/results/", root))
    : await readRuns(resolvePath(flags.results));
  let stale = 0;
  for (const document of documents) {
    const text = await readFile(document, "utf8");
    const fresh = replaceGenerated(text, (name) => {
      if (name === "contents") return contents(text);
      const generate = Object.hasOwn(generators, name) ? generators[name] : undefined;
      if (generate === undefined) {
        const known = Object.keys(generators).join(", ");
        throw new Error(`${document}: no generator ${name}; the generators are ${known}`);
      }
      return generate(runs);
    });
    if (fresh === text) continue;
    stale++;
    if (flags.check) console.error(`${document}: generated blocks are stale`);
    else await writeFile(document, fresh);
    if (!flags.check) console.log(`${document}: updated`);
  }
  for (
    const path of folder === undefined ? [] : await updateImages(folder, flags.check)
  ) {
    stale++;
    if (flags.check) console.error(`${path}: stale`);
    else console.log(`${path}: updated`);
  }
  return flags.check && stale > 0 ? 1 : 0;
}

if (import.meta.main) await runCommand((args) => readme(args), process.argv.slice(2));
