/** The encodings a file may be in. */
export const encodings = ["utf-8", "latin1", "windows-1252", "utf-16le"] as const;

/** What the first bytes are of: they are a mark of it, or the zeros that it has beside letters. */
function guess([first, second]: Uint8Array): string | undefined {
  if (second === undefined) return undefined;
  if (first === 0xff && second === 0xfe || first !== 0 && second === 0) return "utf-16le";
  return first === 0xfe && second === 0xff || first === 0 ? "utf-16be" : undefined;
}

/**
 * Passes bytes on that are to be read as UTF-8: those of letters in UTF-16 are UTF-8 too.
 *
 * @throws {SyntaxError} If they are UTF-16.
 */
export async function* refuseUtf16(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start !== undefined) {
      start = Uint8Array.of(...start, ...chunk.subarray(0, 2));
      const found = guess(start);
      if (found !== undefined) throw new SyntaxError(`the first bytes are ${found}, not UTF-8`);
      if (start.length >= 2) start = undefined;
    }
    yield chunk;
  }
}
