import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { readExamples } from "../../../scripts/site/examples/read_examples.ts";
import { readOutputs } from "../../../scripts/site/examples/read_outputs.ts";
import { runExamples } from "../../../scripts/site/examples/run_examples.ts";
import { readReference } from "../../../scripts/site/reference/read_reference.ts";

const root = new URL("../../../", import.meta.url);

// If it fails: deno run -A scripts/site/examples/write_outputs.ts, with POSTGRES_URI and REDIS_URI.
test("the outputs under the examples of the reference are those of now", async () => {
  const committed = await readOutputs();
  const outputs = await runExamples(readExamples(await readReference(root)), committed);
  assertEquals(outputs, committed);
});
