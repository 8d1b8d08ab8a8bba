import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { runCommand } from "./command_line/run_command.ts";
import { ask, type Question } from "./serve_features/ask.ts";
import { allFeatures, type Feature, type Tags } from "./serve_features/features.ts";
import { withSampleSite } from "./serve_features/sample_site.ts";
import { type FileServer, findNginx, nginx, ourServers, peers } from "./serve_features/servers.ts";

const page = new URL("../docs/serve-http.md", import.meta.url);

/** Which features a server has, by their names. */
export async function featuresOf(server: FileServer, root: string): Promise<Set<Feature>> {
  const found = new Set<Feature>();
  for (const isSpa of [false, true]) {
    const { port, close } = await server.start(root, isSpa);
    try {
      const tagOf = async (question: Question) =>
        (await ask(port, question))?.headers.etag ?? '"none"';
      const encoded = { target: "/app.js", headers: { "accept-encoding": "gzip" } };
      const tags: Tags = {
        plain: await tagOf({ target: "/hello.txt" }),
        encoded: await tagOf(encoded),
      };
      const own = { ...tags, plain: await tagOf({ target: "/app.js" }) };
      for (const feature of allFeatures.filter((one) => (one.ofSpa ?? false) === isSpa)) {
        const answer = await ask(port, feature.ask(tags));
        const isOfTags = feature.group === "Encoded files";
        if (answer !== undefined && feature.has(answer, isOfTags ? own : tags)) found.add(feature);
      }
    } finally {
      await close();
    }
  }
  return found;
}

/** The features that a peer has and one of ours lacks. */
export function missingFeatures(
  had: ReadonlyMap<FileServer, ReadonlySet<Feature>>,
): Feature[] {
  return allFeatures.filter((feature) => {
    const isHad = ([, features]: [FileServer, ReadonlySet<Feature>]) => features.has(feature);
    const [own, others] = [[...had].filter(([one]) => ourServers.includes(one)), [...had]];
    return others.some(isHad) && !own.every(isHad);
  });
}

function render(had: ReadonlyMap<FileServer, ReadonlySet<Feature>>): string {
  const servers = [...had.keys()];
  const lines: string[] = [];
  for (const group of new Set(allFeatures.map((feature) => feature.group))) {
    lines.push(`| ${[`**${group}**`, ...servers.map(() => "")].join(" | ")} |`);
    for (const feature of allFeatures.filter((one) => one.group === group)) {
      const cells = servers.map((server) => had.get(server)!.has(feature) ? "✓" : "–");
      lines.push(`| ${[feature.name, ...cells].join(" | ")} |`);
    }
  }
  const head = [
    `| ${["", ...servers.map(({ name }) => name)].join(" | ")} |`,
    `| ${["---", ...servers.map(() => ":-:")].join(" | ")} |`,
  ];
  return [...head, ...lines].join("\n");
}

/** Asks every server the same; what is unavailable is named. */
export async function compareFeatures(): Promise<Map<FileServer, Set<Feature>>> {
  const version = await findNginx();
  if (version === undefined) console.error("Left out: nginx, which is not on PATH");
  const servers = [...ourServers, ...peers, ...version === undefined ? [] : [nginx]];
  return await withSampleSite(async (root) => {
    const had = new Map<FileServer, Set<Feature>>();
    for (const server of servers) had.set(server, await featuresOf(server, root));
    return had;
  });
}

/** The command `deno task serve:features`; returns its exit code. */
async function serveFeatures(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task serve:features",
    about:
      "Asks sirv, send, srvx, nginx and our file handlers the same requests, all under Node, and\n" +
      "prints what each of them can do. Exits 1 if another one has a feature that ours lacks.",
    flags: { write: { kind: "boolean", about: "also puts the table into docs/serve-http.md" } },
    examples: ["deno task serve:features", "deno task serve:features --write"],
  });
  if (currentRuntime().name !== "node") {
    const script = fileURLToPath(import.meta.url);
    return await runInRuntime(await findRuntime("node"), script, args, signal);
  }
  const had = await compareFeatures();
  const table = render(had);
  console.log(table);
  if (flags.write) {
    const text = await readFile(page, "utf8");
    const block = /(<!-- serve-features -->\n)[^]*?(\n<!-- \/serve-features -->)/;
    if (!block.test(text)) throw new Error("docs/serve-http.md has no place for the table");
    await writeFile(page, text.replace(block, (_, from, to) => `${from}\n${table}\n${to}`));
  }
  const missing = missingFeatures(had);
  for (const { group, name } of missing) console.error(`Ours lack: ${group}, ${name}`);
  return missing.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  await runCommand(serveFeatures);
  process.exit();
}
