import type { FileHandler } from "./file_handler.ts";
import type { ListenOptions, RunningServer } from "./running_server.ts";
import { settleWithin } from "./settle_within.ts";

/**
 * Serves with `Deno.serve`. It bounds the size of a request's line and headers itself and has no option
 * for that, nor one for time: who waits for nothing keeps the connection, though never a file.
 */
export function serveWithDeno(
  handler: FileHandler,
  { host, port }: ListenOptions,
): Promise<RunningServer> {
  const abort = new AbortController();
  const server = Deno.serve({
    hostname: host,
    port,
    signal: abort.signal,
    onListen() {},
    onError: () => new Response(null, { status: 500 }),
  }, (request) => handler(request));
  return Promise.resolve({
    port: server.addr.port,
    async close(graceMs) {
      if (!await settleWithin(server.shutdown(), graceMs)) abort.abort();
      await server.finished;
    },
  });
}
