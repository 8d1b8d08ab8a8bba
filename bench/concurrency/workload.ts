import { createHash } from "node:crypto";
import { articleRuns } from "../../scenarios/concurrency/article_runs.ts";
import { greedyMakespan } from "../../scenarios/concurrency/greedy_makespan.ts";
import type { RunConcurrency } from "../../scenarios/concurrency/job.ts";
import { messageDelays } from "../../scenarios/concurrency/message_delays.ts";
import { WriteLog } from "../../scenarios/concurrency/write_log.ts";
import { contestants } from "./contestants.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import type { Outcome } from "../results/outcome.ts";
import type { ParamValue } from "../results/params.ts";
import { concurrencyTable } from "./concurrency_table.ts";

const highWaterMark = 10;
/** Every run, contestant and runtime waits for the same delays. */
const seed = 2018;
const runNames = articleRuns.map(({ name }) => name);

function parseRun(text: string): ParamValue {
  if (runNames.includes(text)) return text;
  throw new RangeError(`must be one of ${runNames.join(", ")}, got ${JSON.stringify(text)}`);
}

function parseSpeedup(text: string): ParamValue {
  if (text === "own") return text;
  const speedup = /^\d+$/.test(text) ? Number(text) : 0;
  if (speedup >= 1 && speedup <= 10_000) return speedup;
  throw new RangeError(`must be own or an integer from 1 to 10000, got ${JSON.stringify(text)}`);
}

/** Equal for equal sets of messages, whatever the order of their writes. */
function digestOf(written: readonly string[]): string {
  return createHash("sha256").update([...written].sort().join("\n")).digest("hex");
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** What the first of a hundred writes pays for compiling would otherwise be counted against the schedule. */
async function warmUp(runConcurrency: RunConcurrency): Promise<void> {
  const delays = new Array<number>(200).fill(1);
  const messages = delays.map((_, index) => String(index + 1));
  for (const admit of ["any", "last"] as const) {
    const log = new WriteLog(delays);
    const write = (message: string) => log.write(message);
    await runConcurrency({
      ...{ messages, write, admit, highWaterMark },
      ...{ concurrency: 100, batchSize: 1 },
    });
  }
}

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const entry = contestants.find(({ name }) => name === contestant);
  if (entry === undefined) {
    const known = contestants.map(({ name }) => name).join(", ");
    throw new Error(
      `Cannot prepare concurrency: no contestant ${contestant}; the contestants are ${known}`,
    );
  }
  const run = articleRuns.find(({ name }) => name === parseRun(String(params.run)))!;
  const chosen = parseSpeedup(String(params.speedup));
  const speedup = chosen === "own" ? run.speedup : Number(chosen);
  const delays = messageDelays(run.messages, seededRandom(seed), speedup);
  const messages = delays.map((_, index) => String(index + 1));
  const bound = greedyMakespan(delays, run.concurrency);
  const runConcurrency = await entry.load();
  await warmUp(runConcurrency);
  let log = new WriteLog(delays);
  return {
    isTimeGiven: true,
    async run() {
      const current = log = new WriteLog(delays);
      const write = (message: string) => current.write(message);
      await runConcurrency({ ...run, messages, highWaterMark, write });
    },
    verify(): Promise<Outcome> {
      if (log.maxInFlight > run.concurrency) {
        throw new Error(
          `Cannot accept ${contestant}: ${log.maxInFlight} writes in flight, ${run.concurrency} allowed`,
        );
      }
      const digest = digestOf(log.written);
      if (digest !== digestOf(messages)) {
        throw new Error(
          `Cannot accept ${contestant}: ${log.written.length} of ${messages.length} messages written, or not each once`,
        );
      }
      const kept = greedyMakespan(log.durations, run.concurrency);
      return Promise.resolve({
        chunks: log.written.length,
        bytes: 0,
        digest,
        extra: {
          makespan: rounded(log.makespan, 0),
          bound,
          ratio: rounded(log.makespan / bound, 3),
          ratioToKept: rounded(log.makespan / kept, 3),
          meanInFlight: rounded(log.meanInFlight, 2),
          maxInFlight: log.maxInFlight,
          speedup,
          articleSeconds: run.articleSeconds,
        },
      });
    },
    dispose: () => Promise.resolve(),
  };
}

/** The article's run table: how near to the greedy schedule slow writes come, several at a time. */
export const concurrency: Workload = {
  name: "concurrency",
  about: "slow writes, several at a time, beside the greedy schedule of the same delays",
  params: {
    run: {
      about: "runs of the article's table: 5.x admit after the last write, 6.x after any",
      values: runNames,
      quick: ["5.3", "5.4", "6.3", "6.4"],
      parse: parseRun,
    },
    speedup: {
      about: "how many times faster than the article's delays; own: 10, 15 or 40, by run",
      values: ["own"],
      quick: [40],
      full: [1],
      parse: parseSpeedup,
    },
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  whyNoControl: "a run takes as long as its delays on any machine, and is run once",
  prepare,
  renderRows: concurrencyTable,
};
