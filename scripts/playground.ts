import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { checkWritable } from "./command_line/check_writable.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import { readHosts, refusalOf } from "../src/files/check_host.ts";
import { netNeeds } from "./launch/net_needs.ts";
import { realPath } from "./launch/real_path.ts";
import type { NeedsOf } from "./launch/task_needs.ts";
import { buildPage } from "./playground/build_page.ts";
import { allowHostFlag, localHosts } from "./serve/local_hosts.ts";

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

async function serve(
  host: string,
  port: number,
  allowedHosts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const page = await buildPage();
  const server = createServer(({ method, url = "", headers }, response) => {
    const refusal = refusalOf(headers.host, allowedHosts);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { "content-type": "text/plain" });
      return void response.end(refusal.text);
    }
    const isPage = /^\/(?:index\.html)?(?:\?.*)?$/.test(url) &&
      (method === "GET" || method === "HEAD");
    response.writeHead(isPage ? 200 : 404, {
      "content-type": isPage ? "text/html; charset=utf-8" : "text/plain",
      "cache-control": "no-store",
    });
    response.end(isPage ? page : "not found\n");
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: taken } = server.address() as AddressInfo;
  console.log(
    `http://${host.includes(":") ? `[${host}]` : host}:${taken}/ (${describeSize(page)})`,
  );
  if (!signal.aborted) await once(signal, "abort");
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task playground",
    about:
      "Builds the playground, one page that shows streams at work, and serves it until Ctrl-C.",
    examples: ["deno task playground --port 0", "deno task playground --out site"],
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

/** The program that esbuild starts. */
function esbuildProgram(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("esbuild"));
  const file = process.platform === "win32" ? "esbuild.exe" : "bin/esbuild";
  return resolve(`@esbuild/${process.platform}-${process.arch}/${file}`);
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
  const hosts = localHosts(host, flags["allow-host"]);
  const allowedHosts = readHosts("serve", "--allow-host", hosts)!;
  try {
    await serve(host, port, allowedHosts, signal);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "the address is in use" : message;
    throw new Error(`Cannot listen on ${host}:${port}: ${reason}`, { cause: error });
  }
}

if (import.meta.main) await runCommand(playground, process.argv.slice(2));
