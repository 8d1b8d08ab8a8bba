import { isIP } from "node:net";
import { UsageError } from "../command_line/parse_command_line.ts";
import type { Server, ServerOptions } from "node:http";

/** The limits in `node:http`'s words; a connection's idle time is bounded by the server's `timeout`. */
export function nodeServerOptions(limits: Partial<ServerLimits> = {}): ServerOptions {
  const { headerBytes, headersTimeoutMs, idleTimeoutMs } = { ...defaultLimits, ...limits };
  return {
    maxHeaderSize: headerBytes,
    headersTimeout: headersTimeoutMs,
    // Nothing here reads a request's body, so a whole request gets the time of its headers.
    requestTimeout: headersTimeoutMs,
    keepAliveTimeout: Math.min(5000, idleTimeoutMs),
    connectionsCheckingInterval: Math.max(100, Math.min(headersTimeoutMs, 5000) / 2),
  };
}

/** Closes a `node:http` server: idle connections at once, busy ones when they are done or time is up. */
export async function closeNodeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (await settleWithin(closed, graceMs)) return;
  server.closeAllConnections();
  await closed;
}

/** The flag `--allow-host`, which every command with a local server has. */
export const allowHostFlag = {
  kind: "list",
  value: "HOST",
  about: "hosts to answer for besides localhost, 127.0.0.1, [::1] and --host; repeatable",
} as const;

/** The hosts that a local server answers for: this machine's own names, the address it is bound to, and more. */
export function localHosts(bound: string, more: readonly string[] = []): string[] {
  for (const host of more) {
    const isName = /^[\w.-]+$/.test(host) || isIP(host.replace(/^\[(.*)\]$/, "$1")) === 6;
    if (!isName) throw new UsageError(`--allow-host must be a host without a port, got ${host}`);
  }
  // No client names the interface that a link-local address belongs to.
  return ["localhost", "127.0.0.1", "::1", bound.replace(/%.*$/, ""), ...more];
}

/** Waits for `promise`, but not longer than `ms` milliseconds; tells whether it has settled. */
export async function settleWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true, () => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

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

/** Where a server is, such as `http://[::1]:8000/`. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

/** Why a server did not start, in one line. */
export function listenError(error: unknown, host: string, port: number): Error {
  const { code, name, message } = error as { code?: string; name?: string; message?: string };
  const reason = code === "EADDRINUSE" || name === "AddrInUse"
    ? "the address is in use"
    : String(message ?? error).split("\n")[0];
  return new Error(`Cannot listen on ${host}:${port}: ${reason}`, { cause: error });
}
