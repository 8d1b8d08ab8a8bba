/** What bounds a client that means no good, or none at all. Which server keeps which: `docs/serve.md`. */
export interface ServerLimits {
  /** Bytes of a request's line and headers together. @default {16384} */
  readonly headerBytes: number;
  /** A request's headers must have come within so many milliseconds. @default {10000} */
  readonly headersTimeoutMs: number;
  /** A connection on which nothing moves for so many milliseconds is closed. @default {30000} */
  readonly idleTimeoutMs: number;
}

/** Where a server listens, and its limits. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
}

/** A server that accepts connections. */
export interface RunningServer {
  readonly port: number;
  /**
   * Accepts no more connections, lets open answers end for so many milliseconds, then breaks the rest
   * off.
   */
  close(graceMs: number): Promise<void>;
}

/** The limits where nobody asked for others. */
export const defaultLimits: ServerLimits = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
};
