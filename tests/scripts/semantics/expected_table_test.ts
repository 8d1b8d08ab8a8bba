import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertEquals, assertThrows } from "@std/assert";
import {
  closestVersion,
  readExpected,
  writeExpected,
} from "../../../scripts/semantics/expected_table.ts";

test("a version's own table comes first, then the newest of its minor, then the newest", () => {
  const versions = ["24.1.0", "26.10.0", "26.9.12", "26.9.3"];
  assertEquals(closestVersion(versions, "26.9.3"), "26.9.3");
  assertEquals(closestVersion(versions, "26.9.4"), "26.9.12");
  assertEquals(closestVersion(versions, "26.1.0"), "26.10.0");
  assertEquals(closestVersion(versions, "24.1.7"), "24.1.0");
  assertEquals(closestVersion([], "24.1.7"), undefined);
});

test("what is written is read, and a runtime without a table is an error", async () => {
  const path = await mkdtemp(join(tmpdir(), "hosepipe-semantics-test-"));
  const folder = pathToFileURL(`${path}/`);
  try {
    const facts = { push: { "5": { web: "4…-2" } } };
    writeExpected({ name: "bun", version: "1.4.9", facts }, folder);
    const table = { runtime: "bun", version: "1.4.9", explanations: {}, facts };
    assertEquals(readExpected("bun", "1.4.9", folder) as unknown, table);
    assertEquals(readExpected("bun", undefined, folder) as unknown, table);
    assertThrows(
      () => readExpected("node", "26.0.0", folder),
      Error,
      "Cannot compare node 26.0.0: there is no expected table of node",
    );
  } finally {
    await rm(path, { recursive: true });
  }
});
