import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { serve } from "srvx/node";
import type { WebHandler } from "../../src/files/web_handler.ts";
import { takeTurn } from "../../src/files/node/node_handler.ts";
import {
  closeNodeServer,
  defaultLimits,
  type ListenOptions,
  nodeServerOptions,
  type RunningServer,
} from "./running_server.ts";
import { beginAnswer, nodeRecorder } from "./serve_with_node.ts";

/** What srvx adds to a request. */
interface NodeContext {
  readonly runtime: {
    readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse };
  };
}

/** Serves with srvx, which puts a handler of `Request` on Node's `node:http`; all limits are that module's. */
export async function serveWithSrvx(
  handler: WebHandler,
  listen: ListenOptions,
): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...listen.limits };
  const record = nodeRecorder(listen);
  const running = serve({
    hostname: listen.host,
    port: listen.port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    node: nodeServerOptions(listen.limits),
    async fetch(request) {
      const { req, res } = (request as unknown as NodeContext).runtime.node;
      beginAnswer(req, limits);
      if (!await takeTurn(req, res)) return new Response(null, { status: 503 });
      return await handler(request, {
        target: req.url,
        // srvx writes a chunk before it reads the next: what the response no longer holds, nothing does.
        isFree: () => res.writableLength === 0,
        onIdle: () => res.destroy(),
        onEnd: (status, sent) => record(req, status, sent),
      });
    },
  });
  const server = running.node!.server as unknown as Server;
  server.setTimeout(limits.idleTimeoutMs);
  await running.serve();
  return {
    port: (server.address() as { port: number }).port,
    close: (graceMs) => closeNodeServer(server, graceMs),
  };
}
