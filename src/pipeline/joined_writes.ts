import { isBytes, joinBytes } from "../is_bytes.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";

/** The most bytes of a block. */
const blockLength = 65_536;

/** What of a sink is called with what was joined, or after it. */
interface Joinable {
  readonly write: (this: void, chunk: unknown) => unknown;
  flush?(): unknown;
  written(): PromiseLike<unknown> | undefined;
  close(): PromiseLike<void> | undefined;
}

/** Half of a character, or a whole one of two code units. */
const half = /[\ud800-\udfff]/;

/** What is joined: of text, how many units at most make a block, and whether each is to be encoded by itself. */
interface Kind {
  readonly takesBytes: boolean;
  readonly mostText: number;
  readonly isApart?: boolean;
}

const onlyBytes: Kind = { takesBytes: true, mostText: 0 };
const onlyText: Kind = { takesBytes: false, mostText: Math.floor(blockLength / 3) };
const mixed: Kind = { takesBytes: true, mostText: blockLength, isApart: true };

/** Gathers chunks of one kind that follow each other into a block. */
class Block {
  readonly #kind: Kind;
  #buffer: Uint8Array | undefined;
  #texts: string[] = [];
  #isText = false;
  #length = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Whether it can take such a chunk at all. */
  accepts(chunk: unknown): chunk is string | Uint8Array {
    if (typeof chunk === "string") return chunk.length < this.#kind.mostText;
    return this.#kind.takesBytes && isBytes(chunk) && chunk.length < blockLength &&
      chunk.buffer instanceof ArrayBuffer;
  }

  /** Whether it has room for that chunk, too. */
  hasRoom(chunk: string | Uint8Array): boolean {
    const isText = typeof chunk === "string";
    const most = isText ? this.#kind.mostText : blockLength;
    return this.#length === 0 || isText === this.#isText && this.#length + chunk.length <= most;
  }

  /** Copies the chunk: its source may use its memory again. */
  add(chunk: string | Uint8Array): void {
    this.#isText = typeof chunk === "string";
    if (typeof chunk === "string") this.#texts.push(chunk);
    else (this.#buffer ??= new Uint8Array(blockLength)).set(chunk, this.#length);
    this.#length += chunk.length;
  }

  /** Gives what was gathered, if anything. */
  take(): unknown {
    const length = this.#length;
    if (length === 0) return undefined;
    this.#length = 0;
    if (!this.#isText) return this.#buffer!.slice(0, length);
    const texts = this.#texts;
    this.#texts = [];
    const whole = texts.join("");
    if (!this.#kind.isApart || !half.test(whole)) return whole;
    // Halves of a character in two of them make none.
    const encoder = new TextEncoder();
    const parts = texts.map((text) => encoder.encode(text));
    return joinBytes(parts, parts.reduce((sum, part) => sum + part.length, 0));
  }
}

/** Whether a pair is one of this realm, and nothing that only looks like it. */
function isGenuine(pair: object, name: string): boolean {
  const standard: unknown = Reflect.get(globalThis, name);
  return typeof standard === "function" && Object.getPrototypeOf(pair) === standard.prototype &&
    !Object.hasOwn(pair, "writable");
}

function kindOf(pair: object): Kind | undefined {
  if (endMeaningOf(pair)?.takesAnyBytes === true) return mixed;
  if (isGenuine(pair, "FileSystemWritableFileStream")) return mixed;
  if (isGenuine(pair, "TextEncoderStream")) return onlyText;
  return isGenuine(pair, "CompressionStream") || isGenuine(pair, "DecompressionStream")
    ? onlyBytes
    : undefined;
}

/** Whatever becomes of a write, its stream says so, too. */
function handled(written: unknown): unknown {
  if (written instanceof Promise) written.catch(() => {});
  return written;
}

/**
 * The sink of a pair or a stream. Where only its bytes matter, not how they are divided, what comes in one go is joined:
 * each small write costs many times what the bytes cost.
 */
export function withJoinedWrites<Sink extends Joinable>(pair: object, sink: Sink): Sink {
  const kind = kindOf(pair);
  if (kind === undefined) return sink;
  const block = new Block(kind);
  const flush = (): unknown => {
    const joined = block.take();
    return joined === undefined ? undefined : handled(sink.write(joined));
  };
  return {
    ...sink,
    write(chunk) {
      if (!block.accepts(chunk)) {
        flush();
        return sink.write(chunk);
      }
      const written = block.hasRoom(chunk) ? undefined : flush();
      block.add(chunk);
      return written;
    },
    flush,
    written() {
      flush();
      return sink.written();
    },
    close() {
      flush();
      return sink.close();
    },
  };
}
