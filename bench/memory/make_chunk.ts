const alphabet = "abcdefghijklmnopqrstuvwxyz";

/** Makes a chunk of `size` bytes, as bytes or as the string they spell. */
export function makeChunk(kind: "bytes", size: number): Uint8Array<ArrayBuffer>;
export function makeChunk(kind: string, size: number): Uint8Array<ArrayBuffer> | string;
export function makeChunk(kind: string, size: number): Uint8Array<ArrayBuffer> | string {
  const text = alphabet.repeat(Math.ceil(size / alphabet.length)).slice(0, size);
  return kind === "bytes" ? new TextEncoder().encode(text) : text;
}
