import type { FileHandler } from "../../node_compat/files/file_handler.ts";
import type { Chunk } from "../../node_compat/files/file_range.ts";
import type { ListenOptions, RunningServer } from "./running_server.ts";
import { settleWithin } from "./settle_within.ts";

/**
 * Deno's server has taken hold of a chunk's memory before it asks for the next chunk: letting go of our
 * end makes that memory free as soon as it is sent, and not when garbage is next collected.
 */
function letGo({ buffer }: Chunk): boolean {
  buffer.transfer(0);
  return false;
}

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
    onListen() {},
    onError: () => new Response(null, { status: 500 }),
  }, (request) => handler(request, { isFree: letGo, signal: abort.signal }));
  return Promise.resolve({
    port: server.addr.port,
    async close(graceMs) {
      const shutdown = server.shutdown();
      if (await settleWithin(shutdown, graceMs)) return;
      // A server that is shutting down can no longer be aborted, so its answers are; one whose client
      // stands still is then nothing but a connection, which ends with the process.
      abort.abort(new Error("Cannot send: the server is closing"));
      await settleWithin(shutdown, 500);
    },
  });
}
