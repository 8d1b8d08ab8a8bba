import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import process from "node:process";

/** How a command ended. */
export interface ProcessResult {
  /** The exit code; `null` if a signal ended it or it could not be started. */
  readonly code: number | null;
  /** What ended it, if a signal did. */
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly startError?: Error;
  /** Standard output and standard error, in the order they came. */
  readonly output: string;
  /** Standard output alone. */
  readonly stdout: string;
  /** Standard error alone. */
  readonly stderr: string;
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
  /** How much of each output is kept: its last characters. Default: all. */
  readonly maxCharacters?: number;
  /** Called with the process's number, which its group has too, once it runs. */
  readonly onStart?: (pid: number) => void;
  /** Called with each piece of output as it comes. */
  readonly onOutput?: (text: string) => void;
}

const graceMs = 2000;

/** Sends a signal to the whole process group: a runtime under test may have children of its own. */
function sendToTree(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** Commands that run: whatever ends us takes them along, since their groups are their own and no terminal would. */
const running = new Set<ChildProcess>();

function killAllNow(): void {
  for (const child of running) sendToTree(child, "SIGKILL");
}

function addRunning(child: ChildProcess): void {
  if (running.size === 0) process.once("exit", killAllNow);
  running.add(child);
}

function removeRunning(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", killAllNow);
}

/** Asks a command and its descendants to end, then insists. */
function killTree(child: ChildProcess): void {
  sendToTree(child, "SIGTERM");
  const killTimer = setTimeout(() => sendToTree(child, "SIGKILL"), graceMs);
  child.once("close", () => clearTimeout(killTimer));
}

/** Runs a command to its end with standard input closed; a command that fails is an answer, not an exception. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  const { promise, resolve } = Promise.withResolvers<ProcessResult>();
  const startedAt = performance.now();
  const { maxCharacters = Infinity } = options;
  const texts = { output: "", stdout: "", stderr: "" };
  let timedOut = false;
  // Deno takes an undefined value for "leave it as it is", so such names must not be there at all.
  const env = Object.entries({ ...process.env, ...options.env })
    .filter(([, value]) => value !== undefined);
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: Object.fromEntries(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const take = (stream: "stdout" | "stderr") => (text: string) => {
    for (const name of ["output", stream] as const) {
      texts[name] = (texts[name] + text).slice(-maxCharacters);
    }
    options.onOutput?.(text);
  };
  child.stdout.setEncoding("utf8").on("data", take("stdout"));
  child.stderr.setEncoding("utf8").on("data", take("stderr"));
  const kill = () => killTree(child);
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => {
    timedOut = true;
    kill();
  }, options.timeoutMs);
  if (options.signal?.aborted) kill();
  else options.signal?.addEventListener("abort", kill, { once: true });

  addRunning(child);

  let startError: Error | undefined;
  child.once("error", (error) => {
    texts.output += `${error.message}\n`;
    startError = error;
    finish(null, null);
  });
  const finish = (code: number | null, signal: NodeJS.Signals | null) => {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", kill);
    removeRunning(child);
    resolve({
      code,
      signal,
      ...(startError === undefined ? {} : { startError }),
      ...texts,
      timedOut,
      elapsedMs: performance.now() - startedAt,
    });
  };
  child.once("close", finish);
  return promise;
}
