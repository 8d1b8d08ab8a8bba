/** Measures one case in this process; `scripts/bench.ts` starts it once per case. */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import type { CaseProcessAnswer, CaseProcessRequest } from "./case_request.ts";
import { CaseRefusal, type PreparedCase } from "./workload.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { measureCase } from "./measure_case.ts";
import { hideSecrets } from "../../scenarios/secrets/hide_secrets.ts";
import { noopName } from "../results/result.ts";
import { loadRegistry } from "./registry.ts";

function fail(error: unknown): never {
  // The driver shows the last line, so it must be the message and not a frame of the stack.
  if (error instanceof Error && error.stack) console.error(hideSecrets(error.stack));
  console.error(hideSecrets(String(error)).replaceAll(/\s+/g, " "));
  process.exit(1);
}

process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);

/** An empty job: its time is the harness's own share in every other row. */
const noop: PreparedCase = {
  run: async () => {},
  verify: () => ({ chunks: 0, bytes: 0, digest: "" }),
};

async function prepare(request: CaseProcessRequest) {
  if (request.contestant === noopName) return noop;
  const registry = await loadRegistry(request.registryUrl);
  const workload = await registry[request.workload]!();
  return await workload.prepare({
    contestant: request.contestant,
    params: request.params,
    input: request.input,
  });
}

async function main(): Promise<void> {
  const request: CaseProcessRequest = JSON.parse(process.argv[2]!);
  // Should the driver be gone by then, nothing else would end this process.
  setTimeout(() => process.exit(1), request.profile.timeoutMs + 5_000).unref();
  const runtime = currentRuntime();
  if (runtime.name !== request.runtime) {
    throw new Error(`asked for ${request.runtime}, but this is ${runtime.name} ${runtime.version}`);
  }
  let prepared: PreparedCase;
  try {
    prepared = await prepare(request);
  } catch (error) {
    if (!(error instanceof CaseRefusal)) throw error;
    const refused: CaseProcessAnswer = { runtimeVersion: runtime.version, refusal: error.message };
    return await writeFile(request.answerFile, JSON.stringify(refused));
  }
  let answer: CaseProcessAnswer;
  try {
    const measurement = await measureCase(prepared, request.profile, request.allowanceMs);
    answer = { runtimeVersion: runtime.version, measurement };
  } finally {
    await prepared.dispose?.();
  }
  await writeFile(request.answerFile, JSON.stringify(answer));
}

// Exiting at once is part of the deal: a contestant's forgotten timer is not the driver's wait.
await main().then(() => process.exit(0), fail);
