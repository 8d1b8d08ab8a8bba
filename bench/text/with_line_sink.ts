import { open } from "node:fs/promises";
import { chunkSize } from "./read_chunks.ts";

/** A file that takes lines; it is an underlying sink, so `new WritableStream(sink)` takes it as it is. */
interface LineSink {
  /** Takes a line; a promise, when the file is due, must be awaited before the next `write`. */
  write(line: string): void | Promise<void>;
}

/** Creates or empties a file for `use`, which is written in pieces of 64 KiB, the rest once `use` has ended. */
export async function withLineSink(
  path: string,
  use: (sink: LineSink) => Promise<void>,
): Promise<void> {
  await using file = await open(path, "w");
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(chunkSize);
  let text = "";
  let isWriting = false;

  /** Writes pieces of up to 64 KiB while at least `minimum` UTF-16 units wait, which are no fewer bytes. */
  async function writePieces(minimum: number): Promise<void> {
    isWriting = true;
    while (text.length >= minimum) {
      const { read, written } = encoder.encodeInto(text, bytes);
      text = text.slice(read);
      for (let offset = 0; offset < written;) {
        offset += (await file.write(bytes, offset, written - offset)).bytesWritten;
      }
    }
    isWriting = false;
  }

  await use({
    write(line) {
      if (isWriting) throw new Error("Cannot write line: the previous write is still under way");
      text += line;
      if (text.length >= chunkSize) return writePieces(chunkSize);
    },
  });
  await writePieces(1);
}
