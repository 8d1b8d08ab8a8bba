import { Readable, Transform, Writable } from "node:stream";
import type { FactTable, SemanticsProbe } from "./probe.ts";

function measureWeb(): Record<string, number> {
  let readable!: ReadableStreamDefaultController;
  let transformer!: TransformStreamDefaultController;
  new ReadableStream({ start: (controller) => void (readable = controller) });
  const transform = new TransformStream({
    start: (controller) => void (transformer = controller),
  });
  return {
    "reader": readable.desiredSize!,
    "transf. in": transform.writable.getWriter().desiredSize!,
    "transf. out": transformer.desiredSize!,
    "writer": new WritableStream().getWriter().desiredSize!,
  };
}

/** Only a reader can be one of bytes. */
function measureWebBytes(): Record<string, number> {
  let readable!: ReadableByteStreamController;
  new ReadableStream({ type: "bytes", start: (controller) => void (readable = controller) });
  return { "reader": readable.desiredSize! };
}

function measureNode(objectMode: boolean): Record<string, number> {
  const read = () => {};
  const transform = new Transform({ objectMode });
  return {
    "reader": new Readable({ objectMode, read }).readableHighWaterMark,
    "transf. in": transform.writableHighWaterMark,
    "transf. out": transform.readableHighWaterMark,
    "writer": new Writable({ objectMode }).writableHighWaterMark,
  };
}

function measure(): FactTable {
  const columns = {
    "web, chunks": measureWeb(),
    "web, bytes": measureWebBytes(),
    "node, objects": measureNode(true),
    "node, bytes": measureNode(false),
  };
  const rows = ["reader", "transf. in", "transf. out", "writer"];
  return Object.fromEntries(rows.map((row) => [
    row,
    Object.fromEntries(
      Object.entries(columns).map(([column, facts]) => [column, facts[row] ?? "-"]),
    ),
  ]));
}

/** What holds where no mark is given. */
export const defaultsProbe: SemanticsProbe = {
  name: "defaults",
  question: "Which highWaterMarks hold if none is given?",
  corner: "buffer",
  note: "Web: desiredSize of an empty queue. Node: the highWaterMark that each stream reports, " +
    "in objects with objectMode, otherwise in bytes.",
  measure: () => Promise.resolve(measure()),
};
