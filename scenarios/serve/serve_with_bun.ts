import { bunContext, type BunServer } from "../../src/files/bun_context.ts";
import type { WebHandler } from "../../src/files/web_handler.ts";
import {
  defaultLimits,
  type ListenOptions,
  type RunningServer,
  settleWithin,
} from "./running_server.ts";

interface ServingBun extends BunServer {
  readonly port: number;
  stop(closeActiveConnections?: boolean): Promise<void>;
  requestIP(request: Request): { readonly address: string } | null;
}

/** What we use of Bun's global; its types and Deno's cannot be loaded together. */
interface BunGlobal {
  serve(options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    fetch(request: Request): Promise<Response>;
    error(error: unknown): Response;
  }): ServingBun;
}

/** The longest time without anything sent or received that Bun can be asked for. */
const longestSeconds = 255;

/**
 * Serves with `Bun.serve`. Its `idleTimeout` bounds the time of headers and of silence; the size of
 * headers is bounded to 16 KiB by Bun, and only `--max-http-header-size` changes that.
 */
export function serveWithBun(
  handler: WebHandler,
  { host, port, limits, onAnswer }: ListenOptions,
): Promise<RunningServer> {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  const idleSeconds = Math.ceil((limits?.idleTimeoutMs ?? defaultLimits.idleTimeoutMs) / 1000);
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: Math.min(idleSeconds, longestSeconds),
    fetch(request) {
      const { method, url } = request;
      const remoteAddress = server.requestIP(request)?.address ?? "-";
      const context = bunContext(server, request);
      return handler(request, {
        ...context,
        // Bun has written a chunk, or copied what the socket did not take, before it asks for the next.
        isFree: () => true,
        onEnd(status, sent) {
          context.onEnd(status, sent);
          onAnswer?.({
            ...{ remoteAddress, method, protocol: "HTTP/1.1", status, sent },
            target: url.replace(/^[a-z]+:\/\/[^/]*/, ""),
          });
        },
      });
    },
    error: () => new Response(null, { status: 500 }),
  });
  return Promise.resolve({
    port: server.port,
    async close(graceMs) {
      if (!await settleWithin(server.stop(), graceMs)) await server.stop(true);
    },
  });
}
