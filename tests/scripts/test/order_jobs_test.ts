import { existsSync } from "node:fs";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { orderJobs } from "../../../scripts/test/order_jobs.ts";
import type { TestJob } from "../../../scripts/test/test_job.ts";

const jobOf = (file: string, doc = false) => ({ files: [file], doc }) as unknown as TestJob;

test("what takes longest comes first; the others keep their order", () => {
  const jobs = [
    jobOf("tests/b_test.ts"),
    jobOf("tests/a_test.ts"),
    jobOf("tests/wpt/wpt_test.ts"),
    jobOf("mod.ts", true),
  ];
  assertEquals(orderJobs(jobs).map(({ files }) => files[0]), [
    ...["mod.ts", "tests/wpt/wpt_test.ts", "tests/b_test.ts", "tests/a_test.ts"],
  ]);
  const longest = new URL("../../wpt/wpt_test.ts", import.meta.url);
  assertEquals(existsSync(longest), true);
});
