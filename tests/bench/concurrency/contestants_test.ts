import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { contestants } from "../../../bench/concurrency/contestants.ts";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { type ArticleRun, articleRuns } from "../../../scenarios/concurrency/article_runs.ts";
import { greedyMakespan } from "../../../scenarios/concurrency/greedy_makespan.ts";
import type { RunConcurrency } from "../../../scenarios/concurrency/job.ts";
import { messageDelays } from "../../../scenarios/concurrency/message_delays.ts";
import { WriteLog } from "../../../scenarios/concurrency/write_log.ts";
import { settle, VirtualClock } from "../../node_compat/virtual_clock.ts";

/** Runs at the article's own delays, on a clock that has no lateness and takes no time. */
async function runVirtually(run: ArticleRun, runConcurrency: RunConcurrency) {
  const delays = messageDelays(run.messages, seededRandom(5));
  const clock = new VirtualClock();
  const log = new WriteLog(delays, clock);
  let isOver = false;
  const messages = delays.map((_, index) => String(index + 1));
  const running = runConcurrency({
    ...run,
    messages,
    highWaterMark: 10,
    write: (message) => log.write(message),
  }).then(() => isOver = true);
  await clock.run();
  await settle();
  assert(isOver, "every write has finished, yet the run has not");
  await running;
  assertEquals(log.written, messages, "each message is written once, in order");
  return { log, ratio: log.makespan / greedyMakespan(delays, run.concurrency) };
}

for (const { name, load } of contestants) {
  for (const run of articleRuns) {
    const most = `${run.concurrency} in flight`;
    if (run.admit === "any" || run.concurrency === 1) {
      test(`${name}, run ${run.name}: the greedy schedule, never more than ${most}`, async () => {
        const { log, ratio } = await runVirtually(run, await load());
        assertEquals(log.maxInFlight, run.concurrency);
        assertEquals(ratio, 1);
      });
    } else {
      test(`${name}, run ${run.name}: it pulses, never more than ${most}`, async () => {
        const { log, ratio } = await runVirtually(run, await load());
        assertEquals(log.maxInFlight, run.concurrency);
        assert(ratio > 1.2, `only ${ratio} times the greedy schedule`);
      });
    }
  }
}
