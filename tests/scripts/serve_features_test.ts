import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { compareFeatures, missingFeatures } from "../../scripts/serve_features.ts";
import { allFeatures } from "../../scripts/serve_features/features.ts";

const skip = currentRuntime().name === "node" ? false : "the servers it compares with are Node's";

test("no peer has a feature of serving files that ours lack", { skip }, async () => {
  const had = await compareFeatures();
  assertEquals(missingFeatures(had).map(({ group, name }) => `${group}: ${name}`), []);
  // A table in which everything held, or nothing, would have asked nothing.
  for (const [{ name }, features] of had) {
    const most = name.startsWith("ours") ? allFeatures.length : allFeatures.length - 1;
    assert(features.size > 30 && features.size <= most, `${name}: ${features.size}`);
  }
});
