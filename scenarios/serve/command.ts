import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime, runtimeNames } from "../../runtimes/current_runtime.ts";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { runInRuntime } from "../../runtimes/run_in_runtime.ts";
import { serveApis, startServer } from "./start_server.ts";
import { serveModes } from "../../src/files/read_settings.ts";
import { parseCommandLine, resolvePath, UsageError } from "../command_line/parse_command_line.ts";
import { type NeedsOf, netNeeds, runCommand } from "../command_line/run_command.ts";
import { realPath } from "../command_line/check_writable.ts";
import {
  allowHostFlag,
  type AnswerRecord,
  listenError,
  localHosts,
  originOf,
} from "./running_server.ts";
import { watchLauncher } from "./watch_launcher.ts";

/** A date as the common log format has it, in UTC: `10/Oct/2000:13:55:36 +0000`. */
function logDate(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Keeps what a client sent from ending its field or line. */
function escape(text: string): string {
  return text.replace(
    /["\\]|[^\x20-\x7e]/gu,
    (character) =>
      [...new TextEncoder().encode(character)].map((byte) =>
        `\\x${byte.toString(16).padStart(2, "0")}`
      )
        .join(""),
  );
}

/** One line of a log in the common log format: who, when, what, and what came of it. */
export function logLine(record: AnswerRecord, now: Date): string {
  const { remoteAddress, method, target, protocol, status, sent } = record;
  const request = escape(`${method} ${target} ${protocol}`);
  return `${remoteAddress} - - [${logDate(now)}] "${request}" ${status} ${sent === 0 ? "-" : sent}`;
}

/** What the generated file is called. */
const sampleName = "sample.bin";

const sampleBytes = 32 * 2 ** 20;

/** Makes a folder with one generated file for as long as `use` takes. */
async function withSampleFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-serve-"));
  try {
    // Numbers that rise, so that a chunk out of its place shows.
    const words = new Uint32Array(sampleBytes / 4);
    for (let index = 0; index < words.length; index++) words[index] = index;
    await writeFile(join(folder, sampleName), words);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folder that is named, with `--root` or without; `undefined`: none is. */
async function readRoot({ root, _ }: ReturnType<typeof readFlags>): Promise<string | undefined> {
  const named = root === undefined ? _ : [root, ..._];
  if (named.length > 1) {
    throw new UsageError(`Only one folder can be served, got ${named.join(" ")}`);
  }
  const [path] = named;
  if (path === undefined) return undefined;
  const absolute = resolvePath(path);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats?.isDirectory()) return absolute;
  const reason = stats === undefined ? "no such folder" : "it is not a folder";
  throw new UsageError(`Cannot serve ${path}: ${reason}`);
}

function readFlags(args: readonly string[]) {
  return parseCommandLine(args, {
    command: "deno task serve",
    about: "Serves the files of a folder, until Ctrl-C; then open responses get time to finish.",
    examples: [
      "deno task serve public --log",
      "deno task serve public --runtime bun --port 0",
    ],
    positional: "[DIR]",
    flags: {
      root: {
        kind: "text",
        value: "DIR",
        about: "the folder DIR; default: one with one generated file",
      },
      port: { kind: "integer", about: "0 takes any free one", default: 8000, maximum: 65535 },
      host: { kind: "text", value: "HOST", about: "address to listen on", default: "127.0.0.1" },
      "allow-host": allowHostFlag,
      mode: {
        kind: "text",
        value: "M",
        about: "read on demand, or whole first",
        default: "stream",
        choices: serveModes,
      },
      api: {
        kind: "text",
        value: "A",
        about: "kind of streams",
        default: "web",
        choices: serveApis,
      },
      runtime: {
        kind: "text",
        value: "R",
        about: "default: the one that runs this",
        choices: runtimeNames,
      },
      dotfiles: {
        kind: "text",
        value: "D",
        about: "names that begin with a dot; default: deny",
        choices: ["deny", "allow"],
      },
      log: { kind: "boolean", about: "one line for each answer, in the common log format" },
      "idle-timeout-ms": {
        kind: "integer",
        about: "abort a response if its client reads nothing for this long; default: 1800000",
        minimum: 1,
        maximum: 2 ** 31 - 1,
      },
      "max-open-files": {
        kind: "integer",
        about:
          "responses that may have a file open at once; default: a quarter of the process's limit",
        minimum: 1,
      },
      "queue-ms": {
        kind: "integer",
        about: "how long a request waits for a free file before it gets 503; default: 5000",
        maximum: 2 ** 31 - 1,
      },
      "grace-ms": {
        kind: "integer",
        about: "how long open responses may take when stopped",
        default: 5000,
        maximum: 2 ** 31 - 1,
      },
    },
  });
}

/** What the command needs: to read its root, by its name and where it really is, and to listen. */
export const serveNeeds: NeedsOf = async (args) => {
  const flags = readFlags(args);
  const { runtime, host, port } = flags;
  const path = await readRoot(flags);
  return {
    runtime,
    needs: {
      read: path === undefined ? [] : [...new Set([path, realPath(path)])],
      net: await netNeeds(host, port),
    },
    hasTemporary: path === undefined,
  };
};

/** A failure in one line. */
function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: string };
  return `Error: ${String(message ?? error).split("\n")[0]}`;
}

/** The command `deno task serve`; returns its exit code. */
export async function serve(args: readonly string[], signal: AbortSignal): Promise<number | void> {
  const flags = readFlags(args);
  const root = await readRoot(flags);
  const { host, port, mode, api } = flags;
  const current = currentRuntime();
  const { runtime: name = current.name } = flags;
  if (name !== current.name) {
    return await runInRuntime(
      await findRuntime(name),
      fileURLToPath(import.meta.url),
      args,
      signal,
    );
  }

  const run = async (folder: string): Promise<void> => {
    const server = await startServer(
      api,
      {
        root: folder,
        listing: true,
        allowedHosts: localHosts(host, flags["allow-host"]),
        mode,
        dotfiles: flags.dotfiles,
        idleTimeoutMs: flags["idle-timeout-ms"],
        maxOpenFiles: flags["max-open-files"],
        queueMs: flags["queue-ms"],
        onError: (error) => console.error(messageOf(error)),
      },
      {
        host,
        port,
        onAnswer: flags.log ? (record) => console.log(logLine(record, new Date())) : undefined,
        onTrouble: (text) => console.error(`Warning: ${text}`),
      },
    ).catch((error) => {
      throw listenError(error, host, port);
    });
    const origin = originOf(host, server.port);
    const example = root === undefined ? `; try ${origin}${sampleName}` : "";
    console.log(
      `Serving ${join(folder, "/")} at ${origin} ` +
        `(${current.name} ${current.version}, ${api}, ${mode})${example}`,
    );
    if (!signal.aborted) {
      await new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true })
      );
    }
    await server.close(flags["grace-ms"]);
  };
  await watchLauncher(() => process.kill(process.pid, "SIGTERM"));
  await (root === undefined ? withSampleFolder(run) : run(root));
}

if (import.meta.main) {
  await runCommand(serve);
  // An open connection must not keep a server that is being stopped.
  process.exit();
}
