import { createReadStream } from "node:fs";
import process from "node:process";
import { type Readable, Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { compressions } from "../extract/compressed_output.ts";
import { ZstdFrames } from "./zstd_frames.ts";

/** Lets bytes pass, and fails at the end unless a frame ends there. */
function checkFrames(): Transform {
  const frames = new ZstdFrames();
  return new Transform({
    transform(bytes, _encoding, next) {
      frames.take(bytes);
      next(null, bytes);
    },
    flush: (next) => next(frames.isWhole ? null : new Error("unexpected end of file")),
  });
}

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
  const stages = compress === "gzip"
    ? [createGunzip()]
    : compress === "zstd"
    ? [checkFrames(), createZstdDecompress()]
    : [];
  const all: Readable[] = [file, ...stages];
  const last = all.at(-1)!;
  let previous = file;
  for (const stage of stages) {
    // What `pipe` does not pass on.
    previous.on("error", (error) => last.destroy(error));
    previous = previous.pipe(stage);
  }
  const stop = () => void last.destroy(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    yield* last as AsyncIterable<Uint8Array>;
  } finally {
    signal.removeEventListener("abort", stop);
    for (const stream of all) stream.destroy();
  }
}
