import type { Chunk } from "../../chains/job.ts";

/** Reads a stream to its end, one chunk after the other. */
export async function drain(
  stream: ReadableStream<Chunk>,
  take: (chunk: Chunk) => void,
): Promise<void> {
  const reader = stream.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}
