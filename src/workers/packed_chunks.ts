/** Texts as one, with the index at which each ends. */
interface PackedTexts {
  readonly text: string;
  readonly ends: Uint32Array;
}

/** Chunks as they are sent: a clone of a thousand small texts or numbers costs far more than one of them together. */
export type PackedChunks = readonly unknown[] | PackedTexts | Float64Array;

/** Below this, packing costs more than it saves. */
const fewest = 8;
/** Of long texts a second copy costs more than it saves. */
const longestMean = 512;

const isNumber = (chunk: unknown): chunk is number => typeof chunk === "number";
const isText = (chunk: unknown): chunk is string => typeof chunk === "string";

/** A buffer this much larger than what is seen of it is not sent: the views are, as copies. */
const mostUnseenBytes = 4_096;

const { get: nameOfArray } = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)!;

function copyView(view: ArrayBufferView): ArrayBufferView {
  const { buffer, byteOffset, byteLength } = view;
  // Whatever its class: a clone loses that, too.
  const kind: "Uint8Array" = nameOfArray!.call(view) ?? "DataView";
  return new globalThis[kind](buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

/** The chunks, of which views of buffers that are mostly not seen are copies: a clone sends a whole buffer. */
function withoutUnseen(chunks: readonly unknown[]): readonly unknown[] {
  const seenBytes = new Map<ArrayBufferLike, number>();
  let isAnyPart = false;
  for (const chunk of chunks) {
    if (!ArrayBuffer.isView(chunk) || !(chunk.buffer instanceof ArrayBuffer)) continue;
    const { buffer, byteLength } = chunk;
    if (buffer.byteLength > byteLength) isAnyPart = true;
    seenBytes.set(buffer, (seenBytes.get(buffer) ?? 0) + byteLength);
  }
  if (!isAnyPart) return chunks;
  const copies = new Map<unknown, ArrayBufferView>();
  return chunks.map((chunk) => {
    if (!ArrayBuffer.isView(chunk)) return chunk;
    const seen = seenBytes.get(chunk.buffer) ?? Infinity;
    if (chunk.buffer.byteLength <= 2 * seen + mostUnseenBytes) return chunk;
    const copy = copies.get(chunk) ?? copyView(chunk);
    copies.set(chunk, copy);
    return copy;
  });
}

/** Packs chunks to be sent. */
export function packChunks(chunks: readonly unknown[]): PackedChunks {
  const isMany = chunks.length >= fewest;
  if (isMany && chunks.every(isNumber)) return Float64Array.from(chunks);
  if (!isMany || !chunks.every(isText)) return withoutUnseen(chunks);
  const ends = new Uint32Array(chunks.length);
  let end = 0;
  for (let index = 0; index < chunks.length; index++) {
    end += chunks[index]!.length;
    ends[index] = end;
  }
  if (end > longestMean * chunks.length) return chunks;
  return { text: chunks.join(""), ends };
}

/** The chunks again. */
export function unpackChunks(packed: PackedChunks): readonly unknown[] {
  if (Array.isArray(packed)) return packed;
  if (ArrayBuffer.isView(packed)) return Array.from(packed as Float64Array);
  const { text, ends } = packed as PackedTexts;
  const chunks = new Array<string>(ends.length);
  let start = 0;
  for (let index = 0; index < chunks.length; index++) {
    chunks[index] = text.slice(start, start = ends[index]!);
  }
  return chunks;
}
