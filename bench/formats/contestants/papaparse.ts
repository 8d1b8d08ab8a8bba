import papa from "papaparse";
import type { RunFormat } from "../job.ts";

/** It reads text alone, so that the bytes are decoded first; `step` is its way without all rows in memory. */
export const papaparse: RunFormat = ({ kind, bytes, rows, take }) => {
  if (kind === "write-csv") {
    take(`${papa.unparse(rows as object[], { newline: "\r\n" })}\r\n`);
  } else {
    const decoder = new TextDecoder();
    const text = bytes.map((block) => decoder.decode(block, { stream: true })).join("");
    papa.parse(text, {
      header: true,
      skipEmptyLines: true,
      step: ({ data }: { readonly data: unknown }) => take(data),
    });
  }
  return Promise.resolve();
};
