import { factInWords } from "./fact_in_words.ts";
import type { Measured } from "./measured.ts";

/** Reads one fact: a figure all runtimes agree on, or each with its name. */
type Read = (probe: string, row: string, column: string) => string;

function reader(measured: readonly Measured[]): Read {
  return (probe, row, column) => {
    const facts = measured.map(({ facts }) => {
      const fact = facts[probe]?.[row]?.[column];
      if (fact === undefined) throw new Error(`Cannot find ${probe} / ${row} / ${column}`);
      return factInWords(fact);
    });
    if (new Set(facts).size === 1) return facts[0]!;
    return measured.map(({ name }, index) => `${facts[index]} (${name})`).join(" or ");
  };
}

function listDefaults(read: Read): string {
  const [web, node, bytes] = ["web, chunks", "node, objects", "node, bytes"];
  const buffers = ["reader", "transf. in", "transf. out", "writer"];
  const [reader, into, out, writer] = buffers.map((buffer) => read("defaults", buffer, web!));
  const same = new Set(
    buffers.map((buffer) =>
      `${read("defaults", buffer, node!)} objects or ${read("defaults", buffer, bytes!)} bytes`
    ),
  );
  return `Where none is given, it is ${reader} chunk behind a Web source, ${into} before and ` +
    `${out} behind a TransformStream, ${writer} before a sink; on node it is ` +
    `${[...same].join("; ")} in each place.`;
}

/** Answers "what does highWaterMark do?" in eight sentences, with the figures that were measured. */
export function summarize(measured: readonly Measured[]): string[] {
  const read = reader(measured);
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
    `A Web source with a highWaterMark of 5 is asked for ${
      read("read-ahead", "web 5", "before")
    } ` +
    `chunks before anything reads, one with 0 for ${
      read("read-ahead", "web 0", "before")
    }; a node ` +
    `source with 5 for ${read("read-ahead", "node 5", "before")}, and ` +
    `${read("read-ahead", "node 5", "after one")} at the first read.`,
    `Without a writer and with marks of 5, a reader and a transformer take in ${dryWeb} messages on ` +
    `Web Streams and ${dryNode} on node, and stop.`,
    `With a writer that hangs in its first write it is ${stuckWeb} and ${stuckNode}; with the ` +
    `default marks ${plainWeb} and ${plainNode}.`,
    `It is a threshold, not a capacity: where 5 messages come at a time, a reader's buffer with a ` +
    `mark of 4 holds ${batchWeb} on Web Streams and ${batchNode} on node.`,
    `Once all is full, with marks of 5, Web Streams read ${pulseWeb} write, node ${pulseNode}.`,
    `At a mark of 2, desiredSize goes from ${read("push", "2", "R web")} over four chunks on Web ` +
    `Streams, and push() answers ${read("push", "2", "R node")} on node: neither refuses a chunk.`,
    `Of chunks of 64 KiB, a mark of 16 takes ${fill("web chunks")} and one of 65,536 takes ` +
    `${fill("web sized")} by ByteLengthQueuingStrategy; on node it takes ${fill("node obj.")} in ` +
    `objectMode and ${fill("node bytes")} without.`,
  ];
}
