import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { concurrency } from "../../../bench/concurrency/workload.ts";

const { run, speedup } = concurrency.params;

test("concurrency reads its parameters", () => {
  assertEquals([run!.parse("3.1"), run!.parse("6.4")], ["3.1", "6.4"]);
  assertThrows(() => run!.parse("7.1"), RangeError, "must be one of 3.1, 4.1, 5.1, 5.2");
  assertEquals([speedup!.parse("own"), speedup!.parse("20")], ["own", 20]);
  for (const text of ["0", "-1", "1.5", "fast", "", "10001"]) {
    assertThrows(() => speedup!.parse(text), RangeError, "must be own or an integer from 1");
  }
});

test("its runs are those of the article's table", () => {
  assertEquals(run!.values, "3.1 4.1 5.1 5.2 5.3 5.4 6.1 6.2 6.3 6.4".split(" "));
});

test("both APIs write the same messages, as many at once as they may, run after run", async () => {
  const digests = new Set<string>();
  for (const { name } of concurrency.contestants) {
    const prepared = await concurrency.prepare({
      contestant: name,
      params: { run: "6.2", speedup: 500 },
    });
    assertEquals(prepared.isTimeGiven, true);
    for (let iteration = 0; iteration < 2; iteration++) {
      await prepared.run();
      const { chunks, digest, extra } = await prepared.verify();
      assertEquals(chunks, 100);
      assertEquals([extra?.maxInFlight, extra?.speedup, extra?.articleSeconds], [10, 500, 8]);
      assert(Number(extra?.ratio) > 0 && Number(extra?.ratioToKept) > 0);
      assert(Number(extra?.meanInFlight) > 0 && Number(extra?.meanInFlight) <= 10);
      digests.add(digest);
    }
    await prepared.dispose();
  }
  assertEquals(digests.size, 1);
});

test("an unknown contestant is refused", async () => {
  await assertRejects(
    () => concurrency.prepare({ contestant: "pigeons", params: { run: "3.1", speedup: 500 } }),
    Error,
    "Cannot prepare concurrency: no contestant pigeons; the contestants are web, node",
  );
});
