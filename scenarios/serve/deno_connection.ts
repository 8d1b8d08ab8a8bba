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

/** A handler of `Deno.serve` that is given a signal for each answer, and what to call if its client stands still. */
export function denoHandler(handler: WebHandler, { onAnswer }: ListenOptions) {
  return (
    request: Request,
    { remoteAddr }: Deno.ServeHandlerInfo<Deno.NetAddr>,
    signal: AbortSignal,
    onIdle?: () => void,
  ): Promise<Response> => {
    const { method, url } = request;
    return handler(request, {
      ...{ signal, onIdle, isFree: letGo },
      onEnd: (status, sent) =>
        onAnswer?.({
          ...{ remoteAddress: remoteAddr.hostname, method, protocol: "HTTP/1.1", status, sent },
          target: url.replace(/^[a-z]+:\/\/[^/]*/, ""),
        }),
    });
  };
}

/** A signal to which Deno may listen: what its listener throws of a connection that has just ended would end the process. */
function tolerantSignal({ signal }: AbortController): AbortSignal {
  const add = signal.addEventListener.bind(signal) as (...args: unknown[]) => void;
  signal.addEventListener = (type: string, listen: unknown, options?: unknown) =>
    add(type, (event: unknown) => {
      try {
        (listen as (event: unknown) => void)(event);
      } catch {
        // There is nothing left to abort.
      }
    }, options);
  return signal;
}

const closes = new Error("Cannot send: the server closes the connection");
const hasLeft = new Error("Cannot send: the client has left");

/** More requests than that wait on no honest client's connection. */
const mostWaiting = 100;

/** A connection to Deno's server, which bounds no time itself. */
export class DenoConnection {
  readonly #abort = new AbortController();
  readonly #server: Deno.HttpServer;
  readonly #idleTimeoutMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;
  readonly #answers = new Set<AbortController>();
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
    const answer = denoHandler(handler, listen);
    this.#server = serve(
      connection,
      tolerantSignal(this.#abort),
      (request, info) => {
        const { over: { signal }, turn } = this.#begin(info.completed);
        const respond = () => answer(request, info, signal, () => this.abort());
        if (turn === undefined) return respond();
        return turn.then(() => signal.aborted ? new Response(null, { status: 503 }) : respond());
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
    return this.#answers.size === 0;
  }

  /** Breaks off what brings no request in time: to shut down would wait for its body, or for HTTP/2 to end. */
  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.abort(), ms);
  }

  /**
   * Begins an answer, whose file is closed once it is over, even if that was before it was opened: nothing reads it
   * then. Only HTTP/2 has several answers at once, and each must not have a file open.
   */
  #begin(
    completed: Promise<void>,
  ): { readonly over: AbortController; readonly turn: Promise<void> | undefined } {
    clearTimeout(this.#timer);
    const over = new AbortController();
    const turn = this.#answers.size === 0 ? undefined : this.#last;
    this.#answers.add(over);
    const settled = completed.catch(() => {}).then(() => {
      this.#answers.delete(over);
      over.abort(hasLeft);
      this.#end();
    });
    this.#last = turn === undefined ? settled : turn.then(() => settled);
    if (this.#answers.size > mostWaiting) this.abort();
    return { over, turn };
  }

  #end(): void {
    if (!this.isIdle) return;
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
    for (const over of this.#answers) over.abort(closes);
    this.#abort.abort(closes);
  }
}
