import { Buffer } from "node:buffer";
import type { ByteRange } from "./parse_range.ts";
import type { SentFile } from "./sent_file.ts";

/** Several ranges of a file as one body. */
export interface Multipart {
  readonly file: SentFile;
  readonly size: number;
  readonly contentType: string;
}

/** A piece of the body: a text, or a range of the file. */
type Piece =
  & { readonly at: number; readonly end: number }
  & (
    | { readonly text: Uint8Array }
    | { readonly start: number }
  );

/** Where the pieces of a body lie in it. */
function layOut(ranges: readonly ByteRange[], contentType: string, size: number, boundary: string) {
  const pieces: Piece[] = [];
  let at = 0;
  const addText = (words: string) => {
    const text = Buffer.from(words);
    pieces.push({ at, end: at += text.length, text });
  };
  for (const { start, end } of ranges) {
    addText(
      `${at === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Type: ${contentType}\r\n` +
        `Content-Range: bytes ${start}-${end - 1}/${size}\r\n\r\n`,
    );
    pieces.push({ at, end: at += end - start, start });
  }
  addText(`\r\n--${boundary}--\r\n`);
  return pieces;
}

/**
 * Puts ranges of a file together as `multipart/byteranges`, to be read like a file: it is read, and memory is taken, as
 * for one range.
 */
export function multipartOf(
  file: SentFile,
  ranges: readonly ByteRange[],
  contentType: string,
): Multipart {
  // Nothing in a file can be made to look like what is chosen only now.
  const boundary = crypto.randomUUID();
  const pieces = layOut(ranges, contentType, file.facts.size, boundary);
  const size = pieces.at(-1)!.end;
  return {
    size,
    contentType: `multipart/byteranges; boundary=${boundary}`,
    file: {
      facts: { ...file.facts, size },
      read(buffer, position) {
        const piece = pieces.find(({ end }) => position < end)!;
        const part = buffer.subarray(0, piece.end - position);
        if ("start" in piece) return file.read(part, piece.start + position - piece.at);
        part.set(piece.text.subarray(position - piece.at).subarray(0, part.length));
        return Promise.resolve(part.length);
      },
      whenClosed: (callback) => file.whenClosed(callback),
      close: () => file.close(),
    },
  };
}
