import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./bench_case.ts";
import type { CaseProcessAnswer, CaseProcessRequest } from "./case_request.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import type { Profile } from "./profile.ts";
import type { Row } from "../results/result.ts";

/** How a runtime is started; `runtimes/find_runtime.ts` finds it. */
export interface RuntimeCommand {
  readonly name: RuntimeName;
  readonly version: string;
  readonly executable: string;
  readonly arguments: readonly string[];
}

/** How a case is run. */
export interface CaseProcessOptions {
  readonly profile: Profile;
  /** How long a case may take samples after its first iteration. */
  readonly allowanceMs: number;
  readonly registryUrl: string;
  /** Kills the process; the case then has no row. */
  readonly signal?: AbortSignal;
}

const entry = fileURLToPath(new URL("./run_case.ts", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const ownsGroups = process.platform !== "win32";

/** Ends a case's process, and what it has started: its group is its own. */
function kill(child: ChildProcess): void {
  try {
    if (ownsGroups) process.kill(-child.pid!, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // Already gone.
  }
}

/** The line that says what happened: the last that speaks of an error, else the last. */
function tellingLine(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.findLast((line) => /error|fatal|panic/i.test(line)) ?? lines.at(-1) ?? "no message";
}

/** The exit code, the signal, or the error that kept the process from starting. */
function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`cannot start: ${error.message}`));
    child.once("close", (code, signal) => resolve(signal ?? `exit ${code}`));
  });
}

/** Runs one case in a fresh process; a crash or a timeout is a row too. Undefined if aborted. */
export async function runCaseProcess(
  benchCase: BenchCase,
  runtime: RuntimeCommand,
  { profile, allowanceMs, registryUrl, signal }: CaseProcessOptions,
): Promise<Row | undefined> {
  if (signal?.aborted) return undefined;
  const { nodeFlags, denoV8Flags, environment, ...request } = benchCase;
  const identity = {
    workload: benchCase.workload,
    contestant: benchCase.contestant,
    runtime: runtime.name,
    runtimeVersion: runtime.version,
    params: benchCase.params,
  };
  // The case's temporary files live and die with this folder, however the process ends.
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-case-"));
  const answerFile = join(folder, "answer.json");
  try {
    const fullRequest: CaseProcessRequest = {
      ...request,
      profile,
      allowanceMs,
      registryUrl,
      answerFile,
    };
    const child = spawn(runtime.executable, [
      ...(runtime.name === "node" ? nodeFlags : []),
      ...runtime.arguments,
      entry,
      JSON.stringify(fullRequest),
    ], {
      cwd: root,
      env: {
        ...process.env,
        ...environment,
        ...{ TMPDIR: folder, TMP: folder, TEMP: folder, NO_COLOR: "1" },
        ...(denoV8Flags ? { DENO_V8_FLAGS: denoV8Flags.join(",") } : {}),
      },
      stdio: ["ignore", "ignore", "pipe"],
      detached: ownsGroups,
    });
    let stderr = "";
    child.stderr!.setEncoding("utf8");
    child.stderr!.on("data", (text) => stderr = (stderr + text).slice(-64 * 1024));

    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill(child);
    }, profile.timeoutMs);
    const abort = () => kill(child);
    signal?.addEventListener("abort", abort);
    const end = await ended(child);
    signal?.removeEventListener("abort", abort);
    clearTimeout(timer);

    if (signal?.aborted) return undefined;
    if (timedOut) return { ...identity, error: `timed out after ${profile.timeoutMs / 1000} s` };
    if (end !== "exit 0") return { ...identity, error: `crashed: ${end}: ${tellingLine(stderr)}` };
    const answer = await readFile(answerFile, "utf8").catch(() => undefined);
    if (answer === undefined) return { ...identity, error: "crashed: exit 0: gave no answer" };
    const { runtimeVersion, measurement, refusal }: CaseProcessAnswer = JSON.parse(answer);
    if (measurement === undefined) {
      return { ...identity, runtimeVersion, error: refusal ?? "gave no answer", refused: true };
    }
    return { ...identity, runtimeVersion, ...measurement };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
