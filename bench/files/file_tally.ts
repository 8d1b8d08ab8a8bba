const page = 4096;

/** A sink of a file's chunks, whatever their size: counts, and looks at one byte of every page. */
export class FileTally {
  chunks = 0;
  bytes = 0;
  check = 0;

  /** Bound, so that contestants can pass it on as a function. */
  readonly take = (chunk: Uint8Array): void => {
    const start = (page - this.bytes % page) % page;
    for (let at = start; at < chunk.length; at += page) {
      this.check = (Math.imul(this.check, 31) + chunk[at]!) | 0;
    }
    this.chunks++;
    this.bytes += chunk.length;
  };
}
