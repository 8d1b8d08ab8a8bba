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

/** Packs chunks to be sent. */
export function packChunks(chunks: readonly unknown[]): PackedChunks {
  if (chunks.length < fewest) return chunks;
  if (chunks.every(isNumber)) return Float64Array.from(chunks);
  if (!chunks.every(isText)) return chunks;
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
