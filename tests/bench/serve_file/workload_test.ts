import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import process from "node:process";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { CaseRefusal } from "../../../bench/measure/case_refusal.ts";
import { profiles } from "../../../bench/measure/profile.ts";
import { runCaseProcess } from "../../../bench/measure/run_case_process.ts";
import { refuseBuffers } from "../../../bench/serve_file/refuse_buffers.ts";
import { serveFileTable } from "../../../bench/serve_file/serve_file_table.ts";
import { serveFile } from "../../../bench/serve_file/workload.ts";
import { findRuntime } from "../../../runtimes/find_runtime.ts";
import { entriesHere } from "../_entries_here.ts";

const { name: runtimeName } = currentRuntime();
// What runs the test is what is found; the load runs under Node in any case.
process.env[`HOSEPIPE_${runtimeName.toUpperCase()}`] = process.execPath;

test("buffers are refused from 60 % of memory on, with the figures", () => {
  refuseBuffers(6, 10, 100);
  const error = assertThrows(() => refuseBuffers(220e6, 100, 16 * 2 ** 30), CaseRefusal);
  assertEquals(
    error.message,
    "refused: 100 connections with a copy of the file each need 20.5 GiB, " +
      "more than 60 % of this machine's 16.0 GiB",
  );
});

test("a refused case is a row that is no failure, before any file is written", async () => {
  const runtime = await findRuntime(runtimeName);
  const row = await runCaseProcess(
    {
      workload: "serve_file",
      contestant: "buffer-web",
      runtime: runtimeName,
      params: { size: 2 ** 50, connections: 100, seconds: 1 },
      nodeFlags: [],
    },
    runtime,
    {
      profile: profiles.quick,
      registryUrl: new URL("../../../bench/workloads.ts", import.meta.url).href,
      allowanceMs: 0,
    },
  );
  if (row === undefined || !("error" in row)) throw new Error("the case was not refused");
  assertEquals(row.refused, true);
  assertStringIncludes(row.error, "refused: 100 connections");
  const table = serveFileTable([row]);
  assertStringIncludes(table, "refused");
  assertStringIncludes(table, `buffer-web: ${row.error}`);
});

const params = { size: 3 * 2 ** 20 + 5, connections: 2, seconds: 0.1 };

for (const { name } of entriesHere(serveFile.contestants, params)) {
  test(`${name} sends the file, and what it cost is told`, async () => {
    process.env.HOSEPIPE_NODE = (await findRuntime("node")).executable;
    const prepared = await serveFile.prepare({ contestant: name, params });
    try {
      let outcome;
      do {
        await prepared.run();
        outcome = await prepared.verify();
        // In so little time a busy machine may answer none in full.
      } while (outcome.chunks === 0);
      const { chunks, bytes, digest, extra = {} } = outcome;
      assert(chunks > 0 && bytes >= chunks * params.size, `${chunks} answers, ${bytes} bytes`);
      assertEquals(digest.length, 64);
      assertEquals(extra.errors, 0);
      for (
        const key of ["requestsPerSecond", "MiBPerSecond", "idleRssMiB", "peakRssMiB", "cpuMs"]
      ) {
        assert(Number(extra[key]) > 0, `${key} is ${extra[key]}`);
      }
      assertEquals(Number(extra.filesBefore) <= 0, true);
      // Of Node's own way files stay open behind clients that left.
      if (name !== "create-read-stream") assertEquals(Number(extra.filesAfter) <= 0, true);
      assert(String(extra.rssMiB).split(" ").length >= 2);
    } finally {
      await prepared.dispose();
    }
  });
}
