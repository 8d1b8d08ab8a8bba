import { createServer, type IncomingMessage } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import type { NodeHandler } from "../../src/files/node/node_handler.ts";
import { keepListening } from "./keep_listening.ts";
import {
  defaultLimits,
  type ListenOptions,
  nodeServerOptions,
  type RunningServer,
  type ServerLimits,
} from "./running_server.ts";

/** Serves with `node:http`, which keeps the same limits in all three runtimes. */
export function serveWithNode(handler: NodeHandler, listen: ListenOptions): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...listen.limits };
  return keepListening(listen, () => {
    const server = createServer(nodeServerOptions(listen.limits), (request, response) => {
      beginAnswer(request, limits);
      void handler(request, response);
    });
    return server.setTimeout(limits.idleTimeoutMs);
  });
}

/** Where requests came from: a socket that has been closed no longer tells everywhere. */
const remoteAddresses = new WeakMap<IncomingMessage, string>();

/**
 * Reads a body away, which nothing here needs, and closes the connection if it does not end in time: Deno's
 * `node:http` has no `requestTimeout`.
 */
function drain(request: IncomingMessage, timeoutMs: number): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  if (length === "0" && encoding === undefined) return;
  const timer = setTimeout(() => request.socket.destroy(), timeoutMs);
  timer.unref();
  request.once("end", () => clearTimeout(timer));
  request.resume();
}

/** Notes where a request comes from, gives its answer the time it has, and its body that of its headers. */
export function beginAnswer(
  request: IncomingMessage,
  { answerTimeoutMs, headersTimeoutMs }: ServerLimits,
): void {
  const { socket } = request;
  remoteAddresses.set(request, socket.remoteAddress ?? "-");
  socket.setTimeout(answerTimeoutMs);
  drain(request, headersTimeoutMs);
}

/** Reports an answer of `node:http` that is over. */
export function nodeRecorder({ onAnswer }: ListenOptions) {
  return (request: IncomingMessage, status: number, sent: number): void =>
    onAnswer?.({
      remoteAddress: remoteAddresses.get(request) ?? "-",
      method: request.method ?? "",
      target: request.url ?? "",
      protocol: `HTTP/${request.httpVersion}`,
      status,
      sent,
    });
}
