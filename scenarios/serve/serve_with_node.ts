import { createServer, type IncomingMessage } from "node:http";
import type { NodeHandler } from "../../node_compat/files/node_handler.ts";
import { keepListening } from "./keep_listening.ts";
import { nodeServerOptions } from "./node_server_options.ts";
import { defaultLimits, type ListenOptions, type RunningServer } from "./running_server.ts";

/** Serves with `node:http`, which keeps the same limits in all three runtimes. */
export function serveWithNode(handler: NodeHandler, listen: ListenOptions): Promise<RunningServer> {
  const { idleTimeoutMs, answerTimeoutMs } = { ...defaultLimits, ...listen.limits };
  return keepListening(listen, () => {
    const server = createServer(nodeServerOptions(listen.limits), (request, response) => {
      request.socket.setTimeout(answerTimeoutMs);
      void handler(request, response);
    });
    return server.setTimeout(idleTimeoutMs);
  });
}

/** Tells of an answer of `node:http` that is over. */
export function nodeRecorder({ onAnswer }: ListenOptions) {
  return (request: IncomingMessage, status: number, sent: number): void =>
    onAnswer?.({
      remoteAddress: request.socket?.remoteAddress ?? "-",
      method: request.method ?? "",
      target: request.url ?? "",
      protocol: `HTTP/${request.httpVersion}`,
      status,
      sent,
    });
}
