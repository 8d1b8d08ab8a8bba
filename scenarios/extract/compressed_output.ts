import { once } from "node:events";
import { createGzip, createZstdCompress } from "node:zlib";
import type { Output } from "./output.ts";

/** The compressions there are. */
export const compressions = ["gzip", "zstd"] as const;

/** A member of gzip, or a frame of zstd: files of several are read as one. */
interface Member {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
  destroy(): Promise<void>;
}

function openMember(output: Output, compression: (typeof compressions)[number]): Member {
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
    async write(bytes) {
      throwFailure();
      // The buffer is the caller's again as soon as this ends.
      if (!compressor.write(bytes.slice())) await once(compressor, "drain");
      throwFailure();
    },
    async end() {
      compressor.end();
      await written;
    },
    async destroy() {
      compressor.destroy();
      await written.catch(() => {});
    },
  };
}

/** Puts a compression before an output. */
export function compressedOutput(
  output: Output,
  compression: (typeof compressions)[number],
): Output {
  let member = openMember(output, compression);
  return {
    name: output.name,
    hasOldContent: output.hasOldContent,
    write: (bytes) => member.write(bytes),
    ...(output.keep === undefined ? {} : {
      async keep(last: readonly string[], rows: number) {
        await member.end();
        await output.keep!(last, rows);
        member = openMember(output, compression);
      },
    }),
    async commit() {
      await member.end();
      await output.commit();
    },
    async discard() {
      await member.destroy();
      await output.discard();
    },
  };
}
