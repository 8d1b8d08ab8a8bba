import { batchSize, partsOf, type RunOneStage } from "../job.ts";

function batch(chunks: readonly unknown[], take: (batch: unknown[]) => void): void {
  let held: unknown[] = [];
  for (const chunk of chunks) {
    if (held.push(chunk) < batchSize) continue;
    take(held);
    held = [];
  }
  if (held.length > 0) take(held);
}

function parse(texts: readonly string[], take: (value: unknown) => void): void {
  let rest = "";
  for (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(JSON.parse(line));
  }
  if (rest !== "") take(JSON.parse(rest));
}

/** Loops without a promise. */
export const hand: RunOneStage = ({ kind, chunks, take }) => {
  if (kind === "batch") batch(chunks, take);
  else if (kind === "parse-ndjson") parse(chunks as string[], take);
  else if (kind === "format-ndjson") {
    for (const chunk of chunks) take(`${JSON.stringify(chunk)}\n`);
  } else {
    for (const chunk of chunks) for (const part of partsOf(chunk as number)) take(part);
  }
  return Promise.resolve();
};
