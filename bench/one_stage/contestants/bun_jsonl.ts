import type { RunOneStage } from "../job.ts";

interface Read {
  readonly values: unknown[];
  readonly read: number;
  readonly error: unknown;
}

const { JSONL } = (globalThis as unknown as {
  Bun: { JSONL: { parseChunk(text: string): Read } };
}).Bun;

/** What Bun has by itself: parses as many lines of a text as are whole. */
export const bunJsonl: RunOneStage = ({ chunks, take }) => {
  let rest = "";
  for (const text of chunks as string[]) {
    const given = rest + text;
    const { values, read, error } = JSONL.parseChunk(given);
    if (error) throw error;
    for (const value of values) take(value);
    rest = given.slice(read);
  }
  for (const value of JSONL.parseChunk(`${rest}\n`).values) take(value);
  return Promise.resolve();
};
