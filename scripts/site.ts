import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { checkWritable, realPath } from "../scenarios/command_line/check_writable.ts";
import {
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../scenarios/command_line/parse_command_line.ts";
import { type NeedsOf, netNeeds, runCommand } from "../scenarios/command_line/run_command.ts";
import { esbuildProgram } from "./launch/esbuild_program.ts";
import { allowHostFlag } from "../scenarios/serve/running_server.ts";
import { servePages } from "../scenarios/serve/serve_pages.ts";
import { buildSite } from "./site/build_site.ts";

function countOf(files: ReadonlyMap<string, string>): string {
  return `${[...files.keys()].filter((path) => path.endsWith(".html")).length} pages`;
}

async function write(folder: string): Promise<void> {
  const path = resolvePath(folder);
  await mkdir(path, { recursive: true }).catch((error) => {
    throw new UsageError(`Cannot write --out ${folder}: ${error.code ?? error}`);
  });
  await checkWritable("--out", join(path, "index.html"));
  const files = await buildSite();
  for (const [name, text] of files) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  console.log(`${join(path, "index.html")}: ${countOf(files)}`);
}

function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task site",
    about:
      "Builds the site, with the documentation, the reference of every export and the playground,\n" +
      "and serves it until Ctrl-C.",
    examples: ["deno task site --port 0", "deno task site --out public"],
    flags: {
      out: { kind: "text", value: "DIR", about: "writes the site there, and serves nothing" },
      port: { kind: "integer", about: "0 takes any free one; default: 8080", maximum: 65535 },
      host: { kind: "text", value: "HOST", about: "address to listen on; default: 127.0.0.1" },
      "allow-host": allowHostFlag,
    },
  });
  const { port = 8080, host = "127.0.0.1" } = flags;
  return { ...flags, port, host };
}

/** What the command needs: a folder to write to may have to be made, with those above it. */
export const siteNeeds: NeedsOf = async (args) => {
  const { out, host, port } = readFlags(args);
  const run = [esbuildProgram()];
  if (out !== undefined) return { needs: { run, write: [realPath(resolvePath(out))] } };
  return { needs: { run, net: await netNeeds(host, port) } };
};

/** The command `deno task site`; returns its exit code. */
export async function site(
  args: readonly string[],
  signal: AbortSignal,
): Promise<number | void> {
  const { out, host, port, "allow-host": allowHost } = readFlags(args);
  if (out !== undefined) return await write(out);
  const files = await buildSite();
  const served = new Map([...files].flatMap(([path, text]): [string, string][] => [
    [`/${path}`, text],
    ...path.endsWith("index.html")
      ? [[`/${path.slice(0, -"index.html".length)}`, text] as [string, string]]
      : [],
  ]));
  await servePages(served, { host, port, allowHost, note: countOf(files), signal });
}

if (import.meta.main) await runCommand(site, process.argv.slice(2));
