import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import {
  batch,
  concat,
  filter,
  interval,
  limitRate,
  map,
  merge,
  take,
  timeout,
} from "@hosepipe/streams";
import {
  type DiagramOptions,
  type DiagramStage,
  expectDiagram,
  virtualTime,
} from "@hosepipe/streams/testing";

/** Lets each chunk wait. */
const later = (ms: number) => ({
  async transform(chunk: unknown, controller: TransformStreamDefaultController) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    controller.enqueue(chunk);
  },
});

const right: [name: string, stage: () => DiagramStage, options: DiagramOptions][] = [
  ["nothing at all", () => map(String), { in: "", out: "" }],
  ["an end", () => map(String), { in: "--|", out: "--|" }],
  ["chunks at their times", () => map((s: string) => s.toUpperCase()), {
    in: "a-(bc)|",
    out: "A-(BC)|",
  }],
  ["chunks that are left out", () => filter((s: string) => s !== "b"), {
    in: "ab-c|",
    out: "a--c|",
  }],
  ["chunks that are not letters", () => batch(3, { maxWaitMs: 2 }), {
    in: "ab----c|",
    out: "--X----(Y|)",
    values: { X: ["a", "b"], Y: ["c"] },
  }],
  ["a delay of each", () => later(2), { in: "abc|", out: "--a-b-(c|)" }],
  ["given before a timer that is due at the same time", () => batch(3, { maxWaitMs: 2 }), {
    in: "a-b-|",
    out: "--X-|",
    values: { X: ["a", "b"] },
  }],
  ["an early end", () => take(2), { in: "a-(b!)", out: "a-(b|)" }],
  ["a failure of the source", () => map(String), { in: "a--#", out: "a--#" }],
  ["a failure with undefined", () => map(String), { in: "a--#", out: "a--#", error: undefined }],
  ["a failure of the stage", () =>
    map(() => {
      throw new RangeError("mine");
    }), { in: "--(a!)", out: "--#" }],
  ["a cancel of the sink", () => map(String), { in: "a--!", out: "a--!" }],
  ["demand", () => map(String), { in: "(abcd|)", out: "-a--(bc)-(d|)", demand: "-1--2-*" }],
  ["times between spaces", () => later(1000), { in: "a 999ms |", out: " 1s (a|)" }],
  ["columns of ten", () => limitRate({ perSecond: 100, burst: 1 }), {
    in: "(abc|)",
    out: "ab(c|)",
    columnMs: 10,
  }],
  ["spaces that mean nothing", () => map(String), { in: "a - b |", out: "a-b|" }],
  ["a pair of streams", () => new TransformStream(), { in: "ab|", out: "ab|" }],
  ["an async generator", () =>
    async function* (source: ReadableStream) {
      for await (const chunk of source) yield* [chunk, chunk];
    }, { in: "a-b|", out: "(aa)-(bb)|" }],
  ["two sources", () => (one, other) => merge(one, other), {
    in: ["a--b|", "-c----d|"],
    out: "ac-b--d|",
  }],
  ["one after the other", () => (one, other) => concat(one, other), {
    in: ["a--b|", "-c----d|"],
    out: "a--b(c)-d|",
  }],
  ["no source", () => () => interval(3), { in: [], out: "---0--1--!", values: { 0: 0, 1: 1 } }],
  ["a silence that is too long", () => (source) => timeout(source, { idleMs: 3 }), {
    in: "a-b---!",
    out: "a-b---#",
  }],
];

for (const [name, stage, options] of right) {
  test(`expectDiagram() sees ${name}`, async () => {
    await expectDiagram(stage(), options);
  });
}

const wrong: [name: string, stage: () => DiagramStage, options: DiagramOptions, lines: string[]][] =
  [
    ["a chunk too early", () => map(String), { in: "ab-c|", out: "--(ab)-c|" }, [
      "The diagram out differs at 0 ms",
      "  expected  --(ab)-c|",
      "  actual    ab-c|",
      "            ^",
    ]],
    ["a chunk too late", () => later(1), { in: "a-b-|", out: "-a-(b|)" }, [
      "The diagram out differs at 3 ms",
      "  expected  -a-(b|)",
      "  actual    -a-b|",
      "               ^",
    ]],
    ["another chunk", () => map((s: string) => [s]), { in: "a-b|", out: "A-B|" }, [
      "The diagram out differs at 0 ms",
      "  expected  A-B|",
      "  actual    A-B|",
      "                ^",
    ]],
    [
      "another failure",
      () =>
        map(() => {
          throw undefined;
        }),
      { in: "(a!)", out: "#", error: 5 },
      [
        "The diagram out differs at 0 ms",
        "  expected  #",
        "  actual    #",
        "             ^",
        "  the reasons differ",
      ],
    ],
    ["a cancel that was not said", () => take(1), { in: "ab|", out: "(a|)" }, [
      "The diagram in differs at 0 ms",
      "  expected  ab|",
      "  actual    (a!)",
      "            ^",
    ]],
    ["a chunk that does not come", () => filter(() => false), { in: "a|", out: "a|" }, [
      "The diagram out differs at 0 ms",
      "  expected  a|",
      "  actual    -|",
      "            ^",
    ]],
    ["what fits no column", () => later(3), { in: "a--", out: "-a-", columnMs: 2 }, [
      "The diagram out differs at 2 ms",
      "  expected  -a",
      "  actual    a at 3 ms",
      "            ^",
    ]],
  ];

