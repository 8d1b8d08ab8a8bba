/** What bounds a client that means no good, or none at all. Which server keeps which: `docs/serve.md`. */
export interface ServerLimits {
  /** Bytes of a request's line and headers together. @default {16384} */
  readonly headerBytes: number;
  /** A request's headers must have come within so many milliseconds. @default {10000} */
  readonly headersTimeoutMs: number;
  /** A connection without a request is closed after so many milliseconds. @default {30000} */
  readonly idleTimeoutMs: number;
  /** An open answer of which nothing leaves for this many milliseconds is cut short. @default {1800000} */
  readonly answerTimeoutMs: number;
}

/** One request and its answer, when that is over. */
export interface AnswerRecord {
  readonly remoteAddress: string;
  readonly method: string;
  /** As it came, where the server tells. */
  readonly target: string;
  /** Such as `HTTP/1.1`. */
  readonly protocol: string;
  readonly status: number;
  /** Bytes of the body that were handed to the server. */
  readonly sent: number;
}

/** Where a server listens, its limits, and what it reports to. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
  /** Called for each answer that is over. */
  readonly onAnswer?: (record: AnswerRecord) => void;
  /** Called with what keeps the server from accepting connections, in words, once for each time. */
  readonly onTrouble?: (text: string) => void;
}

/** A server that accepts connections. */
export interface RunningServer {
  readonly port: number;
  /**
   * Accepts no more connections, lets open answers end for this many milliseconds, then breaks the rest
   * off.
   */
  close(graceMs: number): Promise<void>;
}

/** The default limits. */
export const defaultLimits: ServerLimits = {
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
  answerTimeoutMs: 1_800_000,
};
