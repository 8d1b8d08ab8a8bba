import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./bench_case.ts";
import type { CaseProcessAnswer, CaseProcessRequest } from "./case_request.ts";
import { commandOf } from "../../runtimes/command_of.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { type ProcessResult, runProcess } from "../../runtimes/run_process.ts";
import type { Profile } from "./profile.ts";
import type { Row } from "../results/result.ts";

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

/** The line that says what happened: the last that mentions an error, or the last. */
function tellingLine(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter(Boolean);
  return lines.findLast((line) => /error|fatal|panic/i.test(line)) ?? lines.at(-1) ?? "no message";
}

/** The exit code, the signal, or the error that kept the process from starting. */
function describeEnd({ code, signal, startError }: ProcessResult): string {
  return startError ? `cannot start: ${startError.message}` : signal ?? `exit ${code}`;
}

/** Runs one case in a fresh process; a crash or a timeout is a row too. Undefined if aborted. */
export async function runCaseProcess(
  benchCase: BenchCase,
  runtime: Runtime,
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
    const flags = runtime.name === "node" ? nodeFlags : [];
    const [command, ...args] = commandOf(runtime, entry, [JSON.stringify(fullRequest)], flags);
    const result = await runProcess(command, args, {
      cwd: root,
      env: {
        ...environment,
        ...{ TMPDIR: folder, TMP: folder, TEMP: folder, NO_COLOR: "1" },
        ...(denoV8Flags ? { DENO_V8_FLAGS: denoV8Flags.join(",") } : {}),
      },
      timeoutMs: profile.timeoutMs,
      maxCharacters: 64 * 1024,
      signal,
    });
    const end = describeEnd(result);
    if (signal?.aborted) return undefined;
    if (result.timedOut) {
      return { ...identity, error: `timed out after ${profile.timeoutMs / 1000} s` };
    }
    if (end !== "exit 0") {
      return { ...identity, error: `crashed: ${end}: ${tellingLine(result.stderr)}` };
    }
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
