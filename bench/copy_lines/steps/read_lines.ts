import { createLineSplitter } from "./line_splitter.ts";
import { readChunks } from "../read_chunks.ts";
import { createUtf8Decoder } from "./utf8_decoder.ts";

/** Reads a text file as batches of lines, one batch for each chunk read. */
export async function* readLines(path: string): AsyncGenerator<string[]> {
  const [decoder, splitter] = [createUtf8Decoder(), createLineSplitter()];
  for await (const chunk of readChunks(path)) {
    for (const text of decoder.push(chunk)) yield splitter.push(text);
  }
  for (const text of decoder.end()) yield splitter.push(text);
  yield splitter.end();
}
