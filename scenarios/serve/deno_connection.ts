import type { Chunk } from "../../src/files/file_range.ts";
import type { WebHandler } from "../../src/files/web_handler.ts";
import { defaultLimits, type ListenOptions } from "./running_server.ts";

type DenoHandler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Promise<Response>;

/** Serves one connection, as `Deno.serve` does with each of those it accepts itself. */
type ServeConnection = (
  connection: Deno.TcpConn,
  signal: AbortSignal,
  handler: DenoHandler,
  onError: () => Response,
  onListen: () => void,
) => Deno.HttpServer;

/** What `Deno.serve` is made of, if this Deno has it: an interface of its own that its types do not name. */
export const serveConnection: ServeConnection | undefined = (() => {
  const { internal } = Deno as unknown as { readonly internal?: symbol };
  const internals = internal === undefined
    ? undefined
    : (Deno as unknown as Record<symbol, { serveHttpOnConnection?: ServeConnection }>)[internal];
  const found = internals?.serveHttpOnConnection;
  return typeof found === "function" ? found : undefined;
})();

/**
 * Deno's server has taken hold of a chunk's memory before it asks for the next chunk: letting go of our
 * end makes that memory free as soon as it is sent, and not when garbage is next collected.
 */
function letGo({ buffer }: Chunk): boolean {
  buffer.transfer(0);
  return false;
}

/** A handler of `Deno.serve`. */
export function denoHandler(
  handler: WebHandler,
  { onAnswer }: ListenOptions,
  more: { readonly signal?: AbortSignal; readonly onIdle?: () => void },
): DenoHandler {
  return (request, { remoteAddr }) => {
    const { method, url } = request;
    return handler(request, {
      ...more,
      isFree: letGo,
      onEnd: (status, sent) =>
        onAnswer?.({
          ...{ remoteAddress: remoteAddr.hostname, method, protocol: "HTTP/1.1", status, sent },
          target: url.replace(/^[a-z]+:\/\/[^/]*/, ""),
        }),
    });
  };
}

/** A connection to Deno's server, which bounds no time itself. */
export class DenoConnection {
  readonly #abort = new AbortController();
  readonly #server: Deno.HttpServer;
  readonly #idleTimeoutMs: number;
  #requests = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;
  /** Settles when the connection is closed. */
  readonly closed: Promise<void>;

  constructor(
    serve: ServeConnection,
    connection: Deno.TcpConn,
    handler: WebHandler,
    listen: ListenOptions,
  ) {
    const limits = { ...defaultLimits, ...listen.limits };
    this.#idleTimeoutMs = limits.idleTimeoutMs;
    const answer = denoHandler(handler, listen, {
      signal: this.#abort.signal,
      onIdle: () => this.abort(),
    });
    this.#server = serve(
      connection,
      this.#abort.signal,
      (request, info) => {
        this.#begin();
        info.completed.catch(() => {}).finally(() => this.#end());
        return answer(request, info);
      },
      () => new Response(null, { status: 500 }),
      () => {},
    );
    // The first request gets the time of its headers, and those after it the time of silence.
    this.#watch(limits.headersTimeoutMs);
    this.closed = this.#server.finished.catch(() => {}).finally(() => clearTimeout(this.#timer));
  }

  /** Whether no request is being answered. */
  get isIdle(): boolean {
    return this.#requests === 0;
  }

  /** Breaks off what brings no request in time: to shut down would wait for its body, or for HTTP/2 to end. */
  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.abort(), ms);
  }

  #begin(): void {
    this.#requests++;
    clearTimeout(this.#timer);
  }

  #end(): void {
    this.#requests--;
    if (this.#requests > 0) return;
    if (this.#isClosing) this.finish();
    else this.#watch(this.#idleTimeoutMs);
  }

  /** Closes the connection once what is being answered has been sent. */
  finish(): void {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    // A server that is finishing can no longer be aborted, so an open answer is waited for here.
    if (this.isIdle) this.#server.shutdown().catch(() => {});
  }

  /** Closes the connection, in the middle of an answer too. */
  abort(): void {
    try {
      this.#abort.abort(new Error("Cannot send: the server closes the connection"));
    } catch {
      // It has been finishing: nothing but a client that reads no more keeps it.
    }
  }
}
