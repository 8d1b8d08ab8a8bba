import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { selectCases, type Selection } from "../../../bench/measure/select_cases.ts";
import type { Workload } from "../../../bench/measure/workload.ts";

const number = {
  about: "a number",
  values: [1, 2],
  quick: [1],
  full: [1, 2, 3],
  parse(text: string): number {
    if (/^\d+$/.test(text)) return Number(text);
    throw new RangeError(`must be a digit, got ${text}`);
  },
};

const one: Workload = {
  name: "one",
  about: "the one",
  params: { size: number, depth: { ...number, quick: undefined } },
  contestants: [
    { name: "hand", about: "" },
    { name: "flagged", about: "", runtimes: ["node"], nodeFlags: ["--flag"] },
  ],
  takesInput: true,
  prepare: () => Promise.reject(new Error("not here")),
};

const other: Workload = {
  ...one,
  name: "other",
  params: {},
  contestants: [{ name: "web", about: "" }],
  takesInput: false,
};

const crowded: Workload = {
  ...other,
  contestants: ["web", ..."0123456789ab"].map((name) => ({ name, about: "" })),
};

const everything: Selection = {
  workloads: [one, other],
  runtimes: ["bun", "node"],
  params: [],
  values: "all",
};

function listed(selection: Partial<Selection>): string[] {
  return selectCases({ ...everything, ...selection }).map((
    { workload, contestant, runtime, params },
  ) => [workload, contestant, runtime, ...Object.values(params)].join(" "));
}

test("every contestant meets every combination in each runtime it supports, noop once in each", () => {
  assertEquals(listed({}), [
    ...["one noop bun", "one noop node"],
    ...["one hand bun 1 1", "one hand bun 1 2", "one hand bun 2 1", "one hand bun 2 2"],
    ...["one hand node 1 1", "one hand node 1 2", "one hand node 2 1", "one hand node 2 2"],
    ...["one flagged node 1 1", "one flagged node 1 2"],
    ...["one flagged node 2 1", "one flagged node 2 2"],
    ...["other noop bun", "other noop node", "other web bun", "other web node"],
  ]);
});

test("chosen values replace the profile's, in every workload that has the parameter", () => {
  assertEquals(listed({ params: ["size=7,8", "depth=4"], runtimes: ["bun"] }), [
    ...["one noop bun", "one hand bun 7 4", "one hand bun 8 4", "other noop bun", "other web bun"],
  ]);
});

test("what cannot be meant is refused with what can", () => {
  const refusals: [Partial<Selection>, string][] = [
    [
      { contestants: ["wep"], workloads: [crowded] },
      "Unknown contestant wep; did you mean web, noop or ",
    ],
    [{ contestants: ["we"] }, "--contestant must be one of noop, hand, flagged, web, got we"],
    [
      { contestants: ["flagged"], runtimes: ["bun"] },
      "--contestant flagged runs only in node",
    ],
    [{ params: ["toString=1"] }, "the parameters are size, depth"],
    [{ params: ["size=1"], workloads: [other] }, "there are none here"],
    [{ params: ["size=1,x"] }, "--param size=1,x: must be a digit, got x"],
    [{ params: ["size="] }, "--param must be name=value,value, got size="],
    [{ input: "/file", workloads: [other] }, "--input means nothing to other"],
  ];
  for (const [selection, message] of refusals) {
    assertThrows(() => selectCases({ ...everything, ...selection }), RangeError, message);
  }
});
