import { createParser } from "eventsource-parser";
import type { RunFormat } from "../job.ts";

export const eventsourceParser: RunFormat = ({ bytes, take }) => {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => take(data) });
  for (const block of bytes) parser.feed(decoder.decode(block, { stream: true }));
  return Promise.resolve();
};
