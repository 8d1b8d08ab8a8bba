import process from "node:process";
import { setTimeout } from "node:timers";
import { asksForRoom, idleRuns } from "./_idle_runs.ts";

const runs = idleRuns.filter((run) => !asksForRoom(run));
for (const { start } of runs) start(new AbortController().signal);
console.log(`${runs.length} runs are idle`);
setTimeout(() => {
  console.error("and hold their process");
  process.exit(1);
}, 20_000).unref();
