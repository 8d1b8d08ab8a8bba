import { createServer } from "node:http";
import { closeNodeServer } from "./close_node_server.ts";
import { nodeServerOptions } from "./node_server_options.ts";
import { defaultLimits, type ListenOptions, type RunningServer } from "./running_server.ts";
import type { NodeFileHandler } from "../../node_compat/files/node_file_handler.ts";

/** Serves with `node:http`, which keeps the same limits in all three runtimes. */
export async function serveWithNode(
  handler: NodeFileHandler,
  { host, port, limits }: ListenOptions,
): Promise<RunningServer> {
  const server = createServer(nodeServerOptions(limits), handler);
  server.setTimeout(limits?.idleTimeoutMs ?? defaultLimits.idleTimeoutMs);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    port: (server.address() as { port: number }).port,
    close: (graceMs) => closeNodeServer(server, graceMs),
  };
}
