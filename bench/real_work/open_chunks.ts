import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { readAhead } from "../text/read_chunks.ts";
import type { RealJob } from "./job.ts";

async function* readGzip(path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 65_536 });
  // What goes wrong in one destroys the other, and is thrown where it is iterated.
  pipeline(createReadStream(path), gunzip, () => {});
  yield* gunzip;
}

async function* readBody(url: string): AsyncGenerator<Uint8Array> {
  const { body, status } = await fetch(url);
  if (body === null || status !== 200) throw new Error(`Cannot read events: status ${status}`);
  const reader = body.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => {});
  }
}

/** The bytes of the events, the same way for every contestant without a way of its own. */
export function openChunks({ from, inputPath, url }: RealJob): AsyncGenerator<Uint8Array> {
  if (from === "gzip") return readGzip(inputPath);
  return from === "http" ? readBody(url) : readAhead(inputPath);
}
