import type { PageCase } from "./_page_cases.ts";

/** What `_page_of_flows.ts` answers: a case for each kind of stage, source and end for whole programs. */
export const flowCases: readonly PageCase[] = [
  {
    name: "generators are stages, end early and run their finally",
    answer: "passGenerators",
    expected: {
      piped: [1, 10, 2],
      fused: [1, 10, 2],
      composed: [1, 10, 2],
      ends: ["twice", "twice", "twice"],
      refused:
        "Cannot run toArray: stage 1 is a generator function; make it an async function*, or use flatMap(fn)",
    },
  },
  {
    name: "pairs of streams are parts of compositions",
    answer: "composePairs",
    expected: { texts: ["aü", "b"], isRefused: true },
  },
  {
    name: "attempt tries again, and skips what cannot be done",
    answer: "attemptChunks",
    expected: { written: [1, 3], dead: [["no 2", 2, 1]], skipped: 1, retried: 2 },
  },
  {
    name: "limitRate drops nothing, and refuses what costs more than its burst",
    answer: "limitTheRate",
    expected: { passed: [1, 2, 3], refused: "RangeError" },
  },
  {
    name: "chunks are worked on by their keys",
    answer: "runByKey",
    expected: { pairs: ["1,3", "2,4", "5"], odd: [1, 3], sum: 3 },
  },
  {
    name: "inner sources are read several at a time",
    answer: "readInnerSources",
    expected: { ordered: [1, 10, 2, 20], unordered: 4, tree: [1, 2, 4, 3] },
  },
  {
    name: "a hub gives all to each branch, and the last to who joins late",
    answer: "joinHub",
    expected: { both: [[1, 2, 3], [1, 2, 3]], late: [2, 3] },
  },
  {
    name: "sources are merged in order, and looked into first",
    answer: "mergeAndPeek",
    expected: { merged: [1, 2, 3, 4], chunks: [1, 2], again: [1, 2, 3], failure: "gone" },
  },
  {
    name: "small stages",
    answer: "useSmallStages",
    expected: {
      distinct: [1, 2, 3],
      changes: [1, 2, 1],
      pairs: [[1, 2], [2, 3]],
      windows: [[1, 2, 3], [2, 3, 4]],
      ticks: 2,
      lengths: [4, 1],
      text: "a, b",
      sums: [1, 3, 6],
    },
  },
  {
    name: "ends that reduce and search",
    answer: "reduceAtEnds",
    expected: { sum: 6, none: 7, count: 3, every: false, some: true, find: 2 },
  },
  {
    name: "a channel is flushed now, and what is open is disposed of",
    answer: "flushAndDispose",
    expected: { atOnce: 1, written: [[1], [2]] },
  },
  {
    name: "stages say their names",
    answer: "nameStages",
    expected: ["map(isOdd)", "parallel(isOdd)"],
  },
  {
    name: "what is refused is answered with advice",
    answer: "saySuggestions",
    expected: [
      "Cannot run toArray: source must be a ReadableStream, an iterable or an async iterable, got 5",
      "Cannot run toArray: stage 1 is an array; group its stages by compose(stages)",
      "Cannot run toArray: source must not be a text, whose characters would be the chunks; " +
      "use [text], or [...text] for its characters",
      'Cannot create limitRate: unknown option "perSeconds"; did you mean "perSecond"?',
    ],
  },
];
