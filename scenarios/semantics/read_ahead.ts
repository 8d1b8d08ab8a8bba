import { Readable } from "node:stream";
import { type Fact, type FactTable, type SemanticsProbe, settle } from "./probe.ts";

/** A count of what was taken from an endless source. */
class Meter {
  taken = 0;
  isClosed = false;

  readonly web = (highWaterMark: number): ReadableStream<number> =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(this.taken++),
      cancel: () => void (this.isClosed = true),
    }, { highWaterMark });

  readonly node = (highWaterMark: number): Readable => {
    const next = () => this.taken++;
    return new Readable({
      objectMode: true,
      highWaterMark,
      read() {
        this.push(next());
      },
      destroy: (error, callback) => {
        this.isClosed = true;
        callback(error);
      },
    });
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    try {
      while (true) yield this.taken++;
    } finally {
      this.isClosed = true;
    }
  }
}

type Source = AsyncIterable<unknown>;

const sources: Readonly<Record<string, (meter: Meter) => Source>> = {
  "web 0": ({ web }) => web(0),
  "web 1": ({ web }) => web(1),
  "web 5": ({ web }) => web(5),
  "web from()": (meter) => ReadableStream.from(meter),
  "web 1, one of tee()": ({ web }) => web(1).tee()[0],
  "web 1, then TransformStream()": ({ web }) => web(1).pipeThrough(new TransformStream()),
  "web 1, then TransformStream(…)": ({ web }) =>
    web(1).pipeThrough(
      new TransformStream({ transform: (chunk, controller) => controller.enqueue(chunk) }),
    ),
  "node 1": ({ node }) => node(1),
  "node 5": ({ node }) => node(5),
  "node from()": (meter) => Readable.from(meter),
  "node 5, toWeb()": ({ node }) => Readable.toWeb(node(5)) as unknown as Source,
  "web 1, fromWeb()": ({ web }) => Readable.fromWeb(web(1) as never, { objectMode: true }),
};

async function measureOne(open: (meter: Meter) => Source): Promise<Record<string, Fact>> {
  const meter = new Meter();
  const iterator = open(meter)[Symbol.asyncIterator]();
  await settle();
  const before = meter.taken;
  await iterator.next();
  await settle();
  const afterOne = meter.taken;
  await iterator.next();
  await settle();
  const afterTwo = meter.taken;
  // The other branch of a tee keeps its source open, so this may wait forever.
  iterator.return?.().catch(() => {});
  await settle();
  return {
    "before": before,
    "after one": afterOne,
    "after two": afterTwo,
    "break closes": meter.isClosed ? "yes" : "no",
  };
}

/** How far a source runs ahead of its reader. */
export const readAheadProbe: SemanticsProbe = {
  name: "read-ahead",
  question: "How much is taken from a source before anything reads, and after?",
  corner: "source, highWaterMark",
  note: "Chunks taken of an endless source that is always ready, read by an async iterator.",
  measure: async () => {
    const table: Record<string, FactTable[string]> = {};
    for (const [row, open] of Object.entries(sources)) table[row] = await measureOne(open);
    return table;
  },
};
