import { type Job, serveJob } from "./measure.ts";
import type { CodeMessage } from "./messages.ts";
import { type ReadersCode, runCode } from "./run_code.ts";

/** What stands before this script, in the same file: the reader's code, so that its lines are its own, or a job. */
const { readersCode, readersLines = 0, job } = globalThis as {
  job?: Job;
  readersCode?: ReadersCode;
  readersLines?: number;
};

const post = (message: CodeMessage): void =>
  (globalThis as unknown as { postMessage(message: unknown): void }).postMessage(message);

if (job !== undefined) serveJob(job);
else void runCode(readersCode!, readersLines, post);
