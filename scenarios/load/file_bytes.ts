import { createReadStream } from "node:fs";
import process from "node:process";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { compressions } from "../extract/compressed_output.ts";
import { zstdBytes } from "./zstd_bytes.ts";

/**
 * The bytes of a file, `-` for standard input, without their compression. One that is cut off is an error.
 *
 * @throws The signal's reason, if it aborts.
 */
export async function* fileBytes(
  { path, compress }: {
    readonly path: string;
    readonly compress: (typeof compressions)[number] | undefined;
  },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const file: Readable = path === "-" ? process.stdin : createReadStream(path);
  const stop = () => void file.destroy(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    yield* compress === "zstd" ? zstdBytes(file) : compress === "gzip" ? gzipBytes(file) : file;
  } finally {
    signal.removeEventListener("abort", stop);
    file.destroy();
  }
}

async function* gzipBytes(file: Readable): AsyncGenerator<Uint8Array, void> {
  const output = createGunzip();
  // What `pipe` does not pass on.
  file.on("error", (error) => output.destroy(error));
  try {
    yield* file.pipe(output) as AsyncIterable<Uint8Array>;
  } finally {
    output.destroy();
  }
}
