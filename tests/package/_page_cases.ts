/** A function of `_page.ts`, and what it answers in every browser. */
export interface PageCase {
  readonly name: string;
  readonly answer: string;
  readonly expected: unknown;
}

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
    name: "a channel is flushed now, and what is open is disposed of",
    answer: "flushAndDispose",
    expected: { atOnce: 1, written: [[1], [2]] },
  },
];
