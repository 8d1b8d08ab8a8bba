import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CaseRefusal } from "../../measure/workload.ts";
import type { ExtractJob } from "../job.ts";

/** The heap of the first step, in MiB: what a small machine leaves to a script. */
export const heapLimitMiB = 192;

const script = fileURLToPath(new URL("try_load_all.ts", import.meta.url));

/**
 * Tries the first step within its heap, in a process that may die of it.
 *
 * @throws {CaseRefusal} If it does, with what it said: that is the step's result.
 */
export async function checkHeap(job: ExtractJob): Promise<void> {
  const startedAtMs = performance.now();
  // The flags of this very process: the heap's limit is one of them.
  const child = spawn(process.execPath, [...process.execArgv, script, JSON.stringify(job)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr!.on("data", (text) => stderr += text);
  const end = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal ?? code));
  });
  if (end === 0) return;
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  if (!/heap out of memory/.test(stderr)) throw new Error(`Cannot try load-all: ${stderr}`);
  throw new CaseRefusal(
    `dies after ${seconds} s by ${end}: a heap of ${heapLimitMiB} MiB is out of memory`,
  );
}
