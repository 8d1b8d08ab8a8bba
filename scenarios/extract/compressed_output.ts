import { once } from "node:events";
import { createGzip, createZstdCompress } from "node:zlib";
import type { Output } from "./output.ts";

/** The compressions there are. */
export const compressions = ["gzip", "zstd"] as const;

/** Puts a compression before an output. */
export function compressedOutput(
  output: Output,
  compression: (typeof compressions)[number],
): Output {
  const compressor = compression === "gzip" ? createGzip() : createZstdCompress();
  const failures: unknown[] = [];
  const throwFailure = () => {
    if (failures.length > 0) throw failures[0];
  };
  const written = (async () => {
    for await (const bytes of compressor) await output.write(bytes as Uint8Array);
  })();
  written.catch((reason) => {
    failures.push(reason);
    // What waits for room must learn of it.
    compressor.emit("drain");
  });
  return {
    name: output.name,
    hasOldContent: output.hasOldContent,
    async write(bytes) {
      throwFailure();
      // The buffer is the caller's again as soon as this ends.
      if (!compressor.write(bytes.slice())) await once(compressor, "drain");
      throwFailure();
    },
    async commit() {
      compressor.end();
      await written;
      await output.commit();
    },
    async discard() {
      compressor.destroy();
      await written.catch(() => {});
      await output.discard();
    },
  };
}
