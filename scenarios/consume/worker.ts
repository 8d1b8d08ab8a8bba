import process from "node:process";
import { runWorker } from "./run_worker.ts";
import { hideSecrets } from "../secrets/hide_secrets.ts";
import type { WorkerJob } from "./worker_job.ts";

// A worker's process: `runConsume` starts it, reads what it says of itself, and asks it to end by SIGTERM.
const stopped = new AbortController();
process.on("SIGTERM", () => stopped.abort());
// It ends with the one that started it, whose end of this pipe closes then.
process.stdin.resume().once("end", () => process.exit(1)).once("error", () => process.exit(1));
const job = JSON.parse(process.argv[2]!) as WorkerJob;
const { broker } = job;
try {
  await runWorker(job, stopped.signal, (report) => {
    process.stdout.write(`${JSON.stringify(report)}\n`);
  });
  process.exitCode = 0;
} catch (error) {
  console.error(hideSecrets(String((error as Error)?.message ?? error).split("\n")[0]!, [broker]));
  process.exitCode = 1;
}
// The pipe is still open; what was said is given time to leave.
process.stdout.write("", () => process.exit());
