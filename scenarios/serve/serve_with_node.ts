import { createServer, type IncomingMessage } from "node:http";
import type { NodeHandler } from "../../src/files/node/node_handler.ts";
import { keepListening } from "./keep_listening.ts";
import { nodeServerOptions } from "./node_server_options.ts";
import { defaultLimits, type ListenOptions, type RunningServer } from "./running_server.ts";

/** Serves with `node:http`, which keeps the same limits in all three runtimes. */
export function serveWithNode(handler: NodeHandler, listen: ListenOptions): Promise<RunningServer> {
  const { idleTimeoutMs, answerTimeoutMs } = { ...defaultLimits, ...listen.limits };
  return keepListening(listen, () => {
    const server = createServer(nodeServerOptions(listen.limits), (request, response) => {
      beginAnswer(request, answerTimeoutMs);
      void handler(request, response);
    });
    return server.setTimeout(idleTimeoutMs);
  });
}

/** Where requests came from: a socket that has been closed no longer tells everywhere. */
const remoteAddresses = new WeakMap<IncomingMessage, string>();

/** Notes where a request comes from, and gives its answer the time it has. */
export function beginAnswer(request: IncomingMessage, answerTimeoutMs: number): void {
  const { socket } = request;
  remoteAddresses.set(request, socket.remoteAddress ?? "-");
  socket.setTimeout(answerTimeoutMs);
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
