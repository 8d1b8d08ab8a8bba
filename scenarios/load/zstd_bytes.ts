import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { ZstdFrames } from "./zstd_frames.ts";

/** Passes on one frame at a time: of several, one runtime reads the first alone, and others take a part for a whole. */
export async function* zstdBytes(
  compressed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const source = compressed[Symbol.asyncIterator]();
  const frames = new ZstdFrames();
  let rest: Uint8Array = new Uint8Array();
  const fill = async () => {
    while (rest.length === 0) {
      const next = await source.next();
      if (next.done) return false;
      rest = next.value;
    }
    return true;
  };
  async function* frame(): AsyncGenerator<Uint8Array, void> {
    do {
      if (!await fill()) throw new Error("unexpected end of file");
      const taken = frames.take(rest);
      const part = rest.subarray(0, taken);
      rest = rest.subarray(taken);
      yield part;
    } while (!frames.isWhole);
  }
  try {
    // A file without a byte is cut off too.
    do {
      const input = Readable.from(frame());
      const output = createZstdDecompress();
      // What `pipe` does not pass on.
      input.on("error", (error) => output.destroy(error));
      try {
        yield* input.pipe(output) as AsyncIterable<Uint8Array>;
      } finally {
        input.destroy();
        output.destroy();
      }
    } while (await fill());
  } finally {
    await source.return?.();
  }
}
