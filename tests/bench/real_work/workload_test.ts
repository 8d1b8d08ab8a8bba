import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { makeEvents } from "../../../bench/real_work/make_events.ts";
import { contestants } from "../../../bench/real_work/contestants.ts";
import { realWork } from "../../../bench/real_work/workload.ts";
import { entriesHere } from "../_entries_here.ts";
import { runCase } from "../_run_case.ts";

const events = 120;

for (const from of ["file", "gzip", "http"]) {
  test(`real_work: from ${from} everybody writes what the loop by hand writes`, async () => {
    const expected = await runCase(realWork, "hand", { from, events });
    assertEquals(expected.chunks, events);
    for (const { name } of entriesHere(contestants, { from })) {
      assertEquals([name, await runCase(realWork, name, { from, events })], [name, expected]);
    }
  });
}

test("events are always the same, and no two alike", () => {
  const lines = [...makeEvents(events)];
  assertEquals([...makeEvents(events)], lines);
  assertEquals(new Set(lines).size, events);
  const orders = lines.filter((line) => JSON.parse(line).kind === "order").length;
  assert(orders > events / 5 && orders < events * 3 / 5, `${orders} orders`);
});

test("what nobody has written is not accepted", async () => {
  const params = { from: "file", events: 10 };
  const prepared = await realWork.prepare({ contestant: "hand", params });
  await assertRejects(() => prepared.verify(), Error, "orders");
  await prepared.dispose();
});

test("events come from one of three places", () => {
  assertThrows(
    () => realWork.params.from!.parse("ftp"),
    RangeError,
    'Cannot read from: must be one of file, gzip, http, got "ftp"',
  );
});
