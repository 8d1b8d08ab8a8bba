import type { FileHandlerOptions } from "../../src/files/file_handler.ts";
import type { FileHandlerOptions as NodeFileHandlerOptions } from "../../src/files/node/file_handler.ts";
import type { ListenOptions, RunningServer } from "./running_server.ts";

/** On which streams files are served: the Web's or `node:stream`'s. */
export const serveApis = ["web", "node"] as const;

/** One of {@linkcode serveApis}. */
export type ServeApi = (typeof serveApis)[number];

/** What is served, and how: the options that both kinds of streams have. */
export interface ServeOptions
  extends Omit<FileHandlerOptions & NodeFileHandlerOptions, "fallthrough" | "onError"> {
  /** The folder whose files are served. */
  readonly root: string;
  /** Called for each failure that is not the client's. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Serves files in the current runtime: `web` by what `Deno.serve` is made of, by `Bun.serve`, or by srvx on
 * Node; `node` by `node:http`. Only what is used is loaded.
 */
export async function startServer(
  api: ServeApi,
  { root, ...options }: ServeOptions,
  where: ListenOptions,
): Promise<RunningServer> {
  const { idleTimeoutMs } = options;
  const limits = idleTimeoutMs === undefined ? {} : { answerTimeoutMs: idleTimeoutMs };
  const listen = { ...where, limits: { ...limits, ...where.limits } };
  if (api === "node") {
    const { serverHandler } = await import("../../src/files/node/file_handler.ts");
    const { nodeRecorder, serveWithNode } = await import("./serve_with_node.ts");
    return await serveWithNode(serverHandler(root, options, nodeRecorder(listen)), listen);
  }
  const { serverHandler } = await import("../../src/files/file_handler.ts");
  const handler = serverHandler(root, options);
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
