import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { map, pipeline } from "@hosepipe/streams";
import { describeFailure, failureOf, pendingRuns } from "@hosepipe/streams/inspect";

test("failures and pending runs go by the name of the run", async () => {
  const boom = new Error("boom");
  const { promise, reject } = Promise.withResolvers<void>();
  const run = pipeline([1], map((n) => n), () => promise, { runName: "import" });
  await Promise.resolve();
  assertEquals(pendingRuns().map(({ pipeline }) => pipeline), ["import"]);
  reject(boom);
  await run.catch(() => {});
  assertEquals(failureOf(boom)!.pipeline, "import");
  assertEquals(describeFailure(boom).split("\n")[0], "import failed: Error: boom");
});

test("a name is a text, and not the empty one", async () => {
  for (const [name, got] of [[1, "1"], ["", '""'], [null, "null"]] as const) {
    await assertRejects(
      () => pipeline([], () => {}, { runName: name as never }),
      TypeError,
      `Cannot run pipeline: runName must be a text, got ${got}`,
    );
  }
  assertEquals((await pipeline([1], () => {}, { runName: undefined })).chunksRead, 1);
});
