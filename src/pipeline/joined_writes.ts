import { isBytes, joinBytes } from "../is_bytes.ts";
import { endMeaningOf } from "../kernels/end_meaning.ts";

/** The most bytes of a block. */
const blockLength = 65_536;
/** Text of so many units takes no more: three bytes for each. */
const textLength = Math.floor(blockLength / 3);

/** What of a sink is called with what was joined, or after it. */
interface Joinable {
  readonly write: (this: void, chunk: unknown) => unknown;
  flush?(): unknown;
  written(): PromiseLike<unknown> | undefined;
  close(): PromiseLike<void> | undefined;
}

/** What gathers chunks of one kind into blocks. */
interface Block {
  /** Whether it can take a chunk of this kind at all. */
  accepts(chunk: unknown): boolean;
  /** Whether it has room for that chunk, too. */
  hasRoom(chunk: unknown): boolean;
  /** Copies the chunk: its source may use its memory again. */
  add(chunk: unknown): void;
  /** Gives what was gathered, if anything. */
  take(): unknown;
}

function createByteBlock(): Block {
  let buffer: Uint8Array | undefined;
  let length = 0;
  return {
    accepts: (chunk) =>
      isBytes(chunk) && chunk.length < blockLength && chunk.buffer instanceof ArrayBuffer,
    hasRoom: (chunk) => length + (chunk as Uint8Array).length <= blockLength,
    add(chunk) {
      buffer ??= new Uint8Array(blockLength);
      buffer.set(chunk as Uint8Array, length);
      length += (chunk as Uint8Array).length;
    },
    take() {
      if (length === 0) return undefined;
      const block = buffer!.slice(0, length);
      length = 0;
      return block;
    },
  };
}

function createTextBlock(): Block {
  let text = "";
  return {
    accepts: (chunk) => typeof chunk === "string" && chunk.length < textLength,
    hasRoom: (chunk) => text.length + (chunk as string).length <= textLength,
    add: (chunk) => void (text += chunk as string),
    take() {
      const block = text;
      text = "";
      return block === "" ? undefined : block;
    },
  };
}

/** Half of a character, or a whole one of two code units. */
const half = /[\ud800-\udfff]/;

/** Gathers texts whose bytes are those of each by itself: halves of a character in two of them make none. */
function createSeparateBlock(): Block {
  const encoder = new TextEncoder();
  let texts: string[] = [];
  let length = 0;
  return {
    accepts: (chunk) => typeof chunk === "string" && chunk.length < blockLength,
    hasRoom: (chunk) => length + (chunk as string).length <= blockLength,
    add(chunk) {
      texts.push(chunk as string);
      length += (chunk as string).length;
    },
    take() {
      const taken = texts;
      texts = [];
      length = 0;
      const whole = taken.join("");
      if (!half.test(whole)) return whole === "" ? undefined : whole;
      const parts = taken.map((text) => encoder.encode(text));
      return joinBytes(parts, parts.reduce((sum, part) => sum + part.length, 0));
    },
  };
}

/** What gathers text and bytes for a sink that is given either: those of one kind that follow each other. */
function createMixedBlock(): Block {
  const text = createSeparateBlock();
  const bytes = createByteBlock();
  let open = bytes;
  return {
    accepts: (chunk) => (typeof chunk === "string" ? text : bytes).accepts(chunk),
    hasRoom: (chunk) => (typeof chunk === "string" ? text : bytes) === open && open.hasRoom(chunk),
    add(chunk) {
      open = typeof chunk === "string" ? text : bytes;
      open.add(chunk);
    },
    take: () => open.take(),
  };
}

type Name =
  | "CompressionStream"
  | "DecompressionStream"
  | "FileSystemWritableFileStream"
  | "TextEncoderStream";

/** Whether a pair is one of this realm, and nothing that only looks like it. */
function isGenuine(pair: object, name: Name): boolean {
  const standard: unknown = Reflect.get(globalThis, name);
  return typeof standard === "function" && Object.getPrototypeOf(pair) === standard.prototype &&
    !Object.hasOwn(pair, "writable");
}

function blockFor(pair: object): Block | undefined {
  if (endMeaningOf(pair)?.takesAnyBytes === true) return createMixedBlock();
  if (isGenuine(pair, "FileSystemWritableFileStream")) return createMixedBlock();
  if (isGenuine(pair, "TextEncoderStream")) return createTextBlock();
  return isGenuine(pair, "CompressionStream") || isGenuine(pair, "DecompressionStream")
    ? createByteBlock()
    : undefined;
}

function ignore(): void {}

/** Whatever becomes of a write, its stream says so, too. */
function handled(written: unknown): unknown {
  if (written instanceof Promise) written.catch(ignore);
  return written;
}

/**
 * The sink of a pair or a stream. Where only its bytes matter, not how they are divided, what comes in one go is joined:
 * each small write costs many times what the bytes cost.
 */
export function withJoinedWrites<Sink extends Joinable>(pair: object, sink: Sink): Sink {
  const block = blockFor(pair);
  if (block === undefined) return sink;
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
