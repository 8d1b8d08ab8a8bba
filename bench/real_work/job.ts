/** Documents to be parsed: each a JSON text, of which one number is wanted. */
export interface ParseJob {
  readonly texts: () => Iterable<string>;
  readonly take: (total: number) => void;
}

/** Bytes to be compressed by gzip, at its usual level. */
export interface GzipJob {
  readonly chunks: () => Iterable<Uint8Array<ArrayBuffer>>;
  /** Keeps a piece of the result, which nobody may change afterwards. */
  readonly take: (piece: Uint8Array) => void;
}

/** A contestant of real_work: what it can do. */
export interface RealWorker {
  readonly json?: (job: ParseJob) => Promise<void>;
  readonly gzip?: (job: GzipJob) => Promise<void>;
}
