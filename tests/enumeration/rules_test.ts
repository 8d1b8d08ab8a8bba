import type { Schedule } from "./schedule.ts";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { asIfRejected, excuse, rules } from "./rules.ts";
import { kindOf } from "./compare.ts";
import { contradictionIn } from "./contradiction_in.ts";
import { mutantsOf } from "./mutants_of.ts";

/** A difference that a rule explains, from a run. */
interface RuleCase {
  readonly rule: string;
  readonly schedule: Schedule;
  readonly hasTripped: boolean;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
  /** What the runtime's own streams do, where the rule asks for that. */
  readonly native?: readonly string[];
}

function caseOf(
  rule: string,
  [way, stages, chunks, firstMark, lastMark, plain]: readonly [
    Schedule["way"],
    number,
    number,
    number,
    number,
    Schedule["plain"],
  ],
  deviations: Record<string, string>,
  expected: string,
  actual: string,
  hasTripped = false,
): RuleCase {
  return {
    rule,
    schedule: {
      way,
      stages,
      chunks,
      firstMark,
      lastMark,
      plain,
      deviations: Object.entries(deviations).map(([at, does]) => ({ at, does })),
    },
    hasTripped,
    expected: expected.split("; "),
    actual: actual.split("; "),
  };
}

const refused = caseOf(
  "runtime in part",
  ["fuse", 1, 2, 0, 0, "turns"],
  { "slot 7": "release reader", "flush 0": "throws", "slot 10": "write" },
  "stage 0: start; |; stage 0: transform c0; reader: read 1 = c0; writer: write 0 = done; |; |; " +
    "stage 0: transform c1; reader: closed ! TypeError; reader: read 3 ! TypeError; writer: write 2 = done; |; " +
    "stage 0: flush; writer: ready = done; writer: write 6 ! TypeError; reader: closed ! flush 0; " +
    "writer: close 5 ! flush 0; writer: closed ! flush 0; writer: ready ! flush 0; |; reader: read 7 ! flush 0; |; |; " +
    "writer: desiredSize null",
  "stage 0: start; |; stage 0: transform c0; reader: read 1 = c0; writer: write 0 = done; |; |; " +
    "stage 0: transform c1; reader: closed ! TypeError; reader: read 3 ! TypeError; writer: write 2 = done; |; " +
    "stage 0: flush; writer: ready = done; writer: write 6 ! TypeError; writer: ready ! TypeError; " +
    "writer: close 5 ! flush 0; writer: closed ! TypeError; |; reader: read 7 = c1; |; |; writer: desiredSize null",
);

/** In Deno a write that is refused while a close goes on is what `ready` and `closed` fail with. */
const refusedInDeno =
  "stage 0: start; |; stage 0: transform c0; reader: read 1 = c0; writer: write 0 = done; |; |; " +
  "stage 0: transform c1; reader: closed ! TypeError; reader: read 3 ! TypeError; writer: write 2 = done; |; " +
  "stage 0: flush; writer: ready = done; writer: write 6 ! TypeError; writer: ready ! TypeError; " +
  "reader: closed ! flush 0; writer: close 5 ! flush 0; writer: closed ! TypeError; |; reader: read 7 ! flush 0; |; |; " +
  "writer: desiredSize null";

const deno = caseOf(
  "runtime in part",
  ["fuse", 1, 2, 0, 0, "turns"],
  { "start 0": "rejects", "slot 0": "abort", "cancel 0": "errors" },
  "stage 0: start; writer: ready ! abort 0; stage 0: cancel abort 0; reader: closed ! cancel 0; " +
    "writer: abort 0 ! cancel 0; writer: closed ! abort 0; |; writer: write 1 ! abort 0; |; " +
    "reader: read 2 ! cancel 0; |; writer: write 3 ! abort 0; |; reader: read 4 ! cancel 0; |; " +
    "writer: close 5 ! TypeError; |; reader: read 6 ! cancel 0; |; |; writer: desiredSize null",
  "stage 0: start; writer: ready ! abort 0; reader: closed ! start 0; stage 0: cancel abort 0; " +
    "writer: abort 0 ! cancel 0; writer: closed ! abort 0; |; writer: write 1 ! abort 0; |; " +
    "reader: read 2 ! start 0; |; writer: write 3 ! abort 0; |; reader: read 4 ! start 0; |; " +
    "writer: close 5 ! TypeError; |; reader: read 6 ! start 0; |; |; writer: desiredSize null",
);

