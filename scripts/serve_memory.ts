import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { contestants } from "../bench/serve_file/contestants.ts";
import { commandOf } from "../runtimes/command_of.ts";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import { findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { wrapProse } from "./command_line/wrap_prose.ts";
import { runCommand } from "./command_line/run_command.ts";

const page = new URL("../docs/serve.md", import.meta.url);
const script = fileURLToPath(new URL("serve_memory/server.ts", import.meta.url));
const fileName = "file.bin";

/** How clients read. */
interface Load {
  readonly clients: number;
  readonly bytes: number;
  /** Bytes that each client takes in a second. */
  readonly pace: number;
  /** After this time clients leave. */
  readonly seconds: number;
}

async function rssMiB(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024;
}

/** As many connect at once as a server lets wait. */
const connectAtOnce = 50;

/** How a download ended: the server cut it, or the client left before the first byte; otherwise well. */
type Outcome = "cut" | "without a byte" | "well";

/** Downloads at a steady pace, until the client leaves. */
function download(socket: Socket, { bytes, pace, seconds }: Load): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const startedAt = performance.now();
  let received = 0;
  socket.on("data", ({ length }: Uint8Array) => {
    received += length;
    const ahead = received / pace * 1000 - (performance.now() - startedAt);
    if (ahead < 5) return;
    socket.pause();
    setTimeout(() => socket.resume(), ahead);
  });
  const timer = setTimeout(() => {
    resolve(received === 0 ? "without a byte" : "well");
    socket.destroy();
  }, seconds * 1000);
  socket.once("close", () => {
    clearTimeout(timer);
    resolve(received < bytes ? "cut" : "well");
  });
  socket.once("error", () => socket.destroy());
  socket.write(`GET /${fileName} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return promise;
}

/** What went wrong, in words. */
function failures(outcomes: readonly Outcome[]): string[] {
  return (["cut", "without a byte"] as const).flatMap((bad) => {
    const count = outcomes.filter((outcome) => outcome === bad).length;
    return count === 0 ? [] : [`${count} ${bad}`];
  });
}

/** What a server holds over what it held idle, in MiB for each client. */
interface Measured {
  readonly idle: number;
  readonly mibEach: number;
  readonly outcomes: readonly Outcome[];
}

async function measure(
  runtime: Runtime,
  name: string,
  folder: string,
  load: Load,
): Promise<Measured> {
  const command = commandOf(runtime, script, [name, folder, fileName]);
  // A file and a connection for each client, of which ours opens a quarter.
  const limited = ["-c", `ulimit -n ${load.clients * 8 + 1000}; exec "$@"`, "sh", ...command];
  const child = spawn("sh", limited, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const { value } = await createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
      .next();
    const port = Number(value);
    const idle = await rssMiB(child.pid!);
    let peak = idle;
    const timer = setInterval(async () => {
      peak = Math.max(peak, await rssMiB(child.pid!).catch(() => 0));
    }, 50);
    const downloads: Promise<Outcome>[] = [];
    while (downloads.length < load.clients) {
      const sockets = Array.from({ length: connectAtOnce }, () => connect(port, "127.0.0.1"));
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      for (const socket of sockets) downloads.push(download(socket, load));
    }
    const outcomes = await Promise.all(downloads);
    clearInterval(timer);
    return { idle, mibEach: (peak - idle) / load.clients, outcomes };
  } finally {
    child.kill("SIGKILL");
  }
}

/** The command `deno task serve:memory`; returns its exit code. */
async function serveMemory(args: readonly string[]): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task serve:memory",
    about:
      "Downloads one file over many connections at a steady pace from each way to serve it, in each\n" +
      "runtime, and prints the most memory that the server's process held. Linux only.",
    flags: {
      clients: {
        kind: "list",
        value: "N,…",
        about: "connections at once, in one run each; default: 100,1000",
        choices: ["50", "100", "1000"],
      },
      mib: { kind: "integer", about: "MiB of the file; default: 50", minimum: 1 },
      pace: { kind: "integer", about: "MiB/s for all clients; default: 400", minimum: 1 },
      seconds: { kind: "integer", about: "how long clients stay; default: 20", minimum: 1 },
      write: { kind: "boolean", about: "also puts the table into docs/serve.md" },
    },
    examples: ["deno task serve:memory", "deno task serve:memory --clients 50 --mib 10 --pace 80"],
  });
  const { clients = ["100", "1000"], mib = 50, pace = 400, seconds = 20 } = flags;
  const loads = clients.map(Number).map((count): Load => ({
    ...{ clients: count, bytes: mib * 2 ** 20, pace: pace * 2 ** 20 / count, seconds },
  }));
  const lines: string[] = [];
  const print = (...cells: string[]) => {
    const line = `| ${cells.join(" | ")} |`;
    lines.push(line);
    console.log(line);
  };
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-serve-memory-"));
  try {
    const handle = await open(join(folder, fileName), "w");
    const part = new Uint8Array(2 ** 20).fill(1);
    for (let count = 0; count < mib; count++) await handle.write(part);
    await handle.close();
    print("runtime", "way", "idle MiB", ...clients.map((count) => `${count} clients, MiB each`));
    print("---", "---", "--:", ...clients.map(() => "--:"));
    for (const runtimeName of runtimeNames) {
      const runtime = await findRuntime(runtimeName);
      for (const { name, holdsFiles, runtimes } of contestants) {
        if (holdsFiles || runtimes?.includes(runtimeName) === false) continue;
        const found: Measured[] = [];
        for (const load of loads) found.push(await measure(runtime, name, folder, load));
        const idle = Math.min(...found.map(({ idle }) => idle));
        print(
          `${runtimeName} ${runtime.version}`,
          name,
          idle.toFixed(0),
          ...found.map(({ mibEach, outcomes }) =>
            [mibEach.toFixed(2), ...failures(outcomes)].join(", ")
          ),
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  if (flags.write) {
    const text = await readFile(page, "utf8");
    const block = /(<!-- serve-memory -->\n)[^]*?(<!-- \/serve-memory -->)/;
    if (!block.test(text)) throw new Error("docs/serve.md has no place for the table");
    const about =
      `What a server's process held at most over what it held idle, by \`deno task serve:memory\`: clients ` +
      `that all take a file of ${mib} MiB, ${pace} MiB/s together, for up to ${seconds} s, on a machine of ` +
      `${availableParallelism()} cores that others may have used, too. One run.`;
    const table = `${wrapProse(about)}\n\n${lines.join("\n")}`;
    await writeFile(page, text.replace(block, (_, from, to) => `${from}\n${table}\n\n${to}`));
  }
  return 0;
}

if (import.meta.main) await runCommand(serveMemory);
