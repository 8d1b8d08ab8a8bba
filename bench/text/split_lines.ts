import { LineDecoder } from "./line_decoder.ts";

/** Decodes and splits: gives the lines that end in each chunk as one array. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string[], void, undefined> {
  const decoder = new LineDecoder();
  for await (const chunk of chunks) {
    const lines = decoder.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const rest = decoder.end();
  if (rest.length > 0) yield rest;
}
