import type { TestJob } from "./test_job.ts";

/** The files that take longest, in whole seconds of an idle machine of two cores: begun last, they would be waited for. */
const longFiles: Readonly<Record<string, number>> = {
  "tests/scripts/extract_faults_test.ts": 60,
  "tests/wpt/wpt_test.ts": 50,
  "tests/files/limits_test.ts": 45,
  "tests/fuse/chains_test.ts": 45,
  "tests/playground/page_test.ts": 45,
  "tests/site/chromium_test.ts": 60,
  "tests/scripts/consume_test.ts": 40,
  "tests/scripts/bench_test.ts": 40,
  "tests/scenarios/extract/extract_test.ts": 40,
  "tests/scripts/consume/crash_test.ts": 50,
  "tests/queue/adapters/postgres_queue_test.ts": 30,
  "tests/queue/adapters/redis_queue_test.ts": 30,
  "tests/scripts/report_chromium_test.ts": 35,
  "tests/laws/memory_test.ts": 30,
  "tests/package/workerd_test.ts": 30,
  "tests/scripts/semantics_test.ts": 25,
  "tests/package/chromium_test.ts": 25,
  "tests/files/soak_node_test.ts": 25,
  "tests/files/soak_test.ts": 25,
  "tests/scripts/serve_test.ts": 25,
  "tests/scripts/extract_test.ts": 25,
  "tests/types/editor_test.ts": 20,
  "tests/queue/adapters/nats_queue_test.ts": 20,
  "tests/queue/adapters/nats_cluster_test.ts": 15,
  "tests/files/exhaustion_test.ts": 15,
  "tests/files/change_test.ts": 15,
  "tests/sources/load_test.ts": 15,
  "tests/bench/all_test.ts": 15,
};

function secondsOf({ doc, files }: TestJob): number {
  return doc ? 60 : longFiles[files[0]!] ?? 1;
}

/** Puts what takes longest first, so that nothing long is left over at the end. */
export function orderJobs(jobs: readonly TestJob[]): TestJob[] {
  return jobs.toSorted((one, other) => secondsOf(other) - secondsOf(one));
}
