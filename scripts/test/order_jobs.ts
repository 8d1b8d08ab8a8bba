import type { TestJob } from "./test_job.ts";

/** The files that take longest, and about how many seconds: begun last, they would be waited for. */
const longFiles: Readonly<Record<string, number>> = {
  "tests/scripts/consume/crash_test.ts": 150,
  "tests/laws/probed_test.ts": 110,
  "tests/site/chromium_test.ts": 70,
  "tests/scripts/extract_faults_test.ts": 65,
  "tests/package/chromium_test.ts": 60,
  "tests/playground/page_test.ts": 60,
  "tests/scripts/extract_resume_test.ts": 55,
  "tests/files/limits_test.ts": 20,
  "tests/fuse/chains_test.ts": 50,
  "tests/scripts/test/run_test_files_test.ts": 40,
  "tests/wpt/wpt_test.ts": 50,
  "tests/scripts/launch/launch_test.ts": 45,
  "tests/leaks/leaks_test.ts": 40,
  "tests/scenarios/extract/extract_test.ts": 40,
  "tests/queue/adapters/postgres_queue_test.ts": 35,
  "tests/scenarios/extract/sources/postgres_copy_test.ts": 35,
  "tests/queue/adapters/redis_queue_test.ts": 30,
  "tests/queue/model/lease_model_test.ts": 30,
  "tests/scripts/bench_test.ts": 30,
  "tests/scripts/consume_test.ts": 30,
  "tests/scripts/load_test.ts": 30,
  "tests/laws/memory_test.ts": 25,
  "tests/queue/adapters/nats_queue_test.ts": 25,
  "tests/fuzz/fuzz_test.ts": 20,
  "tests/node_compat/endings_test.ts": 20,
  "tests/package/workerd_test.ts": 20,
  "tests/queue/heap_test.ts": 20,
  "tests/scenarios/secrets/hide_secrets_test.ts": 20,
  "tests/scripts/extract_test.ts": 20,
  "tests/site/webkit_test.ts": 20,
  "tests/workers/in_workers_test.ts": 20,
  "tests/enumeration/enumeration_test.ts": 15,
  "tests/files/load_test.ts": 30,
  "tests/files/soak_test.ts": 30,
  "tests/queue/two_steps_test.ts": 15,
  "tests/scripts/consume_faults_test.ts": 15,
  "tests/scripts/queue_test.ts": 15,
};

/** Whether a file takes long, and so is begun first, in a process of its own. */
export function isLong(file: string): boolean {
  return Object.hasOwn(longFiles, file);
}

function secondsOf({ doc, files }: TestJob): number {
  return doc ? 60 : longFiles[files[0]!] ?? files.length;
}

/** Puts what takes longest first, so that nothing long is left over at the end. */
export function orderJobs(jobs: readonly TestJob[]): TestJob[] {
  return jobs.toSorted((one, other) => secondsOf(other) - secondsOf(one));
}
