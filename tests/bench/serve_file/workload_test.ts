import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import process from "node:process";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { serveFile } from "../../../bench/serve_file/workload.ts";
import { findRuntime } from "../../../runtimes/find_runtime.ts";
import { entriesHere } from "../_entries_here.ts";

const { name: runtimeName } = currentRuntime();
// What runs the test is what is found; the load runs under Node in any case.
process.env[`HOSEPIPE_${runtimeName.toUpperCase()}`] = process.execPath;

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
