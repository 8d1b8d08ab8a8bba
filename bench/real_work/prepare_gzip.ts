import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import type { RealWorker } from "./job.ts";
import type { PreparedCase } from "../measure/workload.ts";

/**
 * Makes compressing ready. Compressors differ in their bytes, so what counts is what comes out again; chunks and
 * bytes are those that went in.
 */
export function prepareGzip(
  contestant: string,
  { gzip }: RealWorker,
  documents: readonly string[],
): PreparedCase {
  const encoder = new TextEncoder();
  const chunks = documents.map((text) => encoder.encode(text));
  let pieces: Uint8Array[] = [];
  return {
    async run() {
      pieces = [];
      await gzip!({ chunks: () => chunks.values(), take: (piece) => void pieces.push(piece) });
    },
    async verify() {
      if (pieces.length === 0) throw new Error(`Cannot accept ${contestant}: nothing came out`);
      const original = Buffer.concat(chunks);
      if (!gunzipSync(Buffer.concat(pieces)).equals(original)) {
        throw new Error(`Cannot accept ${contestant}: what comes out again is not what went in`);
      }
      return await Promise.resolve({
        chunks: chunks.length,
        bytes: original.length,
        digest: `${original.length} bytes that come out again`,
      });
    },
    dispose: () => Promise.resolve(),
  };
}
