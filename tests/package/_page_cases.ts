/** Texts that the page fetches. */
export const texts = { "/names.txt": "Ada\r\n\n  Grace \nZoë" };

/** The functions of `_page.ts`: what each shows, and what it answers in every browser. */
export const pageCases: Readonly<Record<string, readonly [title: string, expected: unknown]>> = {
  runPipeline: ["a pipeline", {
    words: ["be", "or", "not", "be"],
    chunksRead: 2,
    chunksWritten: 4,
  }],
  fuseBetweenNativeStreams: [
    "fuse between the native streams of fetch, text and compression",
    "Hello, Ada!\nHello, Grace!\nHello, Zoë!\n",
  ],
  parseFormats: ["CSV, server-sent events and a form are read", {
    table: [{ id: "1", text: 'a "b"\nc' }, { id: "2", text: "ü" }],
    events: ["message a\nb", "end "],
    parts: ["title undefined Holidays", "photo beach.jpg bytes"],
  }],
  readAndWrite: ["reader reads pages, writer writes two at a time", {
    written: [10, 11, 20, 21, 30, 31],
    most: 2,
    closed: 1,
  }],
  failWithUndefined: ["undefined thrown by a stage reaches both ends", [
    "aborted: undefined",
    "cancelled: undefined",
    "rejected: undefined",
  ]],
  abortBySignal: ["a signal stops a pipeline with its reason", { isReason: true, written: 5 }],
  joinSources: ["sources are joined, shared, limited in time and opened again", {
    concat: ["1", "2", "10", "20", "97"],
    merge: [1, 2, 10, 20],
    zip: [[1, 10], [2, 20]],
    tee: [[1, 2, 3], [1, 2, 3]],
    timeout: "TimeoutError",
    retry: [0, 1, 2],
  }],
  sendAndListen: ["a channel drops what it has no room for, and events end", {
    sent: [2, 3],
    dropped: 1,
    events: 2,
  }],
  gatherAtEnds: ["ends gather", {
    json: { a: [1] },
    first: 5,
    text: "Zoë",
    tooMany: "Cannot run toArray: there are more than 1 chunks",
  }],
  readStreamsWithoutIteration: ["streams are read also where they have no iteration", {
    reader: [1, 2],
    flatMap: [1, 2],
    fused: [1, 2, 1, 2],
    probed: [1, 2],
  }],
  probeNativeStreams: ["native streams take what a probe makes of their parts", {
    written: [2, 4, 6],
    counts: [3, 3, 3],
  }],
  passGenerators: ["generators are stages, end early and run their finally", {
    piped: [1, 10, 2],
    fused: [1, 10, 2],
    composed: [1, 10, 2],
    ends: ["twice", "twice", "twice"],
    refused:
      "Cannot run toArray: stage 1 is a generator function; make it an async function*, or use flatMap(fn)",
  }],
  composePairs: ["pairs of streams are parts of compositions", {
    texts: ["aü", "b"],
    isRefused: true,
  }],
  flushAndDispose: ["a channel is flushed now, and what is open is disposed of", {
    atOnce: 1,
    written: [[1], [2]],
  }],
};
