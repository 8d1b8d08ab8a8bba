import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { workloads } from "../../bench/workloads.ts";

for (const [name, load] of Object.entries(workloads)) {
  test(`${name} goes by its name, and has contestants and lines about everything`, async () => {
    const workload = await load();
    assertEquals(workload.name, name);
    const names = workload.contestants.map((entry) => entry.name);
    assertEquals(new Set(names).size, names.length);
    assert(names.length > 0);
    const texts = [workload, ...workload.contestants, ...Object.values(workload.params)]
      .map(({ about }) => about);
    for (const about of texts) assert(about.length > 0 && !about.includes("\n"), about);
    for (const { dividend, divisor, atMost, atLeast } of workload.bars ?? []) {
      assert(names.includes(dividend.contestant) && names.includes(divisor.contestant));
      assert((atMost === undefined) !== (atLeast === undefined));
    }
  });

  test(`${name} has a control in every runtime, or says why it has none`, async () => {
    const { contestants, control = "hand", whyNoControl } = await load();
    const entry = contestants.find((one) => one.name === control);
    if (whyNoControl === undefined) {
      assertEquals([entry?.name, entry?.runtimes], [control, undefined]);
    } else assertEquals(entry, undefined);
  });

  test(`${name} takes on the command line what its profiles use, and refuses the rest`, async () => {
    for (const spec of Object.values((await load()).params)) {
      for (const value of [...spec.values, ...spec.quick ?? [], ...spec.full ?? []]) {
        assertEquals(spec.parse(String(value)), value);
      }
      assertThrows(() => spec.parse("no such value"), RangeError, '"no such value"');
      assertThrows(() => spec.parse(""), RangeError);
    }
  });
}