/** One case for each rule that explains no run of the gate. */
const ruleCases: readonly RuleCase[] = [
  { ...refused, native: refusedInDeno.split("; ") },
  {
    ...deno,
    native: [...deno.actual].map((event) =>
      event === "writer: abort 0 ! cancel 0" ? "writer: abort 0 ! start 0" : event
    ),
  },
  caseOf(
    "closed by cancel",
    ["fuse", 1, 2, 0, 1, "turns"],
    { "slot 2": "abort", "slot 4": "cancel" },
    "stage 0: start; stage 0: transform c0; writer: write 0 = done; |; stage 0: cancel abort 1; writer: ready ! abort 1; reader: closed ! abort 1; writer: abort 1 = done; writer: closed ! abort 1; |; reader: cancel 2 ! abort 1; |; reader: read 3 ! abort 1; |; writer: write 4 ! abort 1; |; reader: read 5 ! abort 1; |; writer: close 6 ! TypeError; |; reader: read 7 ! abort 1; |; |; writer: desiredSize null",
    "stage 0: start; stage 0: transform c0; writer: write 0 = done; |; stage 0: cancel abort 1; writer: ready ! abort 1; writer: abort 1 = done; writer: closed ! abort 1; |; reader: closed = done; reader: cancel 2 ! abort 1; |; reader: read 3 = end; |; writer: write 4 ! abort 1; |; reader: read 5 = end; |; writer: close 6 ! TypeError; |; reader: read 7 = end; |; |; writer: desiredSize null",
  ),
  caseOf(
    "done sooner",
    ["fuse", 1, 2, 0, 1, "turns"],
    { "slot 5": "cancel", "cancel 0": "errors" },
    "stage 0: start; stage 0: transform c0; writer: write 0 = done; |; reader: read 1 = c0; |; stage 0: transform c1; stage 0: cancel cancel 3; reader: closed = done; writer: ready ! cancel 0; writer: write 2 = done; writer: closed ! cancel 0; reader: cancel 3 = done; |; reader: read 4 = end; |; writer: close 5 ! TypeError; |; reader: read 6 = end; |; |; writer: desiredSize null",
    "stage 0: start; stage 0: transform c0; writer: write 0 = done; |; reader: read 1 = c0; |; stage 0: transform c1; stage 0: cancel cancel 3; reader: closed = done; writer: ready ! cancel 0; writer: write 2 = done; writer: closed ! cancel 0; reader: cancel 3 ! cancel 0; |; reader: read 4 = end; |; writer: close 5 ! TypeError; |; reader: read 6 = end; |; |; writer: desiredSize null",
  ),
  caseOf(
    "cancel at once",
    ["fuse", 2, 3, 0, 0, "burst"],
    { "start 1": "errors", "slot 0": "abort" },
    "stage 0: start; stage 1: start; reader: closed ! start 1; writer: ready ! abort 0; writer: write 1 ! abort 0; reader: read 2 ! start 1; writer: write 3 ! abort 0; reader: read 4 ! start 1; writer: write 5 ! abort 0; reader: read 6 ! start 1; reader: read 8 ! start 1; stage 0: cancel abort 0; writer: abort 0 = done; writer: close 7 ! abort 0; writer: closed ! abort 0; |; |; writer: desiredSize null",
    "stage 0: start; stage 1: start; stage 0: cancel start 1; reader: closed ! start 1; writer: ready ! abort 0; writer: write 1 ! abort 0; reader: read 2 ! start 1; writer: write 3 ! abort 0; reader: read 4 ! start 1; writer: write 5 ! abort 0; reader: read 6 ! start 1; reader: read 8 ! start 1; writer: abort 0 = done; writer: close 7 ! abort 0; writer: closed ! abort 0; |; |; writer: desiredSize null",
  ),
  caseOf(
    "either end",
    ["fuse", 2, 3, 0, 0, "burst"],
    { "start 1": "terminates", "slot 0": "abort" },
    "stage 0: start; stage 1: start; reader: closed = done; writer: ready ! abort 0; writer: write 1 ! abort 0; reader: read 2 = end; writer: write 3 ! abort 0; reader: read 4 = end; writer: write 5 ! abort 0; reader: read 6 = end; reader: read 8 = end; stage 0: cancel abort 0; writer: abort 0 = done; writer: close 7 ! abort 0; writer: closed ! abort 0; |; |; writer: desiredSize null",
    "stage 0: start; stage 1: start; stage 0: cancel TypeError; reader: closed = done; writer: ready ! abort 0; writer: write 1 ! abort 0; reader: read 2 = end; writer: write 3 ! abort 0; reader: read 4 = end; writer: write 5 ! abort 0; reader: read 6 = end; reader: read 8 = end; writer: abort 0 = done; writer: close 7 ! abort 0; writer: closed ! abort 0; |; |; writer: desiredSize null",
  ),
  caseOf(
    "error in cancel",
    ["fuse", 2, 3, 0, 0, "turns"],
    { "start 1": "rejects", "slot 0": "cancel" },
    "stage 0: start; stage 1: start; stage 1: cancel cancel 0; reader: closed = done; reader: cancel 0 = done; stage 0: cancel cancel 0; writer: ready ! cancel 0; writer: closed ! cancel 0; |; writer: write 1 ! cancel 0; |; reader: read 2 = end; |; writer: write 3 ! cancel 0; |; reader: read 4 = end; |; writer: write 5 ! cancel 0; |; reader: read 6 = end; |; writer: close 7 ! TypeError; |; reader: read 8 = end; |; |; writer: desiredSize null",
    "stage 0: start; stage 1: start; stage 1: cancel cancel 0; reader: closed = done; stage 0: cancel start 1; reader: cancel 0 ! start 1; writer: ready ! start 1; writer: closed ! start 1; |; writer: write 1 ! start 1; |; reader: read 2 = end; |; writer: write 3 ! start 1; |; reader: read 4 = end; |; writer: write 5 ! start 1; |; reader: read 6 = end; |; writer: close 7 ! TypeError; |; reader: read 8 = end; |; |; writer: desiredSize null",
  ),
  caseOf(
    "held by cancel",
    ["fuse", 2, 3, 0, 1, "turns"],
    { "slot 3": "cancel", "cancel 1": "rejects later" },
    "stage 0: start; stage 1: start; stage 0: transform c0; stage 1: transform c0; writer: write 0 = done; |; stage 1: cancel cancel 2; reader: read 1 = c0; reader: closed = done; |; stage 0: transform c1; writer: write 3 = done; stage 0: cancel TypeError; writer: ready ! TypeError; writer: closed ! TypeError; |; reader: cancel 2 ! cancel 1; |; reader: read 4 = end; |; writer: write 5 ! TypeError; |; reader: read 6 = end; |; writer: close 7 ! TypeError; |; reader: read 8 = end; |; |; writer: desiredSize null",
    "stage 0: start; stage 1: start; stage 0: transform c0; stage 1: transform c0; writer: write 0 = done; |; stage 1: cancel cancel 2; reader: read 1 = c0; reader: closed = done; |; |; stage 0: cancel cancel 1; reader: cancel 2 ! cancel 1; writer: ready ! cancel 1; writer: write 3 ! cancel 1; writer: closed ! cancel 1; |; reader: read 4 = end; |; writer: write 5 ! cancel 1; |; reader: read 6 = end; |; writer: close 7 ! TypeError; |; reader: read 8 = end; |; |; writer: desiredSize null",
    true,
  ),
  caseOf(
    "source drops",
    ["pipeline", 0, 2, 1, 1, "pull"],
    { "pull 2": "errors", "write 1": "throws" },
    "source: pull 0; sink: write c0; source: pull 1; source: pull 2; sink: write c1; pipe ! pull 2; |; |; |; |; source: free; sink: free",
    "source: pull 0; sink: write c0; source: pull 1; source: pull 2; sink: abort pull 2; pipe ! pull 2; |; |; |; |; source: free; sink: free",
  ),
  caseOf(
    "seen later",
    ["pipeline", 1, 2, 0, 1, "pull"],
    { "slot 0": "signal", "start 0": "throws" },
    "|; stage 0: start; pipe ! start 0; |; |; |; |; source: free; sink: free",
    "|; stage 0: start; source: cancel signal 0; sink: abort signal 0; pipe ! signal 0; |; |; |; |; source: free; sink: free",
  ),
  caseOf(
    "either reason",
    ["pipeline", 1, 2, 0, 0, "pull"],
    { "start 0": "errors", "slot 1": "error sink" },
    "stage 0: start; source: cancel start 0; pipe ! start 0; |; |; |; |; source: free; sink: free",
    "stage 0: start; source: cancel start 0; sink: abort start 0; pipe ! start 0; |; |; |; |; source: free; sink: free",
  ),
  caseOf(
    "only failure",
    ["pipeline", 1, 2, 0, 0, "pull"],
    { "start 0": "terminates", "cancel source": "throws" },
    "stage 0: start; sink: close; source: cancel TypeError; pipe = done; |; |; |; |; source: free; sink: free",
    "stage 0: start; source: cancel TypeError; sink: close; pipe ! cancel source; |; |; |; |; source: free; sink: free",
  ),
  caseOf(
    "ready in Node",
    ["fuse", 1, 2, 1, 2, "turns"],
    { "slot 5": "close", "flush 0": "terminates" },
    "stage 0: start; writer: ready = done; stage 0: transform c0; writer: write 0 = done; writer: ready = done; |; reader: read 1 = c0; |; stage 0: transform c1; writer: ready = done; stage 0: flush; writer: write 2 = done; writer: close 3 = done; writer: closed = done; writer: ready ! TypeError; |; reader: closed = done; reader: read 4 = c1; |; writer: close 5 ! TypeError; |; reader: read 6 = end; |; |; writer: desiredSize 0",
    "stage 0: start; writer: ready = done; stage 0: transform c0; writer: write 0 = done; writer: ready = done; |; reader: read 1 = c0; |; stage 0: transform c1; stage 0: flush; writer: ready = done; writer: write 2 = done; writer: close 3 = done; writer: closed = done; writer: ready = done; |; reader: closed = done; reader: read 4 = c1; |; writer: close 5 ! TypeError; |; reader: read 6 = end; |; |; writer: desiredSize 0",
  ),
  caseOf(
    "ended in start",
    ["pipeline", 2, 3, 0, 1, "pull"],
    { "start 0": "terminates", "slot 1": "signal" },
    "stage 0: start; stage 1: start; sink: abort signal 1; stage 1: cancel signal 1; source: cancel TypeError; pipe ! signal 1; |; |; |; |; source: free; sink: free",
    "stage 0: start; source: cancel TypeError; stage 1: start; stage 1: flush; sink: close; pipe = done; |; |; |; |; source: free; sink: free",
  ),
  caseOf(
    "write during cancel",
    ["fuse", 1, 2, 0, 0, "turns"],
    { "slot 3": "cancel", "cancel 0": "rejects later", "slot 4": "abort" },
    "stage 0: start; |; stage 0: cancel cancel 2; reader: closed = done; reader: read 1 = end; writer: ready ! abort 3; writer: write 0 ! abort 3; |; writer: write 4 ! abort 3; |; reader: cancel 2 ! cancel 0; writer: abort 3 ! cancel 0; writer: closed ! abort 3; |; reader: read 5 = end; |; writer: close 6 ! TypeError; |; reader: read 7 = end; |; |; writer: desiredSize null",
    "stage 0: start; |; stage 0: cancel cancel 2; reader: closed = done; reader: read 1 = end; writer: ready ! abort 3; |; writer: write 4 ! abort 3; |; reader: cancel 2 ! cancel 0; writer: write 0 ! abort 3; writer: abort 3 ! cancel 0; writer: closed ! abort 3; |; reader: read 5 = end; |; writer: close 6 ! TypeError; |; reader: read 7 = end; |; |; writer: desiredSize null",
  ),
  caseOf(
    "asked later",
    ["pipeline", 1, 2, 0, 1, "pull"],
    { "start 0": "fulfils last", "pull 0": "throws", "slot 2": "error source" },
    "stage 0: start; source: pull 0; |; |; |; |; |; stage 0: cancel pull 0; sink: abort pull 0; pipe ! pull 0; |; source: free; sink: free",
    "stage 0: start; |; |; |; |; |; stage 0: cancel error source 1; sink: abort error source 1; pipe ! error source 1; |; source: free; sink: free",
  ),
];

function excuseOf(
  { schedule, hasTripped, expected, native = [] }: RuleCase,
  actual: readonly string[],
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

/** Those that explain runs of the gate, which have mutants in enumeration_test.ts. */
const enumerated = [
  ...["abort at once", "no answer", "microtasks", "made before", "ahead", "reads later", "start"],
  ...["sink without room", "first failure", "heard first", "signal"],
];

test("every rule has a case", () => {
  const cased = new Set([...enumerated, ...ruleCases.map(({ rule }) => rule)]);
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
