import type { Outcome } from "../results/outcome.ts";

/** A sink that counts chunks and bytes, and looks at both ends of each chunk. */
export class Tally {
  chunks = 0;
  bytes = 0;
  check = 0;

  /** Bound, so that contestants can pass it on as a function. */
  readonly take = (chunk: Uint8Array | string): void => {
    const { length } = chunk;
    this.chunks++;
    this.bytes += length;
    this.check += typeof chunk === "string"
      ? chunk.charCodeAt(0) + chunk.charCodeAt(length - 1)
      : chunk[0]! + chunk[length - 1]!;
  };

  /** What has arrived. */
  outcome(): Outcome {
    const { chunks, bytes, check } = this;
    return { chunks, bytes, digest: `${chunks} chunks, ${bytes} bytes, check ${check}` };
  }
}
