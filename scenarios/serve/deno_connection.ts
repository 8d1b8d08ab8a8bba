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

/** More requests than that wait on no honest client's connection. */
const mostWaiting = 100;

/** A connection to Deno's server, which bounds no time itself. */
export class DenoConnection {
  readonly #abort = new AbortController();
  readonly #server: Deno.HttpServer;
  readonly #idleTimeoutMs: number;
  #requests = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;
  #last: Promise<void> = Promise.resolve();
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
    const answerUntil = (signal: AbortSignal) =>
      denoHandler(handler, listen, { signal, onIdle: () => this.abort() });
    const answer = answerUntil(this.#abort.signal);
    this.#server = serve(
      connection,
      this.#abort.signal,
      (request, info) => {
        this.#begin();
        const completed = info.completed.catch(() => {});
        void completed.then(() => this.#end());
        if (this.#requests > 1) return this.#queue(completed, answerUntil, request, info);
        this.#last = completed;
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

  /** Answers after the requests before it. Only HTTP/2 has several at once, and each must not have a file open. */
  #queue(
    completed: Promise<void>,
    answerUntil: (signal: AbortSignal) => DenoHandler,
    ...asked: Parameters<DenoHandler>
  ): Promise<Response> {
    if (this.#requests > mostWaiting) this.abort();
    // A stream may end while the connection goes on, or with it before its turn: its body is not read then.
    const over = new AbortController();
    void completed.then(() => over.abort(new Error("Cannot send: the client has left")));
    const answer = answerUntil(AbortSignal.any([this.#abort.signal, over.signal]));
    const before = this.#last;
    this.#last = before.then(() => completed);
    return before.then(() =>
      over.signal.aborted ? new Response(null, { status: 503 }) : answer(...asked)
    );
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
