const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/**
 * The one decoder and splitter of all contestants: lines end at `\n` or `\r\n`, and a byte-order mark is left
 * out at the very start alone.
 */
export class LineDecoder {
  // Whole lines at a time: no character lies across a line feed, and decoding in stream mode is slower.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #atStart = true;
  #pending: Uint8Array[] = [];

  /** The lines that end in a chunk, which is kept where it lies past the last of them. */
  push(chunk: Uint8Array): string[] {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    this.#pending.push(end === 0 ? chunk : chunk.subarray(0, end));
    if (end === 0) return [];
    const lines = this.#take().split("\n");
    lines.pop();
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index]!;
      if (line.charCodeAt(line.length - 1) === carriageReturn) lines[index] = line.slice(0, -1);
    }
    if (end < chunk.length) this.#pending.push(chunk.subarray(end));
    return lines;
  }

  /** What follows the last line feed, if it is not empty. */
  end(): string[] {
    if (this.#pending.length === 0) return [];
    const rest = this.#take();
    return rest === "" ? [] : [rest];
  }

  #take(): string {
    const text = this.#decoder.decode(joinBytes(this.#pending));
    this.#pending = [];
    const isMarked = this.#atStart && text.startsWith("\uFEFF");
    this.#atStart = false;
    return isMarked ? text.slice(1) : text;
  }
}
