import { pipeline } from "../../../mod.ts";
import { inWorkers as runInWorkers } from "../../../src/workers/mod.ts";
import type { RunThreads } from "../job.ts";

const module = new URL("../modules/stages.ts", import.meta.url);

export const inWorkers: RunThreads = async ({ kind, threads, chunks, take }) => {
  const cut = kind === "ndjson" ? "\n" : undefined;
  await pipeline(chunks, runInWorkers(module, { threads, cut, options: kind }), take);
};
