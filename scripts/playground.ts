import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { checkWritable, realPath } from "../scenarios/command_line/check_writable.ts";
import {
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../scenarios/command_line/parse_command_line.ts";
import { type NeedsOf, netNeeds, runCommand } from "../scenarios/command_line/run_command.ts";
import { esbuildProgram } from "./launch/esbuild_program.ts";
import { buildPage } from "./playground/build_page.ts";
import { allowHostFlag } from "../scenarios/serve/running_server.ts";
import { servePages } from "../scenarios/serve/serve_pages.ts";

function describeSize(page: string): string {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} KB`;
  const bytes = new TextEncoder().encode(page);
  return `${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} gzipped`;
}

async function write(folder: string): Promise<void> {
  const path = resolvePath(folder);
  await mkdir(path, { recursive: true }).catch((error) => {
    throw new UsageError(`Cannot write --out ${folder}: ${error.code ?? error}`);
  });
  const file = await checkWritable("--out", join(path, "index.html"));
  const page = await buildPage();
  await writeFile(file, page);
  console.log(`${file}: ${describeSize(page)}`);
}

function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task playground",
    about:
      "Builds the playground, one page that shows streams at work, and serves it until Ctrl-C.",
    examples: ["deno task playground --port 0", "deno task playground --out page"],
    flags: {
      out: { kind: "text", value: "DIR", about: "writes index.html there, and serves nothing" },
      port: { kind: "integer", about: "0 takes any free one; default: 8080", maximum: 65535 },
      host: { kind: "text", value: "HOST", about: "address to listen on; default: 127.0.0.1" },
      "allow-host": allowHostFlag,
    },
  });
  const { port = 8080, host = "127.0.0.1" } = flags;
  return { ...flags, port, host };
}

/** What the command needs: a folder to write to may have to be made, with those above it. */
export const playgroundNeeds: NeedsOf = async (args) => {
  const { out, host, port } = readFlags(args);
  const run = [esbuildProgram()];
  if (out !== undefined) return { needs: { run, write: [realPath(resolvePath(out))] } };
  return { needs: { run, net: await netNeeds(host, port) } };
};

/** The command `deno task playground`; returns its exit code. */
export async function playground(
  args: readonly string[],
  signal: AbortSignal,
): Promise<number | void> {
  const flags = readFlags(args);
  const { out, port, host } = flags;
  if (out !== undefined) return await write(out);
  const page = await buildPage();
  const served = new Map([["/", page], ["/index.html", page]]);
  const allowHost = flags["allow-host"];
  await servePages(served, { host, port, allowHost, note: describeSize(page), signal });
}

if (import.meta.main) await runCommand(playground, process.argv.slice(2));
