import type { ChainJob, Chunk } from "./job.ts";

/**
 * Drives a library that pushes: hands it the chunks one by one, and after each of the source's writes what
 * came out, which it cannot wait for by itself.
 */
export async function pushSource(
  { source, isBatched, write }: ChainJob,
  push: (chunk: Chunk) => void,
  pushed: Chunk[],
): Promise<void> {
  for await (const item of source()) {
    if (isBatched) { for (const chunk of item) push(chunk); }
    else push(item);
    for (const chunk of pushed) {
      const written = write(chunk);
      if (written) await written;
    }
    pushed.length = 0;
  }
}
