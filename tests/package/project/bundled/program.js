import { filter, fuse, lines, map, pipeline, toArray } from "@hosepipe/streams";
import { sayOptions } from "./options.js";

/** What a bundle of the library says, wherever it runs. */
export async function say() {
  const long = await toArray(["one\ntwo\nth", "ree\n"], lines(), filter((line) => line.length > 3));
  const written = [];
  const { chunksWritten } = await pipeline(
    [1, 2, 3],
    fuse(map((n) => n * 2), map((n, index) => `${index}: ${n}`)),
    (line) => void written.push(line),
  );
  return `${long} ${written} ${chunksWritten}; ${await sayOptions()}`;
}
