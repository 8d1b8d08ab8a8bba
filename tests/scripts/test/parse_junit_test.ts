import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { parseJunit } from "../../../scripts/test/parse_junit.ts";

test("parseJunit reads passed, failed and skipped cases of Deno's report", () => {
  const xml = `<?xml version="1.0"?><testsuites name="deno test" tests="3" failures="1">
    <testsuite name="./a_test.ts" tests="3" disabled="1" errors="0" failures="1">
      <testcase name="one &lt;b&gt;" classname="./a_test.ts" time="0.002">
      </testcase>
      <testcase name="two" classname="./a_test.ts" time="0.002">
        <failure message="Uncaught Error: a &amp; b">Error: a &amp; b
  at x</failure>
      </testcase>
      <testcase name="three" time="0.000"><skipped/></testcase>
    </testsuite></testsuites>`;
  assertEquals(parseJunit(xml), [
    { name: "one <b>", outcome: "passed", detail: "", elapsedMs: 2 },
    { name: "two", outcome: "failed", detail: "Error: a & b\n  at x", elapsedMs: 2 },
    { name: "three", outcome: "skipped", detail: "", elapsedMs: 0 },
  ]);
});

test("parseJunit reads Bun's self-closed cases, numeric entities and empty failures", () => {
  const xml = `<testsuite name="a"><testcase name="one &quot;&#x41;&#10;" assertions="0" />
    <testcase name="two"><failure type="Error" message="no &apos;body&apos;" /></testcase></testsuite>`;
  assertEquals(parseJunit(xml), [
    { name: 'one "A\n', outcome: "passed", detail: "", elapsedMs: 0 },
    { name: "two", outcome: "failed", detail: "no 'body'", elapsedMs: 0 },
  ]);
});

test("parseJunit reads Node's bare > in attributes, and a failing todo as skipped", () => {
  const xml = `<testsuites><testcase name="a => /> b" time="0.1" classname="test"/>
    <testcase name="todo" failure="x"><skipped type="todo" message="true"/>
      <failure type="testCodeFailure" message="x">x</failure></testcase></testsuites>`;
  assertEquals(parseJunit(xml), [
    { name: "a => /> b", outcome: "passed", detail: "", elapsedMs: 100 },
    { name: "todo", outcome: "skipped", detail: "", elapsedMs: 0 },
  ]);
});

test("parseJunit finds nothing in an empty or foreign text", () => {
  assertEquals(parseJunit(""), []);
  assertEquals(parseJunit("<testsuites></testsuites>"), []);
});
