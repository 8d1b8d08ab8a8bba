import { spawn } from "node:child_process";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { contestants } from "../bench/serve_file/contestants.ts";
import { commandOf } from "../runtimes/command_of.ts";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import { findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { runCommand } from "./command_line/run_command.ts";

const script = fileURLToPath(new URL("serve_memory/server.ts", import.meta.url));
const fileName = "file.bin";

/** How clients read. */
interface Load {
  readonly clients: number;
  readonly bytes: number;
  /** Bytes that each client takes in a second. */
  readonly pace: number;
}

async function rssMiB(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024;
}

/** Downloads at a steady pace; tells how many bytes of the body came. */
function download(port: number, { pace }: Load): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket: Socket = connect(port, "127.0.0.1");
  const startedAt = performance.now();
  let received = 0;
  socket.on("data", ({ length }: Uint8Array) => {
    received += length;
    const ahead = received / pace * 1000 - (performance.now() - startedAt);
    if (ahead < 5) return;
    socket.pause();
    setTimeout(() => socket.resume(), ahead);
  });
  socket.once("close", () => resolve(received));
  socket.once("error", () => socket.destroy());
  socket.write(`GET /${fileName} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return promise;
}

async function measure(runtime: Runtime, name: string, folder: string, load: Load) {
  const [command, ...args] = commandOf(runtime, script, [name, folder, fileName]);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const { value } = await createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
      .next();
    const port = Number(value);
    const idle = await rssMiB(child.pid!);
    let peak = idle;
    const timer = setInterval(async () => {
      peak = Math.max(peak, await rssMiB(child.pid!).catch(() => 0));
    }, 50);
    const downloads = Array.from({ length: load.clients }, () => download(port, load));
    const received = await Promise.all(downloads);
    clearInterval(timer);
    const whole = received.filter((bytes) => bytes >= load.bytes).length;
    return { idle, peak, whole };
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
      "runtime, and prints what the server's process held at most. Linux only.",
    flags: {
      clients: { kind: "integer", about: "connections at once; default: 100", minimum: 1 },
      mib: { kind: "integer", about: "MiB of the file; default: 50", minimum: 1 },
      pace: { kind: "integer", about: "MiB/s for each client; default: 4", minimum: 1 },
    },
    examples: ["deno task serve:memory", "deno task serve:memory --clients 20 --mib 10 --pace 8"],
  });
  const { clients = 100, mib = 50, pace = 4 } = flags;
  const load = { clients, bytes: mib * 2 ** 20, pace: pace * 2 ** 20 };
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-serve-memory-"));
  try {
    const handle = await open(join(folder, fileName), "w");
    const part = new Uint8Array(2 ** 20).fill(1);
    for (let count = 0; count < mib; count++) await handle.write(part);
    await handle.close();
    console.log(
      "| runtime | way | idle MiB | peak MiB | whole answers |\n| --- | --- | --: | --: | --: |",
    );
    for (const runtimeName of runtimeNames) {
      const runtime = await findRuntime(runtimeName);
      for (const { name, holdsFiles, runtimes } of contestants) {
        if (holdsFiles || runtimes?.includes(runtimeName) === false) continue;
        const { idle, peak, whole } = await measure(runtime, name, folder, load);
        console.log(
          `| ${runtimeName} ${runtime.version} | ${name} | ${idle.toFixed(0)} | ${
            peak.toFixed(0)
          } | ${whole} of ${clients} |`,
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return 0;
}

if (import.meta.main) await runCommand(serveMemory);
