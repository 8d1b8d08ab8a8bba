import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { checkWritable, realPath } from "../../scenarios/command_line/check_writable.ts";
import {
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../../scenarios/command_line/parse_command_line.ts";
import { type NeedsOf, netNeeds } from "../../scenarios/command_line/run_command.ts";
import { allowHostFlag } from "../../scenarios/serve/running_server.ts";
import { servePages } from "../../scenarios/serve/serve_pages.ts";

/** Pages that a command makes, to be written or served. */
interface PagesOptions {
  readonly command: string;
  readonly about: string;
  /** What `--out` does. */
  readonly out: string;
  readonly examples: readonly [string, string];
  /** The text of each file by its path; one is `index.html`. */
  build(): Promise<ReadonlyMap<string, string>>;
  /** What is said of the files. */
  describe(files: ReadonlyMap<string, string>): string;
}

/** A command, and what it needs. */
interface PagesCommand {
  readonly needs: NeedsOf;
  run(args: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The program that esbuild starts. */
function esbuildProgram(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("esbuild"));
  const file = process.platform === "win32" ? "esbuild.exe" : "bin/esbuild";
  return resolve(`@esbuild/${process.platform}-${process.arch}/${file}`);
}

/** Makes a command that builds pages, and serves them until Ctrl-C or writes them. */
export function pagesCommand(
  { command, about, out: aboutOut, examples, build, describe }: PagesOptions,
): PagesCommand {
  function readFlags(args: readonly string[]) {
    return parseCommandLine(args, {
      ...{ command, about, examples },
      flags: {
        out: { kind: "text", value: "DIR", about: aboutOut },
        port: { kind: "integer", about: "0 takes any free one", default: 8080, maximum: 65535 },
        host: { kind: "text", value: "HOST", about: "address to listen on", default: "127.0.0.1" },
        "allow-host": allowHostFlag,
      },
    });
  }

  async function write(folder: string): Promise<void> {
    const path = resolvePath(folder);
    await mkdir(path, { recursive: true }).catch((error) => {
      throw new UsageError(`Cannot write --out ${folder}: ${error.code ?? error}`);
    });
    const index = await checkWritable("--out", join(path, "index.html"));
    const files = await build();
    for (const [name, text] of files) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    console.log(`${index}: ${describe(files)}`);
  }

  return {
    // A folder to write to may have to be made, with those above it.
    async needs(args) {
      const { out, host, port } = readFlags(args);
      const run = [esbuildProgram()];
      if (out !== undefined) return { needs: { run, write: [realPath(resolvePath(out))] } };
      return { needs: { run, net: await netNeeds(host, port) } };
    },
    async run(args, signal) {
      const { out, host, port, "allow-host": allowHost } = readFlags(args);
      if (out !== undefined) return await write(out);
      const files = await build();
      const served = new Map([...files].flatMap(([path, text]): [string, string][] => [
        [`/${path}`, text],
        ...path.endsWith("index.html")
          ? [[`/${path.slice(0, -"index.html".length)}`, text] as [string, string]]
          : [],
      ]));
      await servePages(served, { host, port, allowHost, note: describe(files), signal });
    },
  };
}
