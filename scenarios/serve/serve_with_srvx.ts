import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { serve } from "srvx/node";
import { closeNodeServer } from "./close_node_server.ts";
import type { FileHandler } from "../../node_compat/files/file_handler.ts";
import { nodeServerOptions } from "./node_server_options.ts";
import { defaultLimits, type ListenOptions, type RunningServer } from "./running_server.ts";

/** What srvx adds to a request. */
interface NodeContext {
  readonly runtime: {
    readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse };
  };
}

/** Serves with srvx, which puts a handler of `Request` on Node's `node:http`; all limits are that module's. */
export async function serveWithSrvx(
  handler: FileHandler,
  { host, port, limits }: ListenOptions,
): Promise<RunningServer> {
  const running = serve({
    hostname: host,
    port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    node: nodeServerOptions(limits),
    fetch(request) {
      const { req, res } = (request as unknown as NodeContext).runtime.node;
      // srvx writes a chunk before it reads the next: what the response holds no more, nobody does.
      return handler(request, { target: req.url, isFree: () => res.writableLength === 0 });
    },
  });
  const server = running.node!.server as unknown as Server;
  server.setTimeout(limits?.idleTimeoutMs ?? defaultLimits.idleTimeoutMs);
  await running.serve();
  return {
    port: (server.address() as { port: number }).port,
    close: (graceMs) => closeNodeServer(server, graceMs),
  };
}
