/** The bytes of chunks, one after the other. */
export function joinBytes(chunks: readonly unknown[]): number[] {
  return chunks.flatMap((chunk) => [...chunk as Uint8Array]);
}
