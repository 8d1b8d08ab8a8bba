import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { asIfRejected, excuse, rules } from "./rules.ts";
import { kindOf } from "./compare.ts";
import { contradictionIn } from "./contradiction_in.ts";
import { type RuleCase, ruleCases } from "./_rule_cases.ts";

type Log = readonly string[];

/** What promises have settled with, and how both ends of a pipe have ended. */
const outcome = /^(?:(?:writer|reader): (?:\w+ \d+|closed) [=!]|pipe [=!])/;

/** The log with one event changed: twice, gone, with another value, another reason, or the other outcome. */
function* mutantsOf(
  log: Log,
  expected: Log,
): Generator<{ readonly name: string; readonly log: Log }> {
  for (const [index, event] of log.entries()) {
    const change = (name: string, ...events: string[]) => ({
      name: `${name}: ${event}`,
      log: log.toSpliced(index, 1, ...events),
    });
    if (/(?:transform|write) c\d$|: flush$|: close$|: (?:cancel|abort) \D|^pipe /.test(event)) {
      yield change("twice", event, event);
    }
    if (/(?:transform |write |= )c\d$/.test(event)) {
      yield change("value", event.replace(/c\d$/, "c7"));
    }
    if (/^(?:stage \d+|sink|source): (?:cancel|abort) /.test(event) || outcome.test(event)) {
      const lost = event.replace(/( ! |: cancel |: abort ).*/, "$1lost");
      if (lost !== event) yield change("lost", lost);
    }
    if (!outcome.test(event)) continue;
    const name = outcome.exec(event)![0].slice(0, -2);
    if (expected.some((other) => other.startsWith(`${name} `))) yield change("gone");
    if (event.endsWith(" = done")) yield change("failed", event.replace(/ = done$/, " ! lost"));
    if (/: write .* ! /.test(event)) yield change("done", event.replace(/ ! .*/, " = done"));
  }
}

function excuseOf(
  { schedule, hasTripped, expected, native = [] }: RuleCase,
  actual: Log,
): string | undefined {
  return excuse({ schedule, hasTripped, expected, actual, native });
}

for (const ruleCase of ruleCases) {
  const { rule, schedule, expected, actual } = ruleCase;
  if (rule === "ready in Node" && currentRuntime().name !== "node") continue;
  test(`rule "${rule}": explains its case, and no run that contradicts itself`, () => {
    assertEquals(excuseOf(ruleCase, actual), rule);
    assertEquals(contradictionIn(schedule, actual), undefined);
    const mutants = [...mutantsOf(actual, expected)];
    assert(mutants.length > 0);
    const explained = mutants.filter(({ log }) =>
      kindOf(schedule, expected, log) !== undefined && excuseOf(ruleCase, log) !== undefined
    );
    assertEquals(explained.map(({ name }) => name), []);
  });
}

test("every rule has a case", () => {
  const cased = new Set(ruleCases.map(({ rule }) => rule));
  const without = rules.map(({ name }) => name).filter((name) => !cased.has(name));
  assertEquals(without, []);
});

test("a write that Node throws from is taken as one that rejects later in its turn, in Node alone", () => {
  const isNode = currentRuntime().name === "node";
  const rejects = "writer: write 7 ! TypeError";
  assertEquals(
    asIfRejected(["writer: close 6 = done", "write 7 # Error", "|", "writer: ready = done"]),
    isNode ? [["writer: close 6 = done", rejects, "|", "writer: ready = done"]] : [],
  );
  assertEquals(
    asIfRejected(["write 7 # Error", "writer: close 6 ! TypeError"]),
    isNode
      ? [[rejects, "writer: close 6 ! TypeError"], ["writer: close 6 ! TypeError", rejects]]
      : [],
  );
  assertEquals(asIfRejected([rejects]), []);
});
