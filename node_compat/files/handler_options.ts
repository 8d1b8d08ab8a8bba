import { checkInteger, checkOptions, throwTypeError } from "../../src/errors.ts";

/** How files are sent: read on demand, or read whole before the first byte goes out. */
export const serveModes = ["stream", "buffer"] as const;

/** One of {@linkcode serveModes}. */
export type ServeMode = (typeof serveModes)[number];

/** Options of a file handler. */
export interface HandlerOptions {
  /** The folder whose files are served. */
  readonly root: string;
  /** @default {"stream"} */
  readonly mode?: ServeMode;
  /** Bytes of one read, the most that is held for a client. @default {262144} */
  readonly chunkSize?: number;
  /** A file of which nobody took a chunk for so many milliseconds is closed. @default {30000} */
  readonly idleTimeoutMs?: number;
}

/** Fills in the defaults, and refuses what cannot be. */
export function readHandlerOptions(options: HandlerOptions): Required<HandlerOptions> {
  const action = "create file handler";
  checkOptions(action, options, ["root", "mode", "chunkSize", "idleTimeoutMs"]);
  const { root, mode = "stream", chunkSize = 256 * 1024, idleTimeoutMs = 30_000 } = options ?? {};
  if (typeof root !== "string" || root === "") throwTypeError(action, "root", "a path", root);
  if (!serveModes.includes(mode)) {
    throw new RangeError(`Cannot ${action}: mode must be stream or buffer, got ${String(mode)}`);
  }
  checkInteger(action, "chunkSize", chunkSize, 1);
  checkInteger(action, "idleTimeoutMs", idleTimeoutMs, 1);
  return { root, mode, chunkSize, idleTimeoutMs };
}
