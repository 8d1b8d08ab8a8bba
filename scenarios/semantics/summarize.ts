import type { Measured } from "./measured.ts";

/** Reads one fact: a figure all runtimes agree on, or each with its name. */
export type ReadFact = (probe: string, row: string, column: string) => string;

/** Makes what reads facts by their places. */
export function factReader(measured: readonly Measured[]): ReadFact {
  return (probe, row, column) => {
    const facts = measured.map(({ facts }) => {
      const fact = facts[probe]?.[row]?.[column];
      if (fact === undefined) throw new Error(`Cannot find ${probe} / ${row} / ${column}`);
      return String(fact);
    });
    if (new Set(facts).size === 1) return facts[0]!;
    return measured.map(({ name }, index) => `${facts[index]} (${name})`).join(" or ");
  };
}

function listDefaults(read: ReadFact): string {
  const [web, node, bytes] = ["web, chunks", "node, objects", "node, bytes"];
  const buffers = ["reader", "transf. in", "transf. out", "writer"];
  const [reader, into, out, writer] = buffers.map((buffer) => read("defaults", buffer, web!));
  const same = new Set(
    buffers.map((buffer) =>
      `${read("defaults", buffer, node!)} objects or ${read("defaults", buffer, bytes!)} bytes`
    ),
  );
  return `Defaults of Web Streams, in chunks: ReadableStream ${reader}; TransformStream writable ` +
    `${into}, readable ${out}; WritableStream ${writer}. Every buffer of node:stream: ` +
    `${[...same].join("; ")}.`;
}

/** What `push()` returned, "2 yes, 2 no", as "true twice, then false twice". */
function answersInWords(answers: string): string {
  const times = (count: string) => ["never", "once", "twice"][Number(count)] ?? `${count} times`;
  return answers.replaceAll(
    /(\d+) (yes|no)/g,
    (_, count: string, answer: string) => `${answer === "yes" ? "true" : "false"} ${times(count)}`,
  )
    .replaceAll(", ", ", then ");
}

/** Answers "what does highWaterMark do?" in eight sentences, with the figures that were measured. */
export function summarize(measured: readonly Measured[]): string[] {
  const read = factReader(measured);
  const both = (
    probe: string,
    mark: string,
    column: string,
  ): readonly [web: string, node: string] => [
    read(probe, `${mark} web`, column),
    read(probe, `${mark} node`, column),
  ];
  const [dryWeb, dryNode] = both("no-writer", "5", "read");
  const [stuckWeb, stuckNode] = both("stalled-writer", "5", "read");
  const [plainWeb, plainNode] = both("stalled-writer", "default", "read");
  const [batchWeb, batchNode] = both("batch", "4", "R out");
  const [pulseWeb, pulseNode] = both("resume", "5", "read after each write");
  const fill = (kind: string) => read("objects-bytes", "64-KiB chunks to fill", kind);
  return [
    listDefaults(read),
    `With a highWaterMark of 5, a Web source pulls ${
      read("read-ahead", "web 5", "before")
    } chunks ` +
    `immediately; a node source pulls ${read("read-ahead", "node 5", "before")} until the first ` +
    `read, then ${read("read-ahead", "node 5", "after one")}. With 0, a Web source pulls ` +
    `${read("read-ahead", "web 0", "before")} until the first read.`,
    `Without a writer, with highWaterMarks of 5, a reader and a transformer take in ${dryWeb} chunks ` +
    `on Web Streams and ${dryNode} on node, and stop.`,
    `If the first write never finishes, Web Streams stop at ${stuckWeb} chunks and node at ` +
    `${stuckNode} (with default highWaterMarks: ${plainWeb} and ${plainNode}).`,
    `A highWaterMark is a threshold, not a capacity: if 5 chunks come at a time, a reader's buffer ` +
    `with a highWaterMark of 4 holds ${batchWeb} on Web Streams and ${batchNode} on node at standstill.`,
    `Once all buffers are full, with highWaterMarks of 5, Web Streams read ${pulseWeb} write, node ` +
    `${pulseNode}.`,
    `Over four chunks with a highWaterMark of 2, desiredSize goes from ${
      read("push", "2", "R web")
    } ` +
    `on Web Streams; on node push() returns ${
      answersInWords(read("push", "2", "R node"))
    }. Neither ` +
    `API rejects a chunk.`,
    `A highWaterMark counts chunks, whatever their size, unless bytes are counted. Chunks of 64 KiB: ` +
    `with 16, Web Streams take ${fill("web chunks")}, and node in objectMode ${
      fill("node obj.")
    }; with 65,536, Web Streams with ByteLengthQueuingStrategy take ${fill("web sized")}, and ` +
    `node without objectMode ${fill("node bytes")}.`,
  ];
}
