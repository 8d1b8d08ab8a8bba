import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { compareFacts, describeDifferences } from "../../../scenarios/semantics/compare_facts.ts";
import { readExpected } from "../../../scenarios/semantics/expected_table.ts";
import { semanticsProbes } from "../../../scenarios/semantics/probes.ts";

const { name: runtime, version } = currentRuntime();
const { facts: expected, explanations } = readExpected(runtime, version);

test("every probe has its table, and every table its probe", () => {
  assertEquals(Object.keys(expected).sort(), semanticsProbes.map(({ name }) => name).sort());
});

for (const { name, question, measure } of semanticsProbes) {
  test(`${name}: ${question}`, async () => {
    const facts = { [name]: await measure() };
    const table = { facts: { [name]: expected[name]! }, explanations };
    const open = compareFacts(table, facts).filter(({ because }) => because === undefined);
    assert(open.length === 0, `\n${describeDifferences(open)}`);
  });
}
