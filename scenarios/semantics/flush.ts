import { Transform } from "node:stream";
import { type FactTable, type SemanticsProbe, settle } from "./probe.ts";

const endings = ["end", "terminate", "abort", "cancel", "failure"] as const;
type Ending = (typeof endings)[number];

/** A stage whose first chunk is on its way and whose second waits, then what ends it. */
async function endWeb(ending: Ending): Promise<Record<string, number>> {
  const counts = { flush: 0, cancel: 0 };
  const reason = new Error("the reason");
  const transformer: Transformer<number, number> & { cancel(): void } = {
    transform(chunk, controller) {
      if (chunk > 0 && ending === "terminate") controller.terminate();
      if (chunk > 0 && ending === "failure") throw reason;
      if (ending === "end" || chunk === 0) controller.enqueue(chunk);
    },
    flush: () => void counts.flush++,
    cancel: () => void counts.cancel++,
  };
  const { readable, writable } = new TransformStream(transformer, { highWaterMark: 4 }, {
    highWaterMark: 1,
  });
  const writer = writable.getWriter();
  const reader = readable.getReader();
  for (const chunk of [0, 1]) writer.write(chunk).catch(() => {});
  writer.closed.catch(() => {});
  reader.closed.catch(() => {});
  await settle();
  if (ending === "end") writer.close().catch(() => {});
  if (ending === "abort") writer.abort(reason).catch(() => {});
  if (ending === "cancel") reader.cancel(reason).catch(() => {});
  for (let reads = 0; reads < 3 && ending !== "cancel"; reads++) reader.read().catch(() => {});
  await settle();
  return { "web flush": counts.flush, "web cancel": counts.cancel };
}

async function endNode(ending: Ending): Promise<Record<string, number>> {
  const counts = { flush: 0, destroy: 0 };
  const reason = new Error("the reason");
  const stream = new Transform({
    objectMode: true,
    highWaterMark: 1,
    transform(chunk, _encoding, callback) {
      if (chunk > 0 && ending === "terminate") this.push(null);
      else if (chunk > 0 && ending === "failure") return callback(reason);
      else this.push(chunk);
      callback();
    },
    flush(callback) {
      counts.flush++;
      callback();
    },
    destroy(error, callback) {
      counts.destroy++;
      callback(error);
    },
  });
  stream.on("error", () => {});
  for (const chunk of [0, 1]) stream.write(chunk);
  await settle();
  if (ending === "end") stream.end();
  if (ending === "abort") stream.destroy(reason);
  if (ending === "cancel") stream.destroy();
  if (ending !== "abort" && ending !== "cancel") stream.resume();
  await settle();
  const { flush, destroy } = counts;
  stream.destroy();
  return { "node flush": flush, "node destroy": destroy };
}

async function measure(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const ending of endings) {
    table[ending] = { ...await endWeb(ending), ...await endNode(ending) };
  }
  return table;
}

/** Whether a stage that is stopped still gets to flush. */
export const flushProbe: SemanticsProbe = {
  name: "flush",
  question: "Does a transformer flush after it was stopped, with a chunk waiting?",
  corner: "stopped by",
  note: "How often each was called. On node, abort is destroy(error), cancel is destroy(), " +
    "terminate is push(null).",
  measure,
};
