/** A function of `_page.ts`, and what it answers in every browser. */
export interface PageCase {
  readonly name: string;
  readonly answer: string;
  readonly expected: unknown;
}

const squares = Array.from({ length: 1000 }, (_, n) => n * n).filter((n) => n % 3 !== 0);
const batches = JSON.stringify(
  Array.from({ length: Math.ceil(squares.length / 4) }, (_, n) => squares.slice(n * 4, n * 4 + 4)),
);

/** Texts that the page fetches. */
export const texts = { "/names.txt": "Ada\r\n\n  Grace \nZoë" };

export const pageCases: readonly PageCase[] = [
  {
    name: "a pipeline",
    answer: "runPipeline",
    expected: { words: ["be", "or", "not", "be"], chunksRead: 2, chunksWritten: 4 },
  },
  {
    name: "fuse between the native streams of fetch, text and compression",
    answer: "fuseBetweenNativeStreams",
    expected: "Hello, Ada!\nHello, Grace!\nHello, Zoë!\n",
  },
  {
    name: "CSV, server-sent events and a form are read",
    answer: "parseFormats",
    expected: {
      table: [{ id: "1", text: 'a "b"\nc' }, { id: "2", text: "ü" }],
      events: ["message a\nb", "end "],
      parts: ["title undefined Holidays", "photo beach.jpg bytes"],
    },
  },
  {
    name: "fuse gives what the native chain gives",
    answer: "fuseAgainstNative",
    expected: { fused: batches, native: batches },
  },
  {
    name: "take ends an endless source, which is read no further",
    answer: "takeFromEndless",
    expected: { taken: [0, 1, 2], pulled: 3, isClosed: true },
  },
  {
    name: "parallel keeps the order and its concurrency",
    answer: "runParallel",
    expected: { results: [10, 20, 30, 40, 50, 60, 70], most: 3 },
  },
  {
    name: "reader reads pages, writer writes two at a time",
    answer: "readAndWrite",
    expected: { written: [10, 11, 20, 21, 30, 31], most: 2, closed: 1 },
  },
  {
    name: "undefined thrown by a stage reaches both ends",
    answer: "failWithUndefined",
    expected: ["aborted: undefined", "cancelled: undefined", "rejected: undefined"],
  },
  {
    name: "a signal stops a pipeline with its reason",
    answer: "abortBySignal",
    expected: { isReason: true, written: 5 },
  },
  {
    name: "sources are joined, shared, limited in time and opened again",
    answer: "joinSources",
    expected: {
      concat: ["1", "2", "10", "20", "97"],
      merge: [1, 2, 10, 20],
      zip: [[1, 10], [2, 20]],
      tee: [[1, 2, 3], [1, 2, 3]],
      timeout: "TimeoutError",
      retry: [0, 1, 2],
    },
  },
  {
    name: "a channel drops what it has no room for, and events end",
    answer: "sendAndListen",
    expected: { sent: [2, 3], dropped: 1, events: 2 },
  },
  {
    name: "stages of text, bytes and keys",
    answer: "newStages",
    expected: {
      rows: [{ key: 1, chunks: [{ k: 1 }, { k: 1 }] }, { key: 2, chunks: [{ k: 2 }] }],
      text: '{"a":1}\nnull\n',
      lengths: [10, 10, 5],
      parts: ["a", "b"],
      while: [2, 3],
      until: [],
      limited: "RangeError",
      seeded: [[1], [1, 2]],
      byBytes: [["ab", "c"], ["d"]],
    },
  },
  {
    name: "ends gather",
    answer: "gatherAtEnds",
    expected: {
      json: { a: [1] },
      first: 5,
      text: "Zoë",
      tooMany: "Cannot run toArray: there are more than 1 chunks",
    },
  },
  {
    name: "streams are read also where they have no iteration",
    answer: "readStreamsWithoutIteration",
    expected: { reader: [1, 2], flatMap: [1, 2], fused: [1, 2, 1, 2], probed: [1, 2] },
  },
  {
    name: "native streams take what a probe makes of their parts",
    answer: "probeNativeStreams",
    expected: { written: [2, 4, 6], counts: [3, 3, 3] },
  },
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
];
