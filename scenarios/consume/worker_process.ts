import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandOf } from "../../runtimes/command_of.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { WorkerJob, WorkerReport } from "./worker_job.ts";

const script = fileURLToPath(new URL("worker.ts", import.meta.url));

/** What runtimes say of timeouts that a client of Kafka asks for. */
const isWarning = /^\(node:|^\(Use |^Timeout duration /;

/** How a worker's process ended. */
export interface WorkerEnd {
  /** Whether a signal ended it, its own or another's. */
  readonly wasKilled: boolean;
  readonly code: number | null;
  /** The last line that it said was wrong. */
  readonly complaint: string;
}

/** One worker's process. It ends with this one, however that ends. */
export class WorkerProcess {
  readonly runtime: Runtime;
  readonly job: WorkerJob;
  readonly ended: Promise<WorkerEnd>;
  /** What it said last. */
  report: WorkerReport | undefined;
  readonly #child: ChildProcess;

  constructor(runtime: Runtime, job: WorkerJob, env: Readonly<Record<string, string>> = {}) {
    this.runtime = runtime;
    this.job = job;
    const [command, ...args] = commandOf(runtime, script, [JSON.stringify(job)]);
    // A group of its own: Ctrl-C comes by us, as a request to end.
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
      detached: process.platform !== "win32",
    });
    this.#child = child;
    // It may be gone when its end of the pipe is closed.
    child.stdin!.on("error", () => {});
    let [rest, complaint] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.report = JSON.parse(line);
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => complaint += text);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null) =>
        resolve({
          // Deno says by a code above 128 what others say by a name.
          wasKilled: signal !== null || (code !== null && code > 128),
          code,
          complaint: complaint.trim().split("\n").find((line) => !isWarning.test(line)) ?? "",
        });
      child.once("close", end);
      child.once("error", (error) => {
        complaint = error.message;
        end(null, null);
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Sends it a signal, unless it has ended. */
  signal(name: "SIGTERM" | "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      // Not child.kill: under Deno that reports the signal even if the child handled it.
      process.kill(this.pid, name);
    } catch {
      // It ends just now.
    }
  }
}
