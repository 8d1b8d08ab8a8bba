import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { probeCost } from "../../../bench/probe_cost/workload.ts";

test("every contestant brings every number, in order, whatever the marks", async () => {
  for (const { name } of probeCost.contestants) {
    for (const highWaterMark of [1, 16]) {
      const params = { count: 500, highWaterMark };
      const prepared = await probeCost.prepare({ contestant: name, params });
      for (let run = 0; run < 2; run++) {
        await prepared.run();
        assertEquals(await prepared.verify(), { chunks: 500, bytes: 0, digest: "500 in order" });
      }
      await prepared.dispose();
    }
  }
});

test("an unknown contestant, and output that is not there, are refused", async () => {
  const params = { count: 5, highWaterMark: 1 };
  await assertRejects(
    async () => await probeCost.prepare({ contestant: "nobody", params }),
    Error,
    "no contestant nobody",
  );
  const prepared = await probeCost.prepare({ contestant: "web", params });
  await assertRejects(async () => await prepared.verify(), Error, "0 of 5");
});
