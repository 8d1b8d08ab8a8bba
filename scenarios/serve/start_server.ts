import { fileHandler } from "../../node_compat/files/file_handler.ts";
import type { HandlerOptions } from "../../node_compat/files/handler_options.ts";
import type { ListenOptions, RunningServer } from "./running_server.ts";

/** On which streams files are served: the Web's or `node:stream`'s. */
export const serveApis = ["web", "node"] as const;

/** One of {@linkcode serveApis}. */
export type ServeApi = (typeof serveApis)[number];

/**
 * Serves files in the current runtime: `web` by `Deno.serve`, `Bun.serve`, or srvx on Node; `node` by
 * `node:http`. Only what is used is loaded.
 */
export async function startServer(
  api: ServeApi,
  options: HandlerOptions,
  listen: ListenOptions,
): Promise<RunningServer> {
  if (api === "node") {
    const { nodeFileHandler } = await import("../../node_compat/files/node_file_handler.ts");
    const { serveWithNode } = await import("./serve_with_node.ts");
    return await serveWithNode(nodeFileHandler(options), listen);
  }
  const handler = fileHandler(options);
  if ("Deno" in globalThis) {
    const { serveWithDeno } = await import("./serve_with_deno.ts");
    return await serveWithDeno(handler, listen);
  }
  if ("Bun" in globalThis) {
    const { serveWithBun } = await import("./serve_with_bun.ts");
    return await serveWithBun(handler, listen);
  }
  const { serveWithSrvx } = await import("./serve_with_srvx.ts");
  return await serveWithSrvx(handler, listen);
}
