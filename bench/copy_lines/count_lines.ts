import { readChunks } from "../text/read_chunks.ts";

const lineFeed = 0x0a;
const byteOrderMark = "239,187,191";

/** Counts the lines of a text file by its bytes alone, to check contestants that count them on the way. */
export async function countLines(path: string): Promise<number> {
  let lineFeeds = 0;
  let size = 0;
  let last = lineFeed;
  let start = "";
  for await (const chunk of readChunks(path)) {
    if (size === 0) start = chunk.subarray(0, 4).join();
    size += chunk.length;
    last = chunk.at(-1)!;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
      lineFeeds++;
    }
  }
  // A file of a byte-order mark and nothing else holds no text, so no line.
  const isMarkAlone = size === 3 && start === byteOrderMark;
  return lineFeeds + (last === lineFeed || isMarkAlone ? 0 : 1);
}