for (const [name, stage, options, lines] of wrong) {
  test(`expectDiagram() tells of ${name}, with both diagrams`, async () => {
    const error = await assertRejects(() => expectDiagram(stage(), options), Error);
    assertEquals(error.message.split("\n").slice(0, lines.length), lines);
  });
}

test("expectDiagram() names the chunks that no letter stands for", async () => {
  const error = await assertRejects(
    () => expectDiagram(map((s: string) => [s]), { in: "ab|", out: "XY|", values: { X: ["a"] } }),
    Error,
  );
  assertEquals(error.message.split("\n").slice(1), [
    "  expected  XY|",
    "  actual    XA|",
    "             ^",
    '  A = ["b"]',
  ]);
});

test("expectDiagram() goes on with the time that is held, and leaves no timer", async () => {
  await using time = virtualTime();
  await time.advance(7);
  await expectDiagram(later(5), { in: "a", out: "--" });
  assertEquals(time.now, 9);
  await time.advance(5);
  assertEquals(time.timers, 0);
  await expectDiagram(map(String), { in: "a|", out: "a|" });
});

test("expectDiagram() puts the real time back after each kind of failure", async () => {
  const before = globalThis.setTimeout;
  await assertRejects(() => expectDiagram(map(String), { in: "a", out: "b" }), Error);
  assertEquals(globalThis.setTimeout, before);
  const stage = () => {
    throw new RangeError("none");
  };
  await assertRejects(() => expectDiagram(stage, { in: "a", out: "b" }), RangeError, "none");
  assertEquals(globalThis.setTimeout, before);
});

test("expectDiagram() refuses to run twice at once, and the first one goes on", async () => {
  const first = expectDiagram(later(2), { in: "a-|", out: "--(a|)" });
  await assertRejects(
    () => expectDiagram(later(2), { in: "a-|", out: "--(a|)" }),
    Error,
    "the clock moves already",
  );
  await first;
});

const unreadable: [options: unknown, kind: typeof TypeError, words: string][] = [
  [undefined, TypeError, "options must be an object, got undefined"],
  [{ in: "a" }, TypeError, "Cannot read diagram: out must be a string, got undefined"],
  [{ in: "a", out: "a", demands: "1" }, TypeError, 'did you mean "demand"?'],
  [{ in: "a", out: "a", columnMs: 0 }, RangeError, "columnMs must be a positive integer, got 0"],
  [{ in: "a", out: "a", values: 5 }, TypeError, "values must be an object, got 5"],
  [{ in: ["a", "b"], out: "a" }, TypeError, "of several, make it a function"],
  [
    { in: "ab(c-|", out: "" },
    SyntaxError,
    "Cannot read diagram in: a group takes one column, so that it has no - at column 5\n" +
    "  ab(c-|\n      ^",
  ],
  [{ in: "", out: "ab(c" }, SyntaxError, "out: the group is not closed at column 3\n  ab(c\n    ^"],
  [{ in: "a)", out: "" }, SyntaxError, "no group is open at column 2"],
  [{ in: "()", out: "" }, SyntaxError, "the group is empty at column 2"],
  [{ in: "(a(b))", out: "" }, SyntaxError, "a group stands in a group at column 3"],
  [{ in: "a|b", out: "" }, SyntaxError, "something follows the end at column 3"],
  [{ in: "a|-", out: "" }, SyntaxError, "something follows the end at column 3"],
  [{ in: "a+b", out: "" }, SyntaxError, "a letter, a digit or one of -()|#! is needed at column 2"],
  [{ in: "", out: "", demand: "-0" }, SyntaxError, "demand: a digit from 1, or one of -()* is"],
];

for (const [options, kind, words] of unreadable) {
  test(`expectDiagram() refuses ${JSON.stringify(options)}`, async () => {
    await assertRejects(
      () => expectDiagram(new TransformStream(), options as DiagramOptions),
      kind,
      words,
    );
  });
}

test("expectDiagram() refuses what is no stage", async () => {
  await assertRejects(
    () => expectDiagram(5 as never, { in: "", out: "" }),
    TypeError,
    "stage must be a transformer, a pair of streams or a function, got 5",
  );
  await assertRejects(
    () => expectDiagram((() => 5) as never, { in: "", out: "" }),
    TypeError,
    "what the stage gives must be a stream or an iterable, got 5",
  );
});
