import type { ServerOptions } from "node:http";
import { defaultLimits, type ServerLimits } from "./running_server.ts";

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
