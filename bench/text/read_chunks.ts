import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Outcome } from "../results/result.ts";
import { LineDecoder } from "./line_decoder.ts";

/** Decodes and splits: gives the lines that end in each chunk as one array. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string[], void, undefined> {
  const decoder = new LineDecoder();
  for await (const chunk of chunks) {
    const lines = decoder.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const rest = decoder.end();
  if (rest.length > 0) yield rest;
}

/**
 * Reads a file as {@linkcode readChunks} does, the next chunk while the last one is worked on, as files'
 * streams do in every runtime: otherwise a tenth of the time goes by until a waiting thread is woken.
 */
export async function* readAhead(path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks = readChunks(path);
  const read = () => {
    const next = chunks.next();
    // It fails where it is awaited, which may be never.
    next.catch(() => {});
    return next;
  };
  let next = read();
  try {
    for (let { done, value } = await next; !done; { done, value } = await next) {
      next = read();
      yield value;
    }
  } finally {
    await chunks.return(undefined);
  }
}

/** The size of a chunk read and of a write to a file, in bytes. */
export const chunkSize = 65_536;

/** Reads a file in chunks of 64 KiB, each in its own memory, since stages may keep several at a time. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const file = await open(path, "r");
  try {
    while (true) {
      const chunk = new Uint8Array(chunkSize);
      let length = 0;
      // Short reads, as pipes give, are joined: everyone gets the same chunks.
      while (length < chunkSize) {
        const { bytesRead } = await file.read(chunk, length, chunkSize - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (length > 0) yield length < chunkSize ? chunk.subarray(0, length) : chunk;
      if (length < chunkSize) return;
    }
  } finally {
    await file.close();
  }
}

/** What came of a case that has written a file. */
export async function describeFile(path: string, chunks: number): Promise<Outcome> {
  const hash = createHash("sha256");
  let bytes = 0;
  // One buffer for all: the peak of memory is taken after this, and must not be of its making.
  const buffer = new Uint8Array(chunkSize);
  await using file = await open(path, "r");
  while (true) {
    const { bytesRead } = await file.read(buffer, 0, chunkSize);
    if (bytesRead === 0) return { chunks, bytes, digest: hash.digest("hex") };
    hash.update(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
}
