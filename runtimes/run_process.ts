import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

/** How a command ended. */
export interface ProcessResult {
  /** The exit code; `null` if a signal ended it or it could not be started. */
  readonly code: number | null;
  /** Standard output and standard error, in the order they came. */
  readonly output: string;
  readonly timedOut: boolean;
  readonly elapsedMs: number;
}

/** What `runProcess` takes besides the command line. */
export interface ProcessOptions {
  readonly cwd?: string | URL;
  /** Variables added to this process's own; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** After this many milliseconds the command and its descendants are killed; default: never. */
  readonly timeoutMs?: number;
  /** Kills the command and its descendants when it aborts. */
  readonly signal?: AbortSignal;
  /** Called with each piece of output as it comes. */
  readonly onOutput?: (text: string) => void;
}

const graceMs = 2000;

/** Asks the whole process group to end, then insists: a runtime under test may have children of its own. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // The group is gone already.
    }
  };
  send("SIGTERM");
  const insist = setTimeout(() => send("SIGKILL"), graceMs);
  child.once("close", () => clearTimeout(insist));
}

/** Runs a command to its end with standard input closed; a command that fails is an answer, not an exception. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  const { promise, resolve } = Promise.withResolvers<ProcessResult>();
  const startedAt = performance.now();
  let output = "";
  let timedOut = false;
  // Deno takes an undefined value for «leave it as it is», so such names must not be there at all.
  const env = Object.entries({ ...process.env, ...options.env })
    .filter(([, value]) => value !== undefined);
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: Object.fromEntries(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  const take = (text: string) => {
    output += text;
    options.onOutput?.(text);
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  const kill = () => killTree(child);
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => {
    timedOut = true;
    kill();
  }, options.timeoutMs);
  if (options.signal?.aborted) kill();
  else options.signal?.addEventListener("abort", kill, { once: true });

  const finish = (code: number | null) => {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", kill);
    resolve({ code, output, timedOut, elapsedMs: performance.now() - startedAt });
  };
  child.once("error", (error) => {
    output += `${error.message}\n`;
    finish(null);
  });
  child.once("close", finish);
  return promise;
}
